// The verbs of a store on a server: calls of functions that every kind of server has (scripts of Redis, functions of
// PostgreSQL), which do the work. Durations become microseconds, and what a server may have forgotten is added again.

import type { CommitAnswer, Entry, HostCommit, Lease, ListedHost, NewEntry, ScanListing } from '../../store.js';
import type { StoreVerbs } from '../checked-store.js';
import { createClockedLease } from './clock-watch.js';
import { Confirmed } from './confirmed.js';
import { microseconds, type ResolvedServerOptions } from './server-store.js';

/**
 * The functions of a server, with the columns of their rows; the scripts of Redis say what they take. Times are
 * microseconds from now, `since` is when the present server was first seen, truth is 1 or 0.
 *
 *   lease      the clock, since, nothing, -1 if the clock is too late; then host, token, state, queued, entries of each
 *   due        time until a host is due or nothing, since
 *   overdue    for how long a host has been due, longest first
 *   reserve    time to wait, for each slot
 *   readHost   state, queued, in flight, leased, parked, due in
 *   isKnown    a row if it is
 *   stats      unfinished, in flight, known, hosts
 *   clock      epoch microseconds
 *   scan       host, entries, time until they may be handed out; if there is more, at last: host, nothing, and three
 *              values for the place in it
 *   known      fingerprint, cursor
 *   hosts      host, state, delay, wait, parked, cursor
 *   wake, raise, know   no rows
 */
export type ServerFunction =
  | ('lease' | 'wake' | 'raise' | 'due' | 'overdue' | 'reserve' | 'readHost' | 'stats' | 'clock' | 'scan')
  | ('isKnown' | 'know' | 'known' | 'hosts');

export type ServerArgument = string | number | null | readonly (string | number)[];

/** Values are text, bytes or numbers as the server has them; `null` or `undefined`: nothing. */
export type Row = readonly unknown[];

/** One server as its client sees it. */
export interface ServerEngine extends Pick<StoreVerbs, 'readRecord' | 'writeRecord' | 'listRecords' | 'destroy'> {
  /** The most hosts of one call. */
  readonly maxHosts: number;
  /** `since`: as the server last said. A server that then has no crawl is not taken for a new one. */
  call(name: ServerFunction, values: readonly ServerArgument[], since: string | null): Promise<readonly Row[]>;
  /** `operation`: the number of the commit, by which a commit that runs twice is recognised. */
  commit(
    operation: number,
    hosts: readonly HostCommit[],
    links: readonly NewEntry[],
    since: string | null,
  ): Promise<CommitAnswer & { readonly since: string | null }>;
  /** The entries in a value of an answer. */
  readEntries(value: unknown): Entry[];
  /** Called after each commit. Resolves when it is as safe as the options ask. */
  replicate?(): Promise<void>;
}

/** Operation numbers are below this. */
const MAX_OPERATION = 2 ** 32;

