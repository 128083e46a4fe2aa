// Four crawler processes share one crawl on lmdb, in one crawl directory. Each store has its own file, because each
// test mostly waits.

import { it } from 'vitest';
import { crawlOn, LONGEST_MS } from './four-crawlers-on-an-engine.js';

it.skipIf(process.platform !== 'linux')(
  'four crawlers and 100 hosts, on lmdb, in one crawl directory',
  () => crawlOn('lmdb'),
  LONGEST_MS,
);
