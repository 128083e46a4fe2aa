// Redis under three crawlers, and nothing of it is lost that it could give back: silent connections, full memory,
// nothing left.

import { HAS_REDIS } from '../support/redis-server.js';
import { testFaults } from './server-forgets.js';
import { emptyRedis, fullRedis, silentRedis } from './servers-that-forget.js';

testFaults('redis', HAS_REDIS, [
  ['silent connections', silentRedis, 'held'],
  ['full memory', fullRedis, 'held'],
  ['an empty server', emptyRedis, 'refused'],
]);
