// Copies of robots.txt are hashed off the main thread, in real time that a virtual clock does not see. During a
// simulation they are hashed on it.

import { createHash } from 'node:crypto';

/** @returns The result of `work`, after the platform's digest is restored. */
export async function withDigestAtHand(work) {
  crypto.subtle.digest = async (name, bytes) => {
    const hash = createHash(String(name).replace('-', '').toLowerCase());
    return new Uint8Array(hash.update(bytes).digest()).buffer;
  };
  try {
    return await work();
  } finally {
    // The prototype still has the platform's.
    Reflect.deleteProperty(crypto.subtle, 'digest');
  }
}
