// The verbs as calls of SQL functions, one round trip each. The `sql-*.ts` files have what the functions do.

import type { CommitAnswer, HostCommit, ListedHost, NewEntry, ScanListing } from '../../store.js';
import type { StoreQueues } from '../checked-store.js';
import { createClockedLease } from '../server/clock-watch.js';
import { Confirmed } from '../server/confirmed.js';
import { microseconds } from '../server/server-store.js';
import type { Connection, ResolvedPostgresOptions } from './connection.js';
import { REMOVE_SQL } from './schema.js';
import { RAISE_SQL } from './sql-lease.js';
import { DUE_SQL, OVERDUE_SQL, STATS_SQL } from './sql-read.js';
import { hostValues, laneNames, linkValues, listOf, readEntries, readNumbers, textsOf } from './values.js';

/** Operation numbers are below this. */
const MAX_OPERATION = 2 ** 47;
const COMMIT_ARGUMENTS = Array.from({ length: 16 }, (_, at) => `$${at + 1}`).join(', ');

// Answers have bytes as hexadecimal digits, whatever the server's settings.
const CALL_COMMIT = `SELECT o_kept, encode(o_entries, 'hex'), o_fresh, o_full, o_since FROM $S.commit(${COMMIT_ARGUMENTS})`;
const CALL_LEASE = `SELECT key, fencing_token, encode(state, 'hex'), queued, encode(entries, 'hex')
  FROM $S.lease($1, $2, $3, $4, $5, $6, $7)`;
const CALL_READ_HOST = `SELECT encode(o_state, 'hex'), o_queued, o_in_flight, o_leased, o_parked, o_due
  FROM $S.read_host($1, $2)`;
const NOW = '(SELECT coalesce($1::int8, (extract(epoch FROM clock_timestamp()) * 1000000)::int8) AS us) now';
const CALL_SCAN = `SELECT o_key, o_phase, o_first, o_second, encode(o_entry, 'hex'),
    CASE WHEN o_phase = 0 THEN o_first - now.us END
  FROM ${NOW}, $S.scan($2, $3, $4, $5, $6, $7)`;
const LIST_HOSTS = `SELECT key, encode(state, 'hex'), delay, parked, greatest(0, next_at, CASE WHEN lease_end > 0
    THEN lease_end + delay END, CASE WHEN crawl.lost_until > now.us THEN crawl.lost_until + delay END) - now.us
  FROM ${NOW}, $S.crawl, $S.host WHERE key > $2 ORDER BY key LIMIT $3`;
const LIST_KNOWN = 'SELECT fingerprint FROM $S.seen WHERE fingerprint > $1 ORDER BY fingerprint LIMIT $2';
/** Less than every fingerprint but one of the 2^64. */
const MIN_FINGERPRINT = '-9223372036854775808';
const KNOW = `WITH new AS (INSERT INTO $S.seen SELECT DISTINCT unnest($1::int8[]) ON CONFLICT DO NOTHING RETURNING 1)
  UPDATE $S.tally SET known = known + (SELECT count(*) FROM new) WHERE slot = 0`;
