// Hosts in memory and in the file. A changed host is written once per transaction; the time index (holder, time, host)
// follows before it is read. The hosts in memory are right until another process writes, then they are cleared.

import type { HostKey } from '../../store.js';
import { type Environment, rowsOf, type Table } from './environment.js';
import { decodeHost, encodeHost, Host } from './host.js';
import { lineEnd, lineKey, readLine, textKey } from './rows.js';

/** Most hosts in memory between transactions. With more than that all are forgotten. */
const HOSTS_CACHED = 49_152;
const BY_KEY = 1;
const BY_NUMBER = 2;
const NO_VALUE = Buffer.alloc(0);

export interface DueRow {
  readonly at: number;
  readonly number: number;
}

export class HostTable {
  readonly #hosts: Table;
  readonly #entries: Table;
  readonly #due: Table;
  readonly #byKey = new Map<HostKey, Host>();
  readonly #byNumber = new Map<number, Host>();
  readonly #dirty: Host[] = [];

  constructor({ hosts, entries, due }: Environment) {
    this.#hosts = hosts;
    this.#entries = entries;
    this.#due = due;
  }

  find(key: HostKey): Host | undefined {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const number = this.#hosts.getBinary(textKey(BY_KEY, key))?.readUInt32BE(0);
    return number === undefined ? undefined : this.byNumber(number);
  }

  /** Makes a host that was not found. `number` is new. */
  create(key: HostKey, number: number): Host {
    const value = Buffer.allocUnsafe(4);
    value.writeUInt32BE(number);
    this.#hosts.putSync(textKey(BY_KEY, key), value);
    const host = this.#remember(new Host(number, key));
    this.changed(host);
    return host;
  }

  /** The host of a number that a row names. */
  byNumber(number: number): Host {
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    const bytes = this.#hosts.getBinary(numberKey(number));
    if (bytes === undefined) throw new Error(`the store names a host ${number} that it does not contain`);
    return this.#remember(this.#withUnrecorded(decodeHost(number, bytes)));
  }

  /** To be called after a host has changed. */
  changed(host: Host): void {
    if (host.isDirty) return;
    host.isDirty = true;
    this.#dirty.push(host);
  }

  setDue(host: Host, holder: number, at: number | null): void {
    host.dueAt = at;
    host.dueHolder = holder;
    this.changed(host);
  }

  /** The earliest rows of a holder up to a time, as of the last `syncIndex`. */
  due(holder: number, upTo: number, limit: number): DueRow[] {
    const end = Number.isFinite(upTo) ? dueKey(holder, upTo, 0xffff_ffff) : dueKey(holder + 1, 0, 0);
    const rows = rowsOf(this.#due, dueKey(holder, 0, 0), end, limit);
    return rows.map(({ key }) => ({ at: key.readDoubleBE(4), number: key.readUInt32BE(12) }));
  }

  syncIndex(): void {
    for (const host of this.#dirty) {
      const { number, dueAt, dueHolder, indexedAt, indexedHolder } = host;
      if (dueAt === indexedAt && (dueHolder === indexedHolder || dueAt === null)) continue;
      if (indexedAt !== null) this.#due.removeSync(dueKey(indexedHolder, indexedAt, number));
      if (dueAt !== null) this.#due.putSync(dueKey(dueHolder, dueAt, number), NO_VALUE);
      host.indexedAt = dueAt;
      host.indexedHolder = dueHolder;
    }
  }

  /** Writes the changed hosts. @returns Whether there were any. */
  flush(): boolean {
    this.syncIndex();
    const isAnyDirty = this.#dirty.length > 0;
    for (const host of this.#dirty) {
      this.#hosts.putSync(numberKey(host.number), encodeHost(host));
      host.isDirty = false;
      host.recordedSequence = host.nextSequence;
    }
    this.#dirty.length = 0;
    if (this.#byKey.size > HOSTS_CACHED) this.clear();
    return isAnyDirty;
  }

  clear(): void {
    this.#byKey.clear();
    this.#byNumber.clear();
  }

  /** Counts the entries that were added to the host's only line after its record was written. */
  #withUnrecorded(host: Host): Host {
    const { number, onlyLine, nextSequence } = host;
    if (onlyLine === null) return host;
    const { lane, rank } = onlyLine;
    const [start, end] = [lineKey(number, lane, rank, nextSequence), lineEnd(number, lane, rank)];
    for (const key of this.#entries.getKeys({ start, end })) {
      host.queued += 1;
      host.nextSequence = readLine(key).order + 1;
    }
    return host;
  }

  #remember(host: Host): Host {
    this.#byKey.set(host.key, host);
    this.#byNumber.set(host.number, host);
    return host;
  }
}

function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = BY_NUMBER;
  key.writeUInt32BE(number, 1);
  return key;
}

function dueKey(holder: number, at: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(16);
  key.writeUInt32BE(holder, 0);
  key.writeDoubleBE(at, 4);
  key.writeUInt32BE(number, 12);
  return key;
}
