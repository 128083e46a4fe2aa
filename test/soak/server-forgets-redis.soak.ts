// Redis under three crawlers, and data is lost: fail-overs, power cuts, an old backup. What is kept and only away:
// `server-stays-away-redis`.

import { HAS_REDIS } from '../support/redis-server.js';
import { testFaults } from './server-forgets.js';
import { failingOverRedis, powerCutCluster, powerCutRedis, restoredRedis } from './servers-that-forget.js';

testFaults('redis', HAS_REDIS, [
  ['fail-over to a replica one second behind', failingOverRedis, 'rolled back'],
  ['a power cut that loses one second', powerCutRedis, 'rolled back'],
  ['one of three primaries of a cluster loses one second', powerCutCluster, 'rolled back'],
  ['a backup of twelve seconds ago is restored', restoredRedis, 'rolled back'],
]);