const LIST_RECORDS = `SELECT key, encode(value, 'hex') FROM $S.record
WHERE (key > $1 OR ($2 AND key = $1)) AND starts_with(key, $3) ORDER BY key LIMIT $4`;
const WRITE_RECORD = `INSERT INTO $S.record (key, value) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The verbs of an opened crawl. */
export function postgresQueues(connection: Connection, options: ResolvedPostgresOptions): StoreQueues {
  const { maxQueued, nowMs, monotonicMs } = options;
  const laneOf = laneNames();
  const leaseUnderClock = createClockedLease(monotonicMs);
  /** Numbers a commit, so that a commit that runs twice is recognised. */
  let operation = Math.floor(Math.random() * MAX_OPERATION);
  /** `null`: the server's own clock. */
  const now = () => (nowMs === null ? null : Math.floor(nowMs() * 1_000));
  /** Calls a statement whose first argument is the time. */
  const callNow = (sql: string, values: unknown[] = []) => connection.call(sql, [now(), ...values]);
  /** One call of `commit`: the outcomes of the links, and a row for each host. `since`: which server answered. */
  const send = async (number: number, hosts: readonly HostCommit[], links: readonly NewEntry[]) => {
    const linked = linkValues(links, laneOf);
    const values = [number, maxQueued, ...linked.values, ...hostValues(hosts, laneOf)];
    const [first = [], ...rows] = await callNow(CALL_COMMIT, values);
    const [, , fresh, full, since = null] = first;
    return { since, outcomes: linked.outcomes(readNumbers(fresh), readNumbers(full)), rows };
  };
  const confirmed = new Confirmed(1, {
    ...options,
    add: async (links) => (await send(0, [], links)).outcomes,
    delayHosts: (waits) => {
      const durations = listOf(waits.map(({ ms }) => microseconds(ms)));
      return callNow(RAISE_SQL, [textsOf(waits.map(({ host }) => host)), durations]);
    },
  });
  const queues: StoreQueues = {
    get rollbacks() {
      return confirmed.rollbacks;
    },

    async commit(hosts, links = []) {
      operation = (operation + 1) % MAX_OPERATION;
      const order = sortedWithIndex(hosts, ({ host }) => host);
      const parts = order.map(({ one }) => one);
      const { since, outcomes, rows } = await send(operation, parts, links);
      await confirmed.answered(since);
      confirmed.note(links, outcomes);
      const answer: CommitAnswer = { hosts: [], links: outcomes };
      for (const [index, { at }] of order.entries()) {
        const [isOurs, entries = null] = rows[index] ?? [];
        answer.hosts[at] = isOurs === 't' ? { ok: true, entries: readEntries(entries) } : { ok: false, reason: 'lost' };
      }
      confirmed.noteWaits(hosts, answer.hosts);
      return answer;
    },

    async lease({ maxHosts, entriesPerHost, ttlMs, delayMs = 0, hosts }) {
      const names = hosts === undefined ? null : textsOf(hosts);
      const rows = await leaseUnderClock(async (latestUs) => {
        const durations = [microseconds(ttlMs), microseconds(delayMs)];
        const values = [maxHosts, entriesPerHost, ...durations, latestUs, names];
        const [first, ...leased] = await callNow(CALL_LEASE, values);
        await confirmed.answered(first?.[1] ?? null);
        return { nowUs: Number(first?.[0]), granted: first?.[3] === '-1' ? null : leased };
      });
      return rows.map(([host, fencingToken, state = null, queued, entries = null]) => ({
        host: host ?? '',
        fencingToken: fencingToken ?? '',
        state: bytesOf(state),
        entries: readEntries(entries),
        queued: Number(queued),
      }));
    },

    async wake(host) {
      await callNow('SELECT $S.wake($1, $2)', [host]);
    },

    async nextDueInMs() {
      const before = confirmed.rollbacks;
      const [row] = await callNow(DUE_SQL);
      const [us = null, since = null] = row ?? [];
      await confirmed.answered(since);
      // The links that were added again are due.
      if (confirmed.rollbacks !== before) return queues.nextDueInMs();
      return us === null ? null : Number(us) / 1_000;
    },

    async overdueMs(limit) {
      const rows = await callNow(OVERDUE_SQL, [limit]);
      return rows.map(([us]) => Number(us) / 1_000);
    },

    async reserve(slots) {
      const order = sortedWithIndex(slots, ({ key }) => key);
      const keys = textsOf(order.map(({ one }) => one.key));
      const delays = listOf(order.map(({ one }) => microseconds(one.delayMs)));
      const [row] = await callNow('SELECT $S.reserve($1, $2, $3)', [keys, delays]);
      const waits: number[] = [];
      const us = readNumbers(row?.[0]);
      for (const [index, { at }] of order.entries()) waits[at] = Number(us[index]) / 1_000;
      return waits;
    },

    async readHost(host) {
      const [row] = await callNow(CALL_READ_HOST, [host]);
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
    },

    async clockMs() {
      const [row] = await callNow(`SELECT us FROM ${NOW}`, []);
      return Number(row?.[0]) / 1_000;
    },

    async destroy() {
      await connection.run(REMOVE_SQL);
    },

    async stats() {
      const [row] = await connection.call(STATS_SQL);
      const [unfinished = 0, inFlight = 0, known = 0, hosts = 0] = (row ?? []).map(Number);
      return { queued: unfinished - inFlight, inFlight, known, hosts };
    },

    /** The cursor is the phase, two numbers for the place in it, and the host. */
    async scan(cursor, limit, host) {
      const [, phase = '0', first = '0', second = '0', key = host ?? ''] =
        /^(\d) (-?\d+) (\d+) (.*)$/s.exec(cursor ?? '') ?? [];
      const where = [key, phase, first, second, host !== undefined];
      const rows = await callNow(CALL_SCAN, [limit, ...where]);
      const items: ScanListing['items'] = [];
      for (const [name, at, one, two, hex = null, waitUs] of rows) {
        if (hex === null) return { cursor: `${at} ${one} ${two} ${name}`, items };
        const waitMs = Number(waitUs ?? 0) / 1_000;
        for (const entry of readEntries(hex))
          items.push({ host: name ?? '', entry, ...(waitMs > 0 ? { waitMs } : {}) });
      }
      return { cursor: null, items };
    },

    async know(fingerprints) {
      const numbers = fingerprints.map((one) => new DataView(one.buffer, one.byteOffset).getBigInt64(0));
      await connection.call(KNOW, [listOf(numbers)]);
    },

    /** The cursor is the last fingerprint. */
    async listKnown(cursor, limit) {
      const rows = await connection.call(LIST_KNOWN, [cursor ?? MIN_FINGERPRINT, limit]);
      const items = rows.map(([number]) => {
        const fingerprint = new Uint8Array(8);
        new DataView(fingerprint.buffer).setBigInt64(0, BigInt(number ?? 0));
        return fingerprint;
      });
      return { cursor: rows.length < limit ? null : (rows.at(-1)?.[0] ?? null), items };
    },

    /** The cursor is the last host. */
    async listHosts(cursor, limit) {
      const rows = await callNow(LIST_HOSTS, [cursor ?? '', limit]);
      const items = rows.map(([host, state = null, delayUs, parked, waitUs]): ListedHost => {
        const waitMs = Math.max(0, Number(waitUs) / 1_000);
        return {
          host: host ?? '',
          state: bytesOf(state),
          delayMs: Number(delayUs) / 1_000,
          waitMs,
          isParked: parked === 't',
        };
      });
      return { cursor: rows.length < limit ? null : (rows.at(-1)?.[0] ?? null), items };
    },

    async readRecord(key) {
      const [row] = await connection.call(`SELECT encode(value, 'hex') FROM $S.record WHERE key = $1`, [key]);
      return bytesOf(row?.[0] ?? null);
    },

    async writeRecord(key, value) {
      if (value === null) await connection.call('DELETE FROM $S.record WHERE key = $1', [key]);
      else await connection.call(WRITE_RECORD, [key, Buffer.from(value.buffer, value.byteOffset, value.byteLength)]);
    },

    async listRecords(prefix, cursor, limit) {
      const rows = await connection.call(LIST_RECORDS, [cursor ?? prefix, cursor === null, prefix, limit + 1]);
      const items = rows.slice(0, limit).map(([key, hex]) => ({ key: String(key), value: bytesOf(hex ?? '')! }));
      return { cursor: rows.length > limit ? items.at(-1)!.key : null, items };
    },
  };
  return queues;
}

function bytesOf(hex: string | null): Uint8Array | null {
  return hex === null ? null : new Uint8Array(Buffer.from(hex, 'hex'));
}

/** All items with their index, by name: rows are locked in one order, so that transactions do not deadlock. */
function sortedWithIndex<T>(all: readonly T[], nameOf: (one: T) => string): { readonly one: T; readonly at: number }[] {
  const named = all.map((one, at) => ({ one, at, name: nameOf(one) }));
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.at - b.at));
}
