// The host near which a record is kept, told by its key alone; a crawl that moves goes by it. What belongs to
// a host is there when its queue is, and a worker never waits for a server that its host does not need.

import type { HostKey } from '../store.js';
import { type HostKeyBy, hostKeyOf } from '../url/url.js';
import { isInParts, LOCK_HOST } from './processes.js';

/** The prefix of the keys of a frontier's owner. */
export const OWNER_PREFIX = 'owner/';

/** A host or an authority after the kind of the record, whatever follows it. */
const OF_A_HOST = /^(?:owner\/[^/]+|robots)\/(https?:\/\/)?([^/]+)/;

/** The host of a record; `undefined`: it belongs to none. Stores place by it, so it never changes. */
export function placeOfRecord(key: string, hostKeyBy: HostKeyBy): HostKey | undefined {
  if (isInParts(key)) return LOCK_HOST;
  const [, scheme = 'http://', host] = OF_A_HOST.exec(key) ?? [];
  return host === undefined ? undefined : (hostKeyOf(scheme + host, hostKeyBy) ?? host);
}
