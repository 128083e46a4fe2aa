// Redis under three crawlers, with faults that lose nothing that it could restore: silent connections, full memory, and
// an empty server.

import { HAS_REDIS } from '../support/redis-server.js';
import { testFaults } from './server-forgets.js';
import { emptyRedis, fullRedis, silentRedis } from './servers-that-forget.js';

testFaults('redis', HAS_REDIS, [
  ['silent connections', silentRedis, 'held'],
  ['full memory', fullRedis, 'held'],
  ['an empty server', emptyRedis, 'refused'],
]);
