// PostgreSQL under three crawlers: a fail-over, backups, and an empty server.

import { HAS_PG_DUMP, HAS_POSTGRES } from '../support/postgres-server.mjs';
import { testFaults } from './server-forgets.js';
import { dumpedPostgres, emptyPostgres, failingOverPostgres, restoredPostgres } from './servers-that-forget.js';

testFaults('postgres', HAS_POSTGRES, [
  ['fail-over to a standby one second behind', failingOverPostgres, 'rolled back'],
  ['a backup of twelve seconds ago is restored', restoredPostgres, 'rolled back'],
  ['an empty server', emptyPostgres, 'refused'],
]);
testFaults('postgres', HAS_PG_DUMP, [['a dump of twelve seconds ago is restored', dumpedPostgres, 'rolled back']]);
