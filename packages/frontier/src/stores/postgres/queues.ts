// The verbs as calls of the functions, one round trip each. What the functions do is in the `sql-*.ts` files.

import type {
  CommitAnswer,
  HostCommit,
  Lease,
  LeaseRequest,
  NewEntry,
  ReserveSlot,
  ScanListing,
  StoredHost,
  StoreStats,
} from '../../store.js';
import type { StoreQueues } from '../checked-store.js';
import { int8Array, readNumbers, textArray } from './arrays.js';
import type { Connection } from './connection.js';
import { inSchema, quoteName } from './schema.js';
import { DUE_SQL, STATS_SQL } from './sql-read.js';
import { commitValues, laneNames, linkValues, microseconds, readEntries } from './values.js';

/** Most items of one page of a scan. */
const SCAN_LIMIT = 10_000;
/** Operation numbers are below this. */
const OPERATIONS = 2 ** 47;
/** Arguments of the function `commit`. */
const COMMIT_VALUES = 31;

/** What the queues need to know. */
export interface PostgresQueuesOptions {
  readonly connection: Connection;
  readonly schema: string;
  readonly maxQueued: number;
  /** `null`: the server's own. */
  readonly nowMs: (() => number) | null;
}

/** The queues of one crawl. */
export class PostgresQueues implements StoreQueues {
  readonly #connection: Connection;
  readonly #schema: string;
  readonly #maxQueued: number;
  readonly #nowMs: (() => number) | null;
  readonly #laneOf = laneNames();
  readonly #texts: ReturnType<typeof textsOf>;
  /** Numbers a commit, so that one that runs twice is recognised. */
  #operation = Math.floor(Math.random() * OPERATIONS);

