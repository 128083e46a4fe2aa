// What is known of each host, as one small record in the store: read once, kept in memory while it is in use, written
// when it changes.

import { decodeJson, type RecordStore, writeJson } from '../json-record.js';
import { keepLatest } from '../keep-latest.js';
import { MAX_JUDGED_HOSTS } from './limits.js';

/** The records of one kind: numbers by their names. Promises reject with what the store throws. */
export class HostRecords<T extends Readonly<Record<keyof T, number>>> {
  readonly #store: RecordStore;
  readonly #prefix: string;
  readonly #initial: T;
  readonly #hosts = new Map<string, T>();

  /** @param initial - Of a host that is not known; a record that lacks one of its numbers counts as none. */
  constructor(store: RecordStore, prefix: string, initial: T) {
    this.#store = store;
    this.#prefix = prefix;
    this.#initial = initial;
  }

  /** Afterwards `of` knows the host. At most `MAX_JUDGED_HOSTS` at a time. */
  async load(host: string): Promise<void> {
    if (this.#hosts.has(host)) return;
    const read = this.#decode(await this.#store.readRecord(this.#prefix + host));
    if (!this.#hosts.has(host)) keepLatest(this.#hosts, host, read, MAX_JUDGED_HOSTS);
  }

  /** Of a host that is loaded: nothing waits here, so that what follows from it is counted once. */
  of(host: string): T {
    return this.#hosts.get(host) ?? this.#initial;
  }

  async write(host: string, after: T): Promise<void> {
    if (JSON.stringify(this.of(host)) === JSON.stringify(after)) return;
    keepLatest(this.#hosts, host, after, MAX_JUDGED_HOSTS);
    await writeJson(this.#store, this.#prefix + host, after);
  }

  #decode(bytes: Uint8Array | null): T {
    if (bytes === null) return this.#initial;
    try {
      const read = decodeJson<T | null>(bytes);
      const names = Object.keys(this.#initial) as (keyof T)[];
      return read !== null && names.every((name) => Number.isFinite(read[name])) ? read : this.#initial;
    } catch {
      return this.#initial;
    }
  }
}
