// A loopback port in front of another one, whose connections a test can redirect, silence or end.

import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.mjs';

/** A port in front of another one. */
export interface TcpLink {
  readonly port: number;
  /** Where new connections go from now on. Existing ones end. */
  readonly redirectTo: (port: number) => void;
  /** From now on nothing passes on existing connections, and neither side is told. New ones work. */
  readonly silence: () => void;
  readonly dispose: () => Promise<void>;
}

/** A link to a port of 127.0.0.1. */
export async function startLink(to: number): Promise<TcpLink> {
  let target = to;
  const pairs = new Set<readonly [Socket, Socket]>();
  const end = (pair: readonly [Socket, Socket]) => {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair)
      socket
        .setNoDelay(true)
        .on('error', () => end(pair))
        .on('close', () => end(pair));
    near.pipe(far);
    far.pipe(near);
  });
  const port = await freePort();
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return {
    port,
    redirectTo(next) {
      target = next;
      for (const pair of pairs) end(pair);
    },
    silence() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    async dispose() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const pair of pairs) end(pair);
      await closed;
    },
  };
}
