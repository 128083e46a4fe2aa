// The verbs on one shard. What they do is in the scripts.

import type { CommitAnswer, HostCommit, Lease, LeaseRequest, ListedHost, NewEntry, ReserveSlot } from '../../store.js';
import type { StoreQueues } from '../checked-store.js';
import { createClockedLease } from '../server/clock-watch.js';
import { Confirmed } from '../server/confirmed.js';
import { microseconds } from '../server/server-store.js';
import type { Connection, ResolvedRedisOptions, ScriptName, ScriptValue } from './connection.js';
import {
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

/** Hosts of one script, during which the server answers no other client. */
const HOSTS_PER_SCRIPT = 256;
/** Fingerprints of a bucket, about. */
const PER_BUCKET = 330;
/** Keys of records that are listed have at most so many characters. */
const LISTED_KEY_CHARS = 100;
/** Operation numbers are below this. */
const OPERATIONS = 2 ** 32;

export class RedisQueues implements StoreQueues {
  readonly #connection: Connection;
  readonly #crawlKey: string | null;
  readonly #options: ResolvedRedisOptions;
  readonly #maxQueued: number;
  readonly #laneOf = laneNames();
  /** Numbers a commit, so that one that runs twice is recognised. */
  #operation = Math.floor(Math.random() * OPERATIONS);

  readonly #confirmed: Confirmed;
  readonly #leaseUnderClock: ReturnType<typeof createClockedLease>;

  /** `shards`: those that the crawl has. @param crawlKey - That which names the crawl; `null`: another shard has it. */
  constructor(connection: Connection, options: ResolvedRedisOptions, crawlKey: string | null) {
    const { shards, maxQueued, monotonicMs } = options;
    this.#connection = connection;
    this.#crawlKey = crawlKey;
    this.#options = options;
    this.#leaseUnderClock = createClockedLease(monotonicMs);
    // Each shard counts its own.
    this.#maxQueued = Math.ceil(maxQueued / shards);
    this.#confirmed = new Confirmed(shards, {
      ...options,
      add: async (links) => readOutcomes(listOf(await this.#run('commit', this.#commitValues(0, [], links)))[1]),
      raise: (waits) => {
        const values = waits.flatMap(({ host, ms }) => [host, microseconds(ms)]);
        return this.#run('raise', values);
      },
    });
  }

  get rollbacks(): number {
    return this.#confirmed.rollbacks;
  }

  /** So many hosts at a time, the links with the first of them. */
  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []): Promise<CommitAnswer> {
    this.#operation = (this.#operation + 1) % OPERATIONS;
    const operation = this.#operation;
    const { waitReplicas } = this.#options;
    const answer: CommitAnswer = { hosts: [], links: [] };
    for (let from = 0; from === 0 || from < hosts.length; from += HOSTS_PER_SCRIPT) {
      const part = hosts.slice(from, from + HOSTS_PER_SCRIPT);
      const entries = from === 0 ? links : [];
      const [letters, ...rest] = await this.#ask('commit', this.#commitValues(operation, part, entries));
      const outcomes = readOutcomes(letters);
      this.#confirmed.note(entries, outcomes);
      for (const outcome of outcomes) answer.links.push(outcome);
      for (const index of part.keys()) answer.hosts.push(readHostAnswer(rest[index]));
    }
    this.#confirmed.noteWaits(hosts, answer.hosts);
    if (waitReplicas > 0) await this.#connection.untilCopied(waitReplicas);
    return answer;
  }

  async lease({ maxHosts, entriesPerHost, ttlMs, delayMs = 0, hosts }: LeaseRequest): Promise<Lease[]> {
    const leases: Lease[] = [];
    for (;;) {
      const count = Math.min(maxHosts - leases.length, HOSTS_PER_SCRIPT);
      if (count <= 0) return leases;
      const which = hosts === undefined ? [0] : [1, ...hosts];
      const granted = await this.#leaseUnderClock(async (latestUs) => {
        const values = [count, entriesPerHost, microseconds(ttlMs), microseconds(delayMs), latestUs ?? '', ...which];
        const [nowUs, leased] = await this.#ask('lease', values);
        return { nowUs: Number(nowUs), granted: leased === null ? null : listOf(leased) };
      });
      for (const one of granted) leases.push(readLease(listOf(one), ttlMs));
      if (granted.length < count || hosts !== undefined) return leases;
    }
  }

  async wake(host: string) {
    await this.#run('wake', [host]);
  }

  async nextDueInMs(): Promise<number | null> {
    const before = this.rollbacks;
    const [us] = await this.#ask('due', []);
    // What was added again is due.
    if (this.rollbacks !== before) return this.nextDueInMs();
    return us === null ? null : Number(us) / 1_000;
  }

  async overdueMs(most: number) {
    return listOf(await this.#run('late', [most])).map((us) => Number(us) / 1_000);
  }

  async readRecord(key: string) {
    const bytes = await this.#onRecord('GET', key);
    return Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : null;
  }

  /** A key is listed before its record is written, and after it is removed: a listing skips what is not there. */
  async writeRecord(key: string, value: Uint8Array | null) {
    const names = `${this.#connection.base}n`;
    if (value === null) {
      await this.#onRecord('DEL', key);
      await this.#connection.call('ZREM', [names, key]);
      return;
    }
    if (key.length <= LISTED_KEY_CHARS) await this.#connection.call('ZADD', [names, 0, key]);
    await this.#onRecord('SET', key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }

  /** The cursor is the last key. */
  async listRecords(prefix: string, cursor: string | null, limit: number) {
    const first = cursor === null ? `[${prefix}` : `(${cursor}`;
    const range = [`${this.#connection.base}n`, first, `[${prefix}\xff`, 'LIMIT', 0, limit];
    const keys = listOf(await this.#connection.call('ZRANGEBYLEX', range)).map(String);
    const values = await Promise.all(keys.map((key) => this.readRecord(key)));
    const items = keys.flatMap((key, at) => {
      const value = values[at] ?? null;
      return value === null ? [] : [{ key, value }];
    });
    return { cursor: keys.length === limit ? keys.at(-1)! : null, items };
  }

  async reserve(slots: readonly ReserveSlot[]) {
    const values = slots.flatMap(({ key, delayMs }) => [key, microseconds(delayMs)]);
    return listOf(await this.#run('reserve', values)).map((us) => Number(us) / 1_000);
  }

  async readHost(host: string) {
    const answer = await this.#run('readHost', [host]);
    if (answer === null) return null;
    const [state, queued, inFlight, leased, parked, inUs] = listOf(answer);
    return {
      state: Buffer.isBuffer(state) ? new Uint8Array(state) : null,
      queued: Number(queued),
      inFlight: Number(inFlight),
      isLeased: Number(leased) === 1,
      isParked: Number(parked) === 1,
      dueInMs: inUs === null || inUs === undefined ? null : Number(inUs) / 1_000,
    };
  }

  async stats() {
    const counts = listOf(await this.#run('stats', [])).map(Number);
    const [unfinished = 0, inFlight = 0, known = 0, hosts = 0, leased = 0, parked = 0] = counts;
    return { queued: unfinished - inFlight, inFlight, known, hosts, leased, parked };
  }

  async clockMs() {
    return Number(await this.#run('clock', [])) / 1_000;
  }

  /** The cursor is the number of the host, and the place in it. */
  async scan(cursor: string | null, limit: number, host?: string) {
    const where = cursor?.split(' ') ?? ['0', 'i', '0', '0'];
    const [next, found] = listOf(await this.#run('scan', [limit, ...where, host ?? '']));
    const listed = listOf(found) as Buffer[];
    const hosts = listed.filter((_, at) => at % 3 === 0);
    const items = hosts.map((name, at) => {
      const waitMs = Number(listed[3 * at + 2]) / 1_000;
      const entry = readEntry(listed[3 * at + 1]!);
      return { host: name.toString(), entry, ...(waitMs > 0 ? { waitMs } : {}) };
    });
    return { cursor: next === null ? null : listOf(next).map(String).join(' '), items };
  }

  async know(fingerprints: readonly Uint8Array[]) {
    await this.#run('know', fingerprints.map(fingerprintText));
  }

  /** The cursor is the number of a bucket. */
  async listKnown(cursor: string | null, limit: number) {
    const [known, next] = listOf(await this.#run('known', [cursor ?? 0, Math.ceil(limit / PER_BUCKET)]));
    return { cursor: next === null ? null : String(next), items: listOf(known).map(readFingerprint) };
  }

  /** The cursor is the number of a host. */
  async listHosts(cursor: string | null, limit: number) {
    const [found, next] = listOf(await this.#run('hosts', [cursor ?? 0, Math.min(limit, HOSTS_PER_SCRIPT)]));
    const items = listOf(found).map((each): ListedHost => {
      const [host, state, delayUs, waitUs, parked] = listOf(each);
      return {
        host: String(host),
        state: Buffer.isBuffer(state) ? new Uint8Array(state) : null,
        delayMs: Number(delayUs) / 1_000,
        waitMs: Number(waitUs) / 1_000,
        isParked: Number(parked) === 1,
      };
    });
    return { cursor: next === null ? null : String(next), items };
  }

  /** The key that names the crawl, the only one with a `c` there, goes last: until then it can be called again. */
  async destroy() {
    const pattern = `${this.#connection.base.replaceAll(/[*?[\]\\]/g, '\\$&')}[^c]*`;
    let cursor = '0';
    do cursor = String(await this.#connection.run('destroy', [',', cursor, pattern]));
    while (cursor !== '0');
    if (this.#crawlKey !== null) await this.#connection.call('DEL', [this.#crawlKey]);
  }

  #onRecord(command: string, key: string, ...values: Buffer[]): Promise<unknown> {
    return this.#connection.call(command, [`${this.#connection.base}r${key}`, ...values]);
  }

  #commitValues(operation: number, hosts: readonly HostCommit[], links: readonly NewEntry[]): ScriptValue[] {
    return commitValues(operation, this.#maxQueued, hosts, links, this.#laneOf);
  }

  /** Runs a script that says which server answers. */
  async #ask(name: 'commit' | 'lease' | 'due', values: readonly ScriptValue[]): Promise<unknown[]> {
    const [since, ...rest] = listOf(await this.#run(name, values));
    await this.#confirmed.answered(String(since));
    return rest;
  }

  /** Runs a script. Its first value: the clock, nothing for the server's own, and what was heard of the server. */
  #run(name: ScriptName, values: readonly ScriptValue[]): Promise<unknown> {
    const { nowMs } = this.#options;
    const now = nowMs === null ? '' : Math.floor(nowMs() * 1_000);
    return this.#connection.run(name, [`${now},${this.#confirmed.since ?? ''}`, ...values]);
  }
}
