// Four processes on one Redis, killed and suspended, and the server killed under load (`server-kill.ts`).

import { redisProcesses } from '../support/redis-processes.js';
import { HAS_REDIS, startRedis } from '../support/redis-server.js';
import { testKills } from './server-kill.js';

testKills('Redis (redis-server)', HAS_REDIS, () => startRedis('--appendonly', 'yes'), redisProcesses);
