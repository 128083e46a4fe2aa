// PostgreSQL under three crawlers: a fail-over, and nothing left.

import { HAS_POSTGRES } from '../support/postgres-server.mjs';
import { testFaults } from './server-forgets.js';
import { emptyPostgres, failingOverPostgres, restoredPostgres } from './servers-that-forget.js';

testFaults('postgres', HAS_POSTGRES, [
  ['fail-over to a standby one second behind', failingOverPostgres, 'rolled back'],
  ['a backup of twelve seconds ago is restored', restoredPostgres, 'rolled back'],
  ['an empty server', emptyPostgres, 'refused'],
]);
