// Entries for the processes that are killed while they write. The same in every process.

import { createHash } from 'node:crypto';

/** The hosts of the entries. */
export const HOSTS = Array.from({ length: 12 }, (_, at) => `h${at}.example`);

/** The entry with this name on a host. */
export function entryOf(host, name) {
  const fingerprint = new Uint8Array(createHash('sha256').update(`${host} ${name}`).digest().subarray(0, 8));
  return { host, fingerprint, priority: 4, body: new Uint8Array(Buffer.from(name)) };
}
