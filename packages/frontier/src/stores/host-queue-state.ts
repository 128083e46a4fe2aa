// One host queue of the memory store: its entries, its lease and its place in the time index.

import type { HostKey } from '../store.js';
import { HostEntries } from './host-entries.js';

/** All instants are the store's own clock. A host stands in the time index while it has something queued or is leased. */
export interface HostQueueState {
  /** Its place among all hosts, from 0 on. */
  readonly number: number;
  readonly key: HostKey;
  readonly entries: HostEntries;
  /** The host's next allowed time; kept while the host is idle. */
  nextAt: number;
  /** Added after the lease end if the holder dies. */
  delayMs: number;
  /** Grows at every lease and every release. */
  epoch: number;
  /** End of the lease; `null` when there is none. */
  leaseEndsAt: number | null;
  isParked: boolean;
  /** Whether something happened to it since that was asked last (awake-hosts.ts). */
  wasUsed: boolean;
  state: Uint8Array | null;
}

/** A host nobody has asked yet. */
export function newHostQueue(key: HostKey, number: number, entries = new HostEntries()): HostQueueState {
  return {
    number,
    key,
    entries,
    nextAt: 0,
    delayMs: 0,
    epoch: 0,
    leaseEndsAt: null,
    isParked: false,
    wasUsed: true,
    state: null,
  };
}
