// A hash of host keys for tables in memory.

import type { HostKey } from '../store.js';

/** So that nobody can choose host names that all meet in one place. */
export function createSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}

/** 32 bits of a key, other ones for each seed. Never throws. */
export function hashOf(key: HostKey, seed: number): number {
  let mixed = seed ^ key.length;
  for (let at = 0; at < key.length; at += 1) {
    mixed = Math.imul(mixed ^ key.charCodeAt(at), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return (Math.imul(mixed, 0x85ebca6b) ^ (mixed >>> 13)) >>> 0;
}
