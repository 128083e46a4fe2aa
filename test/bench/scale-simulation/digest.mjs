// Copies of robots.txt are hashed off the main thread, in time that no virtual clock knows of. While a simulation runs
// they are hashed on it.

import { createHash } from 'node:crypto';

/** @returns what `work` returns, after the platform's digest is back */
export async function withDigestAtHand(work) {
  crypto.subtle.digest = async (name, bytes) => {
    const hash = createHash(String(name).replace('-', '').toLowerCase());
    return new Uint8Array(hash.update(bytes).digest()).buffer;
  };
  try {
    return await work();
  } finally {
    // The prototype has the platform's.
    Reflect.deleteProperty(crypto.subtle, 'digest');
  }
}