  constructor({ connection, schema, maxQueued, nowMs }: PostgresQueuesOptions) {
    this.#connection = connection;
    this.#schema = quoteName(schema);
    this.#maxQueued = maxQueued;
    this.#nowMs = nowMs;
    this.#texts = textsOf(this.#schema);
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[]): Promise<CommitAnswer> {
    this.#operation = (this.#operation + 1) % OPERATIONS;
    const order = inOrder(hosts, ({ host }) => host);
    const parts = order.map(({ one }) => one);
    const linked = linkValues(links, this.#laneOf);
    const values = [
      ...[this.#now(), this.#operation, this.#maxQueued],
      ...linked.values,
      ...commitValues(parts, this.#laneOf),
    ];
    const [first, ...rest] = await this.#connection.call(this.#texts.commit, values);
    const outcomes = linked.outcomes(readNumbers(first?.[2]), readNumbers(first?.[3]));
    const answer: CommitAnswer = { hosts: [], links: outcomes };
    for (const [index, { at }] of order.entries()) {
      const [isKept, entries = null] = rest[index] ?? [];
      answer.hosts[at] = isKept === 't' ? { ok: true, entries: readEntries(entries) } : { ok: false, reason: 'lost' };
    }
    return answer;
  }

  async lease({ maxHosts, entriesPerHost, ttlMs, delayMs = 0, hosts }: LeaseRequest): Promise<Lease[]> {
    const names = hosts === undefined ? null : textArray(hosts);
    const values = [this.#now(), maxHosts, entriesPerHost, microseconds(ttlMs), microseconds(delayMs), names];
    const rows = await this.#connection.call(this.#texts.lease, values);
    return rows.map(([host, fencingToken, state = null, queued, entries = null]) => ({
      host: host ?? '',
      fencingToken: fencingToken ?? '',
      ttlMs,
      notBeforeMs: 0,
      state: bytesOf(state),
      entries: readEntries(entries),
      queued: Number(queued),
    }));
  }

  async wake(host: string): Promise<void> {
    await this.#connection.call(this.#texts.wake, [this.#now(), host]);
  }

  async nextDueInMs(): Promise<number | null> {
    const [row] = await this.#connection.call(this.#texts.due, [this.#now()]);
    const us = row?.[0] ?? null;
    return us === null ? null : Number(us) / 1_000;
  }

  async reserve(slots: readonly ReserveSlot[]): Promise<number[]> {
    const order = inOrder(slots, ({ key }) => key);
    const keys = textArray(order.map(({ one }) => one.key));
    const delays = int8Array(order.map(({ one }) => microseconds(one.delayMs)));
    const [row] = await this.#connection.call(this.#texts.reserve, [this.#now(), keys, delays]);
    const waits: number[] = [];
    const us = readNumbers(row?.[0]);
    for (const [index, { at }] of order.entries()) waits[at] = Number(us[index]) / 1_000;
    return waits;
  }

  async readHost(host: string): Promise<StoredHost | null> {
    const [row] = await this.#connection.call(this.#texts.readHost, [this.#now(), host]);
    if (row === undefined) return null;
    const [state = null, queued, inFlight, isLeased, isParked, dueInUs = null] = row;
    return {
      state: bytesOf(state),
      queued: Number(queued),
      inFlight: Number(inFlight),
      isLeased: isLeased === 't',
      isParked: isParked === 't',
      dueInMs: dueInUs === null ? null : Number(dueInUs) / 1_000,
    };
  }

  async stats(): Promise<StoreStats> {
    const [row] = await this.#connection.call(this.#texts.stats, []);
    const [unfinished = 0, inFlight = 0, known = 0, hosts = 0, leased = 0, parked = 0] = (row ?? []).map(Number);
    return { queued: unfinished - inFlight, inFlight, known, hosts, leased, parked };
  }

  /** The cursor is the phase, two numbers of where in it, and the host. */
  async scan(cursor: string | null, limit: number, host?: string): Promise<ScanListing> {
    const [, phase = '0', first = '0', second = '0', key = host ?? ''] =
      /^(\d) (-?\d+) (\d+) (.*)$/s.exec(cursor ?? '') ?? [];
    const wanted = Math.max(1, Math.min(limit, SCAN_LIMIT));
    const rows = await this.#connection.call(this.#texts.scan, [wanted, key, phase, first, second, host !== undefined]);
    const items: { host: string; entry: ReturnType<typeof readEntries>[number] }[] = [];
    for (const [name, at, one, two, hex = null] of rows) {
      if (hex === null) return { cursor: `${at} ${one} ${two} ${name}`, items };
      for (const entry of readEntries(hex)) items.push({ host: name ?? '', entry });
    }
    return { cursor: null, items };
  }

  async readRecord(key: string): Promise<Uint8Array | null> {
    const [row] = await this.#connection.call(this.#texts.readRecord, [key]);
    return bytesOf(row?.[0] ?? null);
  }

  async writeRecord(key: string, value: Uint8Array | null): Promise<void> {
    if (value === null) await this.#connection.call(this.#texts.removeRecord, [key]);
    else {
      const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      await this.#connection.call(this.#texts.writeRecord, [key, bytes]);
    }
  }

  /** `null`: the server's own clock. */
  #now(): number | null {
    return this.#nowMs === null ? null : Math.floor(this.#nowMs() * 1_000);
  }
}

/** Every statement, in the crawl's schema. Bytes come as hexadecimal digits, whatever the server's settings. */
function textsOf(schema: string) {
  const commitPlaces = Array.from({ length: COMMIT_VALUES }, (_, at) => `$${at + 1}`).join(', ');
  const text = (sql: string) => inSchema(schema, sql);
  return {
    commit: text(`SELECT o_kept, encode(o_entries, 'hex'), o_fresh, o_full FROM $S.commit(${commitPlaces})`),
    lease: text(
      `SELECT key, fencing_token, encode(state, 'hex'), queued, encode(entries, 'hex') FROM $S.lease($1, $2, $3, $4, $5, $6)`,
    ),
    wake: text('SELECT $S.wake($1, $2)'),
    due: text(DUE_SQL),
    stats: text(STATS_SQL),
    reserve: text('SELECT $S.reserve($1, $2, $3)'),
    readHost: text(
      `SELECT encode(o_state, 'hex'), o_queued, o_in_flight, o_leased, o_parked, o_due FROM $S.read_host($1, $2)`,
    ),
    scan: text(`SELECT o_key, o_phase, o_first, o_second, encode(o_entry, 'hex') FROM $S.scan($1, $2, $3, $4, $5, $6)`),
    readRecord: text(`SELECT encode(value, 'hex') FROM $S.record WHERE key = $1`),
    writeRecord: text(
      'INSERT INTO $S.record (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    ),
    removeRecord: text('DELETE FROM $S.record WHERE key = $1'),
  };
}

function bytesOf(hex: string | null): Uint8Array | null {
  return hex === null ? null : new Uint8Array(Buffer.from(hex, 'hex'));
}

/** All with their index, by name: rows are locked in one order, so that transactions do not deadlock. */
function inOrder<T>(all: readonly T[], nameOf: (one: T) => string): { readonly one: T; readonly at: number }[] {
  const named = all.map((one, at) => ({ one, at, name: nameOf(one) }));
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.at - b.at));
}
