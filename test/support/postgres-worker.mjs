// A process on a PostgreSQL store, for the suite to kill and stop. Uses the build. Arguments: the server's URL, the
// schema.

import { runSuiteWorker } from '@mannerly/frontier/conformance';
import { postgresStore } from '@mannerly/frontier/postgres';
import { Pool } from 'pg';

const [url, schema] = process.argv.slice(2);
const pool = new Pool({ connectionString: url, max: 3 });
await runSuiteWorker(postgresStore({ pool, schema, allowUnsafe: ['fsync-off'], onNotice: () => undefined }));
