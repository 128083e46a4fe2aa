// The verbs on one shard. The scripts have what they do.

import type { CommitAnswer, HostCommit, Lease, ListedHost, NewEntry } from '../../store.js';
import type { StoreVerbs } from '../checked-store.js';
import { createClockedLease } from '../server/clock-watch.js';
import { Confirmed } from '../server/confirmed.js';
import { microseconds } from '../server/server-store.js';
import type { Connection, ResolvedRedisOptions, ScriptName, ScriptValue } from './connection.js';
import {
  bytesOf,
  commitValues,
  fingerprintText,
  laneNames,
  listOf,
  readEntry,
  readFingerprint,
  readHostAnswer,
  readLease,
  readOutcomes,
} from './values.js';

/** The most hosts of one script, during which the server answers no other client. */
const MAX_HOSTS_PER_SCRIPT = 256;
/** Approximate number of fingerprints in a bucket. */
const PER_BUCKET = 330;
/** The most characters of a record's key for the key to be listed. */
const MAX_LISTED_KEY_CHARS = 100;
/** Operation numbers are below this. */
const MAX_OPERATION = 2 ** 32;

/**
 * The verbs on one shard.
 *
 * @param options - `shards`: how many the crawl has.
 * @param crawlKey - The key that names the crawl; `null`: another shard has it.
 */
