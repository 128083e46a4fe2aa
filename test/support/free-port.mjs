// Ports for servers that tests start, kill and restart on the same port. They lie below the system's ephemeral ports,
// so nothing takes them by chance while the server is down.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const MIN_PORT = 12_000;
const MAX_PORT = 22_000;
/** A Redis cluster node listens on a second port, which is higher by this. */
const CLUSTER_PORT_OFFSET = 10_000;
const MAX_ATTEMPTS = 200;

/** A port of 127.0.0.1 on which nothing listens, nor on the one 10,000 higher. */
export async function freePort() {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const port = randomInt(MIN_PORT, MAX_PORT);
    if ((await isFree(port)) && (await isFree(port + CLUSTER_PORT_OFFSET))) return port;
  }
  throw new Error(`no port is free between ${MIN_PORT} and ${MAX_PORT}`);
}

function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
