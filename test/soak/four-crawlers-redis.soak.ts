// Four crawler processes share one crawl on Redis, whose server is killed too. Each store has its own file, because
// each test mostly waits.

import { it } from 'vitest';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';
import { crawlOn, LONGEST_MS } from './four-crawlers-on-an-engine.js';

it.skipIf(process.platform !== 'linux' || !HAS_REDIS)(
  'four crawlers and 100 hosts, on redis, whose server is killed too',
  () => crawlOn('redis', () => startRedis('--appendonly', 'yes')),
  LONGEST_MS,
);
