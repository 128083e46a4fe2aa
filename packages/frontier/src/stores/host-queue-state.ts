// One host queue of the memory store: its entries, its lease and its place in the time index.

import type { HostKey } from '../store.js';
import { HostEntries } from './host-entries.js';

/**
 * All times are the store's own clock. A host stands in the time index while it has something queued or is leased.
 *
 * A class, like all that is made at every claim: where many literals of one place in the code have lived long, V8 makes those
 * that follow old at once, and what was needed for a moment stays until the next full collection.
 */
export class HostQueueState {
  /** Its place among all hosts, from 0 on. */
  readonly number: number;
  readonly key: HostKey;
  readonly entries: HostEntries;
  /** The host's next allowed time; kept while the host is idle. */
  nextAt = 0;
  /** Added after the lease end if the holder dies. */
  delayMs = 0;
  /** Grows at every lease and every release. */
  fencingToken = 0;
  /** End of the lease; `null` when there is none. */
  leaseEndsAt: number | null = null;
  isParked = false;
  /** Whether something happened to it since that was asked last (awake-hosts.ts). */
  wasUsed = true;
  state: Uint8Array | null = null;

  /** A host nobody has asked yet. */
  constructor(key: HostKey, number: number, entries = new HostEntries()) {
    this.number = number;
    this.key = key;
    this.entries = entries;
  }
}
