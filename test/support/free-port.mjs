// Ports for servers that tests start, kill and restart on the same port. They lie below the system's ephemeral ports,
// so nothing takes them by chance while the server is down.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const LEAST = 12_000;
const MOST = 22_000;
/** A Redis cluster node listens on a second port, which is higher by this. */
const SECOND = 10_000;
const MOST_TRIES = 200;

/** A port of 127.0.0.1 on which nothing listens, nor on the one 10,000 higher. */
export async function freePort() {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(LEAST, MOST);
    if ((await isFree(port)) && (await isFree(port + SECOND))) return port;
  }
  throw new Error(`no port is free between ${LEAST} and ${MOST}`);
}

function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
