// The verbs of the queues as calls of the functions, one round trip each, and their answers as the contract's shapes. What they do
// is in the `sql-*.ts` files.

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
import type { ServerQueues } from '../server/server-store.js';
import { int8Array, readNumbers, textArray } from './arrays.js';
import { commitWords, laneNames, linkWords, microseconds, readEntries } from './call-words.js';
import type { Connection } from './connection.js';
import { inSchema, quoteName } from './schema.js';
import { DUE_SQL, STATS_SQL } from './sql-look.js';

/** Most items one page of a scan may ask for. */
const SCAN_LIMIT = 10_000;
/** Numbers of operations are below this. */
const OPERATIONS = 2 ** 47;
const COMMIT_WORDS = 31;

/** What the queues need to know. */
export interface PostgresQueuesOptions {
  readonly connection: Connection;
  readonly schema: string;
  readonly maxQueued: number;
  /** `null`: the server's own. */
  readonly nowMs: (() => number) | null;
}

/** The queues of one crawl. */
export class PostgresQueues implements ServerQueues {
  readonly #connection: Connection;
  readonly #schema: string;
  readonly #maxQueued: number;
  readonly #nowMs: (() => number) | null;
  readonly #lanes = laneNames();
  readonly #texts: ReturnType<typeof textsOf>;
  /** Names a commit, so that one heard twice is known. */
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
    // Rows are locked in one order, whoever commits.
    const order = hosts
      .map((part, at) => ({ part, at }))
      .toSorted((a, b) => compare(a.part.host, b.part.host) || a.at - b.at);
    const { words, outcomes } = linkWords(links, this.#lanes);
    const parts = commitWords(
      order.map(({ part }) => part),
      this.#lanes,
    );
    const values = [this.#now(), this.#operation, this.#maxQueued, ...words, ...parts];
    const [first, ...rest] = await this.#connection.call(this.#texts.commit, values);
    const answer: CommitAnswer = { hosts: [], links: outcomes(readNumbers(first?.[2]), readNumbers(first?.[3])) };
    for (const [index, { at }] of order.entries()) {
      const [isKept, entries = null] = rest[index] ?? [];
      answer.hosts[at] = isKept === 't' ? { ok: true, entries: readEntries(entries) } : { ok: false, reason: 'lost' };
    }
    return answer;
  }

  async lease({ maxHosts, entriesPerHost, ttlMs, delayMs = 0, hosts }: LeaseRequest): Promise<Lease[]> {
    const names = hosts === undefined ? null : textArray(hosts);
    const words = [this.#now(), maxHosts, entriesPerHost, microseconds(ttlMs), microseconds(delayMs), names];
    const rows = await this.#connection.call(this.#texts.lease, words);
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
    const order = slots
      .map((slot, at) => ({ slot, at }))
      .toSorted((a, b) => compare(a.slot.key, b.slot.key) || a.at - b.at);
    const keys = textArray(order.map(({ slot }) => slot.key));
    const delays = int8Array(order.map(({ slot }) => microseconds(slot.delayMs)));
    const [row] = await this.#connection.call(this.#texts.reserve, [this.#now(), keys, delays]);
    const waits: number[] = [];
    const us = readNumbers(row?.[0]);
    for (const [index, { at }] of order.entries()) waits[at] = Number(us[index]) / 1_000;
    return waits;
  }

  async readHost(host: string): Promise<StoredHost | null> {
    const [row] = await this.#connection.call(this.#texts.readHost, [this.#now(), host]);
    if (row === undefined) return null;
    const [state = null, queued, inHand, isLeased, isParked, dueInUs = null] = row;
    return {
      state: bytesOf(state),
      queued: Number(queued),
      inFlight: Number(inHand),
      isLeased: isLeased === 't',
      isParked: isParked === 't',
      dueInMs: dueInUs === null ? null : Number(dueInUs) / 1_000,
    };
  }

  async stats(): Promise<StoreStats> {
    const [row] = await this.#connection.call(this.#texts.stats, []);
    const [unfinished = 0, inHand = 0, known = 0, hosts = 0, leased = 0, parked = 0] = (row ?? []).map(Number);
    return { queued: unfinished - inHand, inFlight: inHand, known, hosts, leased, parked };
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

  /** Nothing: the server's own clock. */
  #now(): number | null {
    return this.#nowMs === null ? null : Math.floor(this.#nowMs() * 1_000);
  }
}

/** Every statement, in the crawl's schema. Bytes come as digits, whatever the server's way to write them. */
function textsOf(schema: string) {
  const commitPlaces = Array.from({ length: COMMIT_WORDS }, (_, at) => `$${at + 1}`).join(', ');
  const text = (sql: string) => inSchema(schema, sql);
  return {
    commit: text(`SELECT o_kept, encode(o_entries, 'hex'), o_fresh, o_full FROM $S.commit(${commitPlaces})`),
    lease: text(
      `SELECT key, fencingToken, encode(state, 'hex'), queued, encode(entries, 'hex') FROM $S.lease($1, $2, $3, $4, $5, $6)`,
    ),
    wake: text('SELECT $S.wake($1, $2)'),
    due: text(DUE_SQL),
    stats: text(STATS_SQL),
    reserve: text('SELECT $S.reserve($1, $2, $3)'),
    readHost: text(
      `SELECT encode(o_state, 'hex'), o_queued, o_in_hand, o_leased, o_parked, o_due FROM $S.read_host($1, $2)`,
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
