// Names as keys. LMDB bounds the length of a key; a longer name stands under its hash.

import { createHash } from 'node:crypto';

/** Longest name that is its own key, octets. */
const LONGEST = 1_024;
const OWN = 1;
const HASHED = 2;

/** The key of a name within a space of names. */
export function textKey(space: number, name: string): Buffer {
  const key = Buffer.allocUnsafe(2 + 3 * name.length);
  const octets = key.subarray(2, 2 + key.write(name, 2));
  key[0] = space;
  key[1] = OWN;
  if (octets.length <= LONGEST) return key.subarray(0, 2 + octets.length);
  return Buffer.concat([Buffer.of(space, HASHED), createHash('sha256').update(octets).digest()]);
}
