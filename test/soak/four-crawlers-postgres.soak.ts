// Four crawler processes share one crawl on PostgreSQL, whose server is killed too. Each store has its own file,
// because each test mostly waits.

import { it } from 'vitest';
import { HAS_POSTGRES, startPostgres } from '../support/postgres-server.mjs';
import { crawlOn, LONGEST_MS } from './four-crawlers-on-an-engine.js';

it.skipIf(process.platform !== 'linux' || !HAS_POSTGRES)(
  'four crawlers and 100 hosts, on postgres, whose server is killed too',
  () => crawlOn('postgres', () => startPostgres()),
  LONGEST_MS,
);
