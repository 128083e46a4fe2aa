// Records of the frontier's owner, kept in its store beside the queue under a name of their own.

import type { FrontierStore } from '../store.js';
import type { PartRecords } from './part-records.js';

/** What the owner keeps; small records, at most 1 MiB each. */
export interface OwnerRecords {
  /** A small record kept in the store beside the queue (well-known files, counters); at most 1 MiB. */
  readRecord(key: string): Promise<Uint8Array | null>;
  writeRecord(key: string, value: Uint8Array | null): Promise<void>;
  /** A record of which each process of the crawl has its own part: what all of them have, ours under our name. */
  readParts(key: string): Promise<Map<string, Uint8Array>>;
  /** Writes this process's part, which only it writes; at most 1 MiB. */
  writePart(key: string, value: Uint8Array): Promise<void>;
}

const PREFIX = 'owner/';

/** @param check - Throws where the frontier is not open. @throws Never; its promises reject with what `check` and the store throw. */
export function createOwnerRecords(store: FrontierStore, records: PartRecords, check: () => void): OwnerRecords {
  return {
    async readRecord(key) {
      check();
      return store.readRecord(PREFIX + key);
    },
    async writeRecord(key, value) {
      check();
      await store.writeRecord(PREFIX + key, value);
    },
    async readParts(key) {
      check();
      return records.readAll(PREFIX + key);
    },
    async writePart(key, value) {
      check();
      await records.write(PREFIX + key, value);
    },
  };
}