/** @param shards - How many shards the crawl has, this one included. */
export function serverQueues(engine: ServerEngine, options: ResolvedServerOptions, shards: number): StoreVerbs {
  const { maxHosts, readRecord, writeRecord, listRecords, destroy } = engine;
  const leaseUnderClock = createClockedLease(options.monotonicMs);
  let operation = Math.floor(Math.random() * MAX_OPERATION);
  const call = (name: ServerFunction, values: readonly ServerArgument[] = []) =>
    engine.call(name, values, confirmed.serverSince);
  const confirmed: Confirmed = new Confirmed(shards, {
    ...options,
    add: async (links) => (await engine.commit(0, [], links, confirmed.serverSince)).links,
    delayHosts: (waits) => call('raise', [waits.map(({ host }) => host), waits.map(({ ms }) => microseconds(ms))]),
  });
  const queues: StoreVerbs = {
    get rollbacks() {
      return confirmed.rollbacks;
    },

    /** In batches of hosts, the links with the first batch. */
    async commit(hosts, links = []) {
      operation = (operation + 1) % MAX_OPERATION;
      const number = operation;
      const answer: CommitAnswer = { hosts: [], links: [] };
      for (let from = 0; from === 0 || from < hosts.length; from += maxHosts) {
        const entries = from === 0 ? links : [];
        const part = hosts.slice(from, from + maxHosts);
        const { since, ...committed } = await engine.commit(number, part, entries, confirmed.serverSince);
        await confirmed.answered(since);
        confirmed.note(entries, committed.links);
        for (const outcome of committed.links) answer.links.push(outcome);
        for (const host of committed.hosts) answer.hosts.push(host);
      }
      confirmed.noteWaits(hosts, answer.hosts);
      await engine.replicate?.();
      return answer;
    },

    async lease({ maxHosts: wanted, entriesPerHost, ttlMs, delayMs = 0, hosts = null }) {
      const leases: Lease[] = [];
      for (;;) {
        const count = Math.min(wanted - leases.length, maxHosts);
        if (count <= 0) return leases;
        const granted = await leaseUnderClock(async (latestUs) => {
          const durations = [microseconds(ttlMs), microseconds(delayMs)];
          const [first = [], ...rows] = await call('lease', [count, entriesPerHost, ...durations, latestUs, hosts]);
          const [nowUs, since, , refused] = first;
          await confirmed.answered(textOrNull(since));
          return { nowUs: Number(nowUs), granted: Number(refused) === -1 ? null : rows };
        });
        for (const [host, fencingToken, state, queued, entries] of granted) {
          leases.push({
            host: String(host),
            fencingToken: String(fencingToken),
            state: bytesOf(state),
            entries: engine.readEntries(entries),
            queued: Number(queued),
          });
        }
        if (granted.length < count || hosts !== null) return leases;
      }
    },

    async wake(host) {
      await call('wake', [host]);
    },

    async nextDueInMs() {
      const before = confirmed.rollbacks;
      const [row = []] = await call('due');
      await confirmed.answered(textOrNull(row[1]));
      // The links that were added again are due.
      return confirmed.rollbacks === before ? msOf(row[0]) : queues.nextDueInMs();
    },

    async overdueMs(limit) {
      return (await call('overdue', [limit])).map(([us]) => Number(us) / 1_000);
    },

    async reserve(slots) {
      const sorted = sortedWithIndex(slots, ({ key }) => key);
      const delaysUs = sorted.map(({ one }) => microseconds(one.delayMs));
      const rows = await call('reserve', [sorted.map(({ one }) => one.key), delaysUs]);
      const waits: number[] = [];
      for (const [index, { at }] of sorted.entries()) waits[at] = Number(rows[index]?.[0]) / 1_000;
      return waits;
    },

    async readHost(host) {
      const [row] = await call('readHost', [host]);
      if (row === undefined) return null;
      const [state, queued, inFlight, leased, parked, dueInUs] = row;
      return {
        state: bytesOf(state),
        queued: Number(queued),
        inFlight: Number(inFlight),
        isLeased: Number(leased) === 1,
        isParked: Number(parked) === 1,
        dueInMs: msOf(dueInUs),
      };
    },

    async stats() {
      const [row = []] = await call('stats');
      const [unfinished = 0, inFlight = 0, known = 0, hosts = 0] = row.map(Number);
      return { queued: unfinished - inFlight, inFlight, known, hosts };
    },

    async clockMs() {
      const [row = []] = await call('clock');
      return Number(row[0]) / 1_000;
    },

    /** The cursor is three values for the place within a host, and the host. */
    async scan(cursor, limit, host) {
      const [, phase = '0', first = '0', second = '0', where = host ?? ''] =
        /^(\S+) (\S+) (\S+) (.*)$/s.exec(cursor ?? '') ?? [];
      const items: ScanListing['items'] = [];
      for (const row of await call('scan', [limit, where, phase, first, second, host ?? null])) {
        const [at, entries, ...places] = row;
        if (isAbsent(entries)) return { cursor: [...places, at].join(' '), items };
        const waitMs = Number(places[0] ?? 0) / 1_000;
        for (const entry of engine.readEntries(entries))
          items.push({ host: String(at), entry, ...(waitMs > 0 ? { waitMs } : {}) });
      }
      return { cursor: null, items };
    },

    async isKnown(fingerprint) {
      return (await call('isKnown', [String(numberOf(fingerprint))])).length > 0;
    },

    async know(fingerprints) {
      await call('know', [fingerprints.map((one) => String(numberOf(one)))]);
    },

    async listKnown(cursor, limit) {
      const rows = await call('known', [cursor, limit]);
      return { cursor: cursorOf(rows, limit, 1), items: rows.map(([number]) => fingerprintOf(number)) };
    },

    async listHosts(cursor, limit) {
      const count = Math.min(limit, maxHosts);
      const rows = await call('hosts', [cursor, count]);
      const items = rows.map(([host, state, delayUs, waitUs, parked]): ListedHost => {
        return {
          host: String(host),
          state: bytesOf(state),
          delayMs: Number(delayUs) / 1_000,
          waitMs: Math.max(0, Number(waitUs) / 1_000),
          isParked: Number(parked) === 1,
        };
      });
      return { cursor: cursorOf(rows, count, 5), items };
    },

    readRecord,
    writeRecord,
    listRecords,
    destroy,
  };
  return queues;
}

/** A copy of the bytes of an answer, which may be hexadecimal digits; `null`: it has none. */
export function bytesOf(value: unknown): Uint8Array | null {
  if (isAbsent(value)) return null;
  return new Uint8Array(Buffer.isBuffer(value) ? value : Buffer.from(String(value), 'hex'));
}

function textOrNull(value: unknown): string | null {
  return isAbsent(value) ? null : String(value);
}

function msOf(us: unknown): number | null {
  return isAbsent(us) ? null : Number(us) / 1_000;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Where the next page begins; `null`: this page was not full, so it is the last one. */
function cursorOf(rows: readonly Row[], limit: number, column: number): string | null {
  return rows.length < limit ? null : textOrNull(rows.at(-1)?.[column]);
}

/** A fingerprint as a number: servers store it as one. */
export function numberOf(fingerprint: Uint8Array): bigint {
  return new DataView(fingerprint.buffer, fingerprint.byteOffset, fingerprint.byteLength).getBigInt64(0);
}

function fingerprintOf(digits: unknown): Uint8Array {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setBigInt64(0, BigInt(String(digits)));
  return fingerprint;
}

/** All items with their index, by name: rows are locked in one order, so that transactions do not deadlock. */
export function sortedWithIndex<T>(all: readonly T[], nameOf: (one: T) => string) {
  const named = all.map((one, at) => ({ one, at, name: nameOf(one) }));
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.at - b.at));
}
