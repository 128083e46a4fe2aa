// Redis under three crawlers: fail-overs, power cuts, silence, full memory, nothing left.

import { HAS_REDIS } from '../support/redis-server.js';
import { testFaults } from './server-forgets.js';
import {
  emptyRedis,
  failingOverRedis,
  fullRedis,
  powerCutCluster,
  powerCutRedis,
  restoredRedis,
  silentRedis,
} from './servers-that-forget.js';

testFaults('redis', HAS_REDIS, [
  ['fail-over to a replica one second behind', failingOverRedis, 'rolled back'],
  ['a power cut that loses one second', powerCutRedis, 'rolled back'],
  ['one of three primaries of a cluster loses one second', powerCutCluster, 'rolled back'],
  ['silent connections', silentRedis, 'held'],
  ['full memory', fullRedis, 'held'],
  ['a backup of twelve seconds ago is restored', restoredRedis, 'rolled back'],
  ['an empty server', emptyRedis, 'refused'],
]);