export function redisQueues(
  connection: Connection,
  options: ResolvedRedisOptions,
  crawlKey: string | null,
): StoreVerbs {
  const { shards, maxQueued, monotonicMs, nowMs, waitReplicas } = options;
  const laneOf = laneNames();
  const leaseUnderClock = createClockedLease(monotonicMs);
  /** Numbers a commit, so that a commit that runs twice is recognised. */
  let lastOperation = Math.floor(Math.random() * MAX_OPERATION);
  /** Runs a script. Its first value: the clock (nothing: the server's own), and the last `since` of the server. */
  const run = (name: ScriptName, values: readonly ScriptValue[] = []): Promise<unknown> => {
    const now = nowMs === null ? '' : Math.floor(nowMs() * 1_000);
    return connection.run(name, [`${now},${confirmed.serverSince ?? ''}`, ...values]);
  };
  // Each shard counts its own operations.
  const runCommit = (number: number, hosts: readonly HostCommit[], links: readonly NewEntry[]) =>
    run('commit', commitValues(number, Math.ceil(maxQueued / shards), hosts, links, laneOf));
  const confirmed: Confirmed = new Confirmed(shards, {
    ...options,
    add: async (links) => readOutcomes(listOf(await runCommit(0, [], links))[1]),
    delayHosts: (waits) => {
      const values = waits.flatMap(({ host, ms }) => [host, microseconds(ms)]);
      return run('raise', values);
    },
  });
  /** Reads an answer whose first part says which server gave it. */
  const readAnswer = async (answer: Promise<unknown>): Promise<unknown[]> => {
    const [since, ...rest] = listOf(await answer);
    await confirmed.answered(String(since));
    return rest;
  };
  const onRecord = (command: string, key: string, ...values: Buffer[]) =>
    connection.call(command, [`${connection.base}r${key}`, ...values]);
  const readRecord = async (key: string) => bytesOf(await onRecord('GET', key));
  const queues: StoreVerbs = {
    get rollbacks() {
      return confirmed.rollbacks;
    },

    /** In batches of hosts, the links with the first batch. */
    async commit(hosts, links = []) {
      lastOperation = (lastOperation + 1) % MAX_OPERATION;
      const operation = lastOperation;
      const answer: CommitAnswer = { hosts: [], links: [] };
      for (let from = 0; from === 0 || from < hosts.length; from += MAX_HOSTS_PER_SCRIPT) {
        const part = hosts.slice(from, from + MAX_HOSTS_PER_SCRIPT);
        const entries = from === 0 ? links : [];
        const [letters, ...rest] = await readAnswer(runCommit(operation, part, entries));
        const outcomes = readOutcomes(letters);
        confirmed.note(entries, outcomes);
        for (const outcome of outcomes) answer.links.push(outcome);
        for (const index of part.keys()) answer.hosts.push(readHostAnswer(rest[index]));
      }
      confirmed.noteWaits(hosts, answer.hosts);
      if (waitReplicas > 0) await connection.waitForReplicas(waitReplicas);
      return answer;
    },

    async lease({ maxHosts, entriesPerHost, ttlMs, delayMs = 0, hosts }) {
      const leases: Lease[] = [];
      for (;;) {
        const count = Math.min(maxHosts - leases.length, MAX_HOSTS_PER_SCRIPT);
        if (count <= 0) return leases;
        const selection = hosts === undefined ? [0] : [1, ...hosts];
        const granted = await leaseUnderClock(async (latestUs) => {
          const values = [
            count,
            entriesPerHost,
            microseconds(ttlMs),
            microseconds(delayMs),
            latestUs ?? '',
            ...selection,
          ];
          const [nowUs, leased] = await readAnswer(run('lease', values));
          return { nowUs: Number(nowUs), granted: leased === null ? null : listOf(leased) };
        });
        for (const one of granted) leases.push(readLease(listOf(one)));
        if (granted.length < count || hosts !== undefined) return leases;
      }
    },

    async wake(host) {
      await run('wake', [host]);
    },

    async nextDueInMs() {
      const before = confirmed.rollbacks;
      const [us] = await readAnswer(run('due'));
      // The links that were added again are due.
      if (confirmed.rollbacks !== before) return queues.nextDueInMs();
      return us === null ? null : Number(us) / 1_000;
    },

    async overdueMs(limit) {
      return listOf(await run('late', [limit])).map((us) => Number(us) / 1_000);
    },

    readRecord,

    /**
     * A key is listed before its record is written, and unlisted after it is removed. A listing skips keys without a
     * record.
     */
    async writeRecord(key, value) {
      const names = `${connection.base}n`;
      if (value === null) {
        await onRecord('DEL', key);
        await connection.call('ZREM', [names, key]);
        return;
      }
      if (key.length <= MAX_LISTED_KEY_CHARS) await connection.call('ZADD', [names, 0, key]);
      await onRecord('SET', key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    },

    /** The cursor is the last key. */
    async listRecords(prefix, cursor, limit) {
      const first = cursor === null ? `[${prefix}` : `(${cursor}`;
      const range = [`${connection.base}n`, first, `[${prefix}\xff`, 'LIMIT', 0, limit];
      const keys = listOf(await connection.call('ZRANGEBYLEX', range)).map(String);
      const values = await Promise.all(keys.map((key) => readRecord(key)));
      const items = keys.flatMap((key, at) => {
        const value = values[at] ?? null;
        return value === null ? [] : [{ key, value }];
      });
      return { cursor: keys.length === limit ? keys.at(-1)! : null, items };
    },

    async reserve(slots) {
      const values = slots.flatMap(({ key, delayMs }) => [key, microseconds(delayMs)]);
      return listOf(await run('reserve', values)).map((us) => Number(us) / 1_000);
    },

    async readHost(host) {
      const answer = await run('readHost', [host]);
      if (answer === null) return null;
      const [state, queued, inFlight, leased, parked, inUs] = listOf(answer);
      return {
        state: bytesOf(state),
        queued: Number(queued),
        inFlight: Number(inFlight),
        isLeased: Number(leased) === 1,
        isParked: Number(parked) === 1,
        dueInMs: inUs === null || inUs === undefined ? null : Number(inUs) / 1_000,
      };
    },

    async stats() {
      const counts = listOf(await run('stats')).map(Number);
      const [unfinished = 0, inFlight = 0, known = 0, hosts = 0] = counts;
      return { queued: unfinished - inFlight, inFlight, known, hosts };
    },

    async clockMs() {
      return Number(await run('clock')) / 1_000;
    },

    /** The cursor is the number of the host, and the place within it. */
    async scan(cursor, limit, host) {
      const where = cursor?.split(' ') ?? ['0', 'i', '0', '0'];
      const [next, found] = listOf(await run('scan', [limit, ...where, host ?? '']));
      const listed = listOf(found) as Buffer[];
      const hosts = listed.filter((_, at) => at % 3 === 0);
      const items = hosts.map((name, at) => {
        const waitMs = Number(listed[3 * at + 2]) / 1_000;
        const entry = readEntry(listed[3 * at + 1]!);
        return { host: name.toString(), entry, ...(waitMs > 0 ? { waitMs } : {}) };
      });
      return { cursor: next === null ? null : listOf(next).map(String).join(' '), items };
    },

    async know(fingerprints) {
      await run('know', fingerprints.map(fingerprintText));
    },

    /** The cursor is the number of a bucket. */
    async listKnown(cursor, limit) {
      const [known, next] = listOf(await run('known', [cursor ?? 0, Math.ceil(limit / PER_BUCKET)]));
      return { cursor: next === null ? null : String(next), items: listOf(known).map(readFingerprint) };
    },

    /** The cursor is the number of a host. */
    async listHosts(cursor, limit) {
      const [found, next] = listOf(await run('hosts', [cursor ?? 0, Math.min(limit, MAX_HOSTS_PER_SCRIPT)]));
      const items = listOf(found).map((each): ListedHost => {
        const [host, state, delayUs, waitUs, parked] = listOf(each);
        return {
          host: String(host),
          state: bytesOf(state),
          delayMs: Number(delayUs) / 1_000,
          waitMs: Number(waitUs) / 1_000,
          isParked: Number(parked) === 1,
        };
      });
      return { cursor: next === null ? null : String(next), items };
    },

    /**
     * The key that names the crawl, the only one with a `c` there, is removed last: until then `destroy` can be called
     * again.
     */
    async destroy() {
      const pattern = `${connection.base.replaceAll(/[*?[\]\\]/g, '\\$&')}[^c]*`;
      let cursor = '0';
      do cursor = String(await connection.run('destroy', [',', cursor, pattern]));
      while (cursor !== '0');
      if (crawlKey !== null) await connection.call('DEL', [crawlKey]);
    },
  };
  return queues;
}
