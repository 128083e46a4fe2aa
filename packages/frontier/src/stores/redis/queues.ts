// The verbs over all shards: which shard each part goes to, and how the answers make one. What a shard does is in the
// scripts.

import type { CommitAnswer, HostCommit, Lease, LeaseRequest, NewEntry, ReserveSlot } from '../../store.js';
import type { StoreQueues } from '../checked-store.js';
import { type ClockedAnswer, ClockWatch, underClock } from '../server/clock-watch.js';
import { ConfirmedLinks, rolledBack } from '../server/confirmed-links.js';
import type { Connection, ResolvedRedisOptions, ScriptName, ScriptValue } from './connection.js';
import { byShard, crawlKey, type Placed, shardBase, shardOf } from './shards.js';
import {
  laneNames,
  listOf,
  microseconds,
  putCommit,
  putEntries,
  readEntry,
  readHostAnswer,
  readLease,
  readOutcome,
} from './values.js';

/** Hosts of one script, during which the server answers no other client. */
const HOSTS_PER_SCRIPT = 256;
/** Links of one script that adds again. */
const LINKS_PER_SCRIPT = 1_024;
/** Keys of records that are listed have at most so many characters. */
const LISTED_KEY_CHARS = 100;
/** Operation numbers are below this. */
const OPERATIONS = 2 ** 32;

export class RedisQueues implements StoreQueues {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #bases: readonly string[];
  readonly #maxQueued: number;
  readonly #nowMs: (() => number) | null;
  readonly #laneOf = laneNames();
  /** Numbers a commit, so that one that runs twice is recognised. */
  #operation = Math.floor(Math.random() * OPERATIONS);

  readonly #links: ConfirmedLinks;
  /** That of each shard's server. */
  readonly #clocks: readonly ClockWatch[];
  readonly #onNotice: ResolvedRedisOptions['onNotice'];
  /** Links that may be lost are there again. */
  #restored: Promise<void> | null = null;

