// Redis under three crawlers loses data: fail-overs, power cuts, an old backup. `server-stays-away-redis` has the
// faults without loss.

import { HAS_REDIS } from '../support/redis-server.js';
import { testFaults } from './server-forgets.js';
import { failingOverRedis, powerCutCluster, powerCutRedis, restoredRedis } from './servers-that-forget.js';

testFaults('redis', HAS_REDIS, [
  ['fail-over to a replica one second behind', failingOverRedis, 'rolled back'],
  ['a power cut that loses one second', powerCutRedis, 'rolled back'],
  ['one of three primaries of a cluster loses one second', powerCutCluster, 'rolled back'],
  ['a backup of twelve seconds ago is restored', restoredRedis, 'rolled back'],
]);
