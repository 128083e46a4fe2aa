// Names as keys. LMDB bounds the length of a key; a longer name stands under its hash.

import { createHash } from 'node:crypto';

/** Longest name that is its own key, bytes. */
const LONGEST = 1_024;
const OWN = 1;
const HASHED = 2;

/** The key of a name within a space of names. */
export function textKey(space: number, name: string): Buffer {
  const key = Buffer.allocUnsafe(2 + 3 * name.length);
  const bytes = key.subarray(2, 2 + key.write(name, 2));
  key[0] = space;
  key[1] = OWN;
  if (bytes.length <= LONGEST) return key.subarray(0, 2 + bytes.length);
  return Buffer.concat([Buffer.of(space, HASHED), createHash('sha256').update(bytes).digest()]);
}