  /** `shards`: those that the crawl has. */
  constructor(
    connection: Connection,
    { prefix, shards, maxQueued, nowMs, monotonicMs, onNotice }: ResolvedRedisOptions,
  ) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#links = new ConfirmedLinks(shards);
    this.#onNotice = onNotice;
    this.#bases = Array.from({ length: shards }, (_, shard) => shardBase(prefix, shard, shards));
    this.#clocks = monotonicMs === null ? [] : this.#bases.map(() => new ClockWatch(monotonicMs));
    // Each shard counts its own.
    this.#maxQueued = Math.ceil(maxQueued / shards);
    this.#nowMs = nowMs;
  }

  get rollbacks(): number {
    return this.#links.rollbacks;
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []): Promise<CommitAnswer> {
    const linksOf = byShard(links, this.#bases.length, ({ host }) => host);
    const hostsOf = byShard(hosts, this.#bases.length, ({ host }) => host);
    const answer: CommitAnswer = { hosts: [], links: [] };
    this.#operation = (this.#operation + 1) % OPERATIONS;
    const operation = this.#operation;
    // With one shard all of it is one step. Else every link is kept before any host changes (C5).
    const isOneStep = [...linksOf.keys()].every((shard) => hostsOf.size === 1 && hostsOf.has(shard));
    if (!isOneStep) {
      await Promise.all([...linksOf].map(([shard, part]) => this.#commitTo(shard, operation, part, [], answer)));
    }
    const commitHosts = ([shard, part]: readonly [number, readonly Placed<HostCommit>[]]) =>
      this.#commitTo(shard, operation, isOneStep ? (linksOf.get(shard) ?? []) : [], part, answer);
    await Promise.all([...hostsOf].map(commitHosts));
    return answer;
  }

  async lease(request: LeaseRequest): Promise<Lease[]> {
    const { hosts, maxHosts } = request;
    if (hosts !== undefined) return this.#leaseNamed(request, hosts);
    if (this.#bases.length === 1) return (await this.#leaseFrom(0, request, maxHosts)).map(({ lease }) => lease);
    const quotas = await this.#oldest(maxHosts);
    const granted = await Promise.all([...quotas].map(([shard, count]) => this.#leaseFrom(shard, request, count)));
    const oldestFirst = granted.flat().sort((a, b) => b.lateUs - a.lateUs);
    return oldestFirst.map(({ lease }) => lease);
  }

  async wake(host: string) {
    await this.#onHost(host, 'wake');
  }

  async nextDueInMs(): Promise<number | null> {
    const before = this.#links.rollbacks;
    const answers = await Promise.all(this.#bases.map((_, shard) => this.#ask('due', shard, [])));
    // What was added again is due.
    if (this.#links.rollbacks !== before) return this.nextDueInMs();
    const inUs = answers.flatMap(([us]) => (us === null ? [] : Number(us)));
    return inUs.length === 0 ? null : Math.min(...inUs) / 1_000;
  }

  async readRecord(key: string) {
    const bytes = await this.#onRecord('GET', key);
    return Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : null;
  }

  /** A key is listed before its record is written, and after it is removed: a listing skips what is not there. */
  async writeRecord(key: string, value: Uint8Array | null) {
    const names = `${this.#bases[this.#shardOf(key)]}n`;
    if (value === null) {
      await this.#onRecord('DEL', key);
      await this.#connection.call('ZREM', [names, key]);
      return;
    }
    if (key.length <= LISTED_KEY_CHARS) await this.#connection.call('ZADD', [names, 0, key]);
    await this.#onRecord('SET', key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }

  /** The cursor is a shard and a key of it. */
  async listRecords(prefix: string, cursor: string | null, limit: number) {
    const [, shardText = '0', after = ''] = /^(\d+) (.*)$/s.exec(cursor ?? '') ?? [];
    const shard = Number(shardText);
    const first = after === '' ? `[${prefix}` : `(${after}`;
    const range = [`${this.#bases[shard]}n`, first, `[${prefix}\xff`, 'LIMIT', 0, limit];
    const keys = listOf(await this.#connection.call('ZRANGEBYLEX', range)).map(String);
    const values = await Promise.all(keys.map((key) => this.readRecord(key)));
    const items = keys.flatMap((key, at) => {
      const value = values[at] ?? null;
      return value === null ? [] : [{ key, value }];
    });
    if (keys.length === limit) return { cursor: `${shard} ${keys.at(-1)}`, items };
    return { cursor: shard + 1 < this.#bases.length ? `${shard + 1} ` : null, items };
  }

  async reserve(slots: readonly ReserveSlot[]) {
    const waits: number[] = [];
    const reserveOn = async ([shard, part]: readonly [number, readonly Placed<ReserveSlot>[]]) => {
      const values = part.flatMap(({ one }) => [one.key, microseconds(one.delayMs)]);
      const answer = listOf(await this.#run('reserve', shard, values));
      for (const [index, { at }] of part.entries()) waits[at] = Number(answer[index]) / 1_000;
    };
    await Promise.all([...byShard(slots, this.#bases.length, ({ key }) => key)].map(reserveOn));
    return waits;
  }

  async readHost(host: string) {
    const answer = await this.#onHost(host, 'readHost');
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
    const answers = (await this.#onAll('stats', [])).map((answer) => listOf(answer).map(Number));
    const sum = (at: number) => answers.reduce((total, counts) => total + (counts[at] ?? 0), 0);
    const inFlight = sum(1);
    return { queued: sum(0) - inFlight, inFlight, known: sum(2), hosts: sum(3), leased: sum(4), parked: sum(5) };
  }

  /** The cursor is the shard, the number of the host in it, and the place in the host. */
  async scan(cursor: string | null, limit: number, host?: string) {
    const [first, ...place] = cursor?.split(' ') ?? [];
    const shard = host === undefined ? Number(first ?? 0) : this.#shardOf(host);
    const where = place.length === 4 ? place : ['0', 'i', '0', '0'];
    const [next, found] = listOf(await this.#run('scan', shard, [limit, ...where, host ?? '']));
    const listed = listOf(found) as Buffer[];
    const hosts = listed.filter((_, at) => at % 2 === 0);
    const items = hosts.map((name, at) => ({ host: name.toString(), entry: readEntry(listed[2 * at + 1]!) }));
    if (next !== null) return { cursor: [shard, ...listOf(next).map(String)].join(' '), items };
    const isLast = host !== undefined || shard + 1 >= this.#bases.length;
    return { cursor: isLast ? null : `${shard + 1} 0 i 0 0`, items };
  }

  /** The key that names the crawl, the only one with a `c` there, goes last: until then it can be called again. */
  async destroy() {
    for (const base of this.#bases) {
      const pattern = `${base.replaceAll(/[*?[\]\\]/g, '\\$&')}[^c]*`;
      let cursor = '0';
      do cursor = String(await this.#connection.run('destroy', base, [',', cursor, pattern]));
      while (cursor !== '0');
    }
    await this.#connection.call('DEL', [crawlKey(this.#prefix)]);
  }

  /** Commits links and hosts to one shard, so many hosts at a time, the links with the first of them. */
  async #commitTo(
    shard: number,
    operation: number,
    links: readonly Placed<NewEntry>[],
    hosts: readonly Placed<HostCommit>[],
    answer: CommitAnswer,
  ): Promise<void> {
    for (let from = 0; from === 0 || from < hosts.length; from += HOSTS_PER_SCRIPT) {
      const part = hosts.slice(from, from + HOSTS_PER_SCRIPT);
      const partLinks = from === 0 ? links : [];
      const values: ScriptValue[] = [operation, this.#maxQueued];
      const entries = partLinks.map(({ one }) => one);
      putEntries(values, entries, this.#laneOf);
      values.push(part.length);
      for (const { one } of part) putCommit(values, one, this.#laneOf);
      const [letters, ...rest] = await this.#ask('commit', shard, values);
      const outcomes = Array.from(String(letters), readOutcome);
      this.#links.note(shard, entries, outcomes, performance.now());
      for (const [index, { at }] of partLinks.entries()) answer.links[at] = outcomes[index]!;
      for (const [index, { at }] of part.entries()) answer.hosts[at] = readHostAnswer(rest[index]);
    }
  }

  async #leaseNamed(request: LeaseRequest, hosts: readonly string[]): Promise<Lease[]> {
    const leases: Lease[] = [];
    for (const [shard, part] of byShard(hosts, this.#bases.length, (host) => host)) {
      const left = request.maxHosts - leases.length;
      if (left <= 0) break;
      const names = part.map(({ one }) => one);
      for (const { lease } of await this.#leaseFrom(shard, request, left, names)) leases.push(lease);
    }
    const order = new Map(hosts.map((host, at) => [host, at]));
    return leases.sort((a, b) => (order.get(a.host) ?? 0) - (order.get(b.host) ?? 0));
  }

  /** How many hosts to lease from each shard, so that the oldest of all come first. */
  async #oldest(maxHosts: number): Promise<Map<number, number>> {
    const limit = Math.min(maxHosts, HOSTS_PER_SCRIPT);
    const answers = await this.#onAll('late', [limit]);
    const late = answers.flatMap((answer, shard) => listOf(answer).map((us) => ({ shard, us: Number(us) })));
    late.sort((a, b) => b.us - a.us);
    const quotas = new Map<number, number>();
    for (const { shard } of late.slice(0, maxHosts)) quotas.set(shard, (quotas.get(shard) ?? 0) + 1);
    // A shard that answered as many as it could may have more.
    const rest = maxHosts - Math.min(late.length, maxHosts);
    for (const [shard, count] of quotas) if (count === limit) quotas.set(shard, count + rest);
    return quotas;
  }

  async #leaseFrom(
    shard: number,
    { entriesPerHost, ttlMs, delayMs = 0 }: LeaseRequest,
    maxHosts: number,
    names?: readonly string[],
  ): Promise<{ readonly lease: Lease; readonly lateUs: number }[]> {
    const leases: { lease: Lease; lateUs: number }[] = [];
    for (;;) {
      const count = Math.min(maxHosts - leases.length, HOSTS_PER_SCRIPT);
      if (count <= 0) return leases;
      const which = names === undefined ? [0] : [1, ...names];
      const lease = async (latestUs: number | null): Promise<ClockedAnswer<unknown[]>> => {
        const values = [count, entriesPerHost, microseconds(ttlMs), microseconds(delayMs), latestUs ?? '', ...which];
        const [nowUs, leased] = await this.#ask('lease', shard, values);
        return { nowUs: Number(nowUs), granted: leased === null ? null : listOf(leased) };
      };
      const granted = await underClock(this.#clocks[shard] ?? null, lease);
      for (const one of granted) leases.push(readLease(listOf(one), ttlMs));
      if (granted.length < count || names !== undefined) return leases;
    }
  }

  #onRecord(command: string, key: string, ...values: Buffer[]): Promise<unknown> {
    return this.#connection.call(command, [`${this.#bases[this.#shardOf(key)]}r${key}`, ...values]);
  }

  #onHost(host: string, name: ScriptName): Promise<unknown> {
    return this.#run(name, this.#shardOf(host), [host]);
  }

  #onAll(name: ScriptName, values: readonly ScriptValue[]): Promise<unknown[]> {
    return Promise.all(this.#bases.map((_, shard) => this.#run(name, shard, values)));
  }

  /** Runs a script that says which server answers. Another one than before may have lost links. */
  async #ask(name: 'commit' | 'lease' | 'due', shard: number, values: readonly ScriptValue[]): Promise<unknown[]> {
    const [since, ...rest] = listOf(await this.#run(name, shard, values));
    const links = this.#links.answered(shard, String(since));
    if (links !== null) this.#restored = this.#addAgain(shard, links);
    await this.#restored;
    return rest;
  }

  async #addAgain(shard: number, links: readonly NewEntry[]): Promise<void> {
    let lost = 0;
    for (let from = 0; from < links.length; from += LINKS_PER_SCRIPT) {
      const part = links.slice(from, from + LINKS_PER_SCRIPT);
      const values: ScriptValue[] = [0, this.#maxQueued];
      putEntries(values, part, this.#laneOf);
      const [, letters] = listOf(await this.#run('commit', shard, [...values, 0]));
      const outcomes = Array.from(String(letters), readOutcome);
      lost += outcomes.filter((outcome) => outcome === 'new').length;
      this.#links.note(shard, part, outcomes, performance.now());
    }
    this.#onNotice(rolledBack('Redis', links.length, lost));
  }

  /** Runs a script. Its first value: the clock, nothing for the server's own, and what was heard of the server. */
  #run(name: ScriptName, shard: number, values: readonly ScriptValue[]): Promise<unknown> {
    const now = this.#nowMs === null ? '' : Math.floor(this.#nowMs() * 1_000);
    return this.#connection.run(name, this.#bases[shard] ?? '', [
      `${now},${this.#links.since(shard) ?? ''}`,
      ...values,
    ]);
  }

  #shardOf(name: string): number {
    return shardOf(name, this.#bases.length);
  }
}
