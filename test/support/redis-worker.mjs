// A process on a Redis store, for the suite to kill and stop. Uses the build. Arguments: the server's URL, the prefix.

import { runSuiteWorker } from '@mannerly/frontier/conformance';
import { redisStore } from '@mannerly/frontier/redis';
import { Redis } from 'ioredis';

const [url, prefix] = process.argv.slice(2);
const client = new Redis(url, { maxRetriesPerRequest: 3 });
client.on('error', () => undefined);
await runSuiteWorker(redisStore({ client, prefix, onNotice: () => undefined }));
