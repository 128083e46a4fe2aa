// Ports for servers that tests start, kill and start again at the same place. They lie below those that the system
// gives to anyone who asks for any, and to connections: while a server is away no one takes its port by chance.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const LEAST = 12_000;
const MOST = 22_000;
/** A Redis of a cluster listens at a second port, so much higher. */
const SECOND = 10_000;
const MOST_TRIES = 200;

/** A port of 127.0.0.1 that no one listens at, nor at the one 10,000 higher. */
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
