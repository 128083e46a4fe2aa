// The verbs of the queues over all shards: which shard is asked what, and how their answers make one. What a shard does is in
// the scripts.

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
import { asFailure } from '../server/failures.js';
import type { ServerQueues } from '../server/server-store.js';
import { hostAnswerOf, leaseOf, listOf, numberOf, outcomeOf } from './answers.js';
import { laneNames, microseconds, putCommit, putEntries, readEntry } from './commit-words.js';
import type { Connection } from './connection.js';
import { runScript, type ScriptName, type Word } from './scripts.js';
import { byShard, type Placed, shardBase, shardOf } from './shards.js';

/** Hosts of one script: it is one step, and nobody else is answered meanwhile. */
const HOSTS_PER_SCRIPT = 256;
/** Most items one page of a scan may ask for. */
const SCAN_LIMIT = 10_000;
/** Numbers of operations are below this. */
const OPERATIONS = 2 ** 32;

/** What the queues need to know. */
export interface RedisQueuesOptions {
  readonly connection: Connection;
  readonly prefix: string;
  readonly shards: number;
  readonly maxQueued: number;
  /** `null`: the server's own. */
  readonly nowMs: (() => number) | null;
}

/** The queues of one crawl. */
export class RedisQueues implements ServerQueues {
  readonly #connection: Connection;
  readonly #bases: readonly string[];
  readonly #maxQueued: number;
  readonly #nowMs: (() => number) | null;
  readonly #lanes = laneNames();
  /** Names a commit, so that one heard twice is known. */
  #operation = Math.floor(Math.random() * OPERATIONS);

  constructor({ connection, prefix, shards, maxQueued, nowMs }: RedisQueuesOptions) {
    this.#connection = connection;
    this.#bases = Array.from({ length: shards }, (_, shard) => shardBase(prefix, shard));
    // Each shard counts for itself.
    this.#maxQueued = Math.ceil(maxQueued / shards);
    this.#nowMs = nowMs;
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[]): Promise<CommitAnswer> {
    const shards = this.#bases.length;
    const linksOf = byShard(links, shards);
    const hostsOf = byShard(hosts, shards);
    const answer: CommitAnswer = { hosts: [], links: [] };
    this.#operation = (this.#operation + 1) % OPERATIONS;
    const operation = this.#operation;
    // With one shard all of it is one step. Else every link is kept before any host changes (C5).
    const isOneStep = [...linksOf.keys()].every((shard) => hostsOf.size === 1 && hostsOf.has(shard));
    const work = (shard: number, part: { readonly links?: boolean; readonly hosts?: boolean }) =>
      this.#commitTo(shard, {
        operation,
        links: part.links === true ? (linksOf.get(shard) ?? []) : [],
        hosts: part.hosts === true ? (hostsOf.get(shard) ?? []) : [],
        answer,
      });
    if (!isOneStep) await Promise.all([...linksOf.keys()].map((shard) => work(shard, { links: true })));
    await Promise.all([...hostsOf.keys()].map((shard) => work(shard, { links: isOneStep, hosts: true })));
    return answer;
  }

  async lease(request: LeaseRequest): Promise<Lease[]> {
    const { hosts, maxHosts } = request;
    if (hosts !== undefined) return this.#leaseNamed(request, hosts);
    if (this.#bases.length === 1) return (await this.#leaseFrom(0, request, maxHosts)).map(({ lease }) => lease);
    const quotas = await this.#oldest(maxHosts);
    const granted = await Promise.all([...quotas].map(([shard, count]) => this.#leaseFrom(shard, request, count)));
    return granted
      .flat()
      .toSorted((a, b) => b.lateUs - a.lateUs)
      .map(({ lease }) => lease);
  }

  async wake(host: string): Promise<void> {
    await this.#on(host, 'wake', [host]);
  }

  async nextDueInMs(): Promise<number | null> {
    const answers = await this.#onAll('due', []);
    const inUs = answers.filter((answer) => answer !== null).map(numberOf);
    return inUs.length === 0 ? null : Math.min(...inUs) / 1_000;
  }

  async readRecord(key: string): Promise<Uint8Array | null> {
    const bytes = await this.#onRecord('GET', key);
    return Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : null;
  }

  async writeRecord(key: string, value: Uint8Array | null): Promise<void> {
    if (value === null) await this.#onRecord('DEL', key);
    else await this.#onRecord('SET', key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }

  async reserve(slots: readonly ReserveSlot[]): Promise<number[]> {
    const shards = this.#bases.length;
    const waits: number[] = [];
    const parts = [
      ...byShard(
        slots.map((slot) => ({ ...slot, host: slot.key })),
        shards,
      ),
    ];
    await Promise.all(
      parts.map(async ([shard, asked]) => {
        const words = asked.flatMap(({ one }) => [one.key, microseconds(one.delayMs)]);
        const answer = await this.#run('reserve', this.#base(shard), [this.#now(), ...words]);
        for (const [index, { at }] of asked.entries()) waits[at] = numberOf(listOf(answer)[index]) / 1_000;
      }),
    );
    return waits;
  }

  async readHost(host: string): Promise<StoredHost | null> {
    const answer = await this.#on(host, 'readHost', [host]);
    if (answer === null) return null;
    const [state, queued, inHand, isLeased, isParked, dueInUs] = listOf(answer);
    return {
      state: Buffer.isBuffer(state) ? new Uint8Array(state) : null,
      queued: numberOf(queued),
      inFlight: numberOf(inHand),
      isLeased: isLeased === 1,
      isParked: isParked === 1,
      dueInMs: dueInUs === null ? null : numberOf(dueInUs) / 1_000,
    };
  }

  async stats(): Promise<StoreStats> {
    const answers = (await this.#onAll('stats', [])).map((answer) => listOf(answer).map(numberOf));
    const [unfinished = 0, inHand = 0, known = 0, hosts = 0, leased = 0, parked = 0] = answers.reduce((sum, counts) =>
      sum.map((count, at) => count + (counts[at] ?? 0)),
    );
    return { queued: unfinished - inHand, inFlight: inHand, known, hosts, leased, parked };
  }

  /** The cursor is the shard, the number of the host in it, and where in the host. */
  async scan(cursor: string | null, limit: number, host?: string): Promise<ScanListing> {
    const shards = this.#bases.length;
    const [first, ...place] = cursor?.split(' ') ?? [];
    const shard = host === undefined ? Number(first ?? 0) : shardOf(host, shards);
    const where = place.length === 4 ? place : ['0', 'i', '0', '0'];
    const wanted = Math.max(1, Math.min(limit, SCAN_LIMIT));
    const words = [this.#now(), wanted, ...where, host ?? ''];
    const [next, found] = listOf(await this.#run('scan', this.#base(shard), words));
    const listed = listOf(found) as Buffer[];
    const items: { host: string; entry: ReturnType<typeof readEntry> }[] = [];
    for (let at = 0; at < listed.length; at += 2) {
      items.push({ host: listed[at]!.toString(), entry: readEntry(listed[at + 1]!) });
    }
    if (next !== null) return { cursor: [shard, ...listOf(next).map(String)].join(' '), items };
    const isLast = host !== undefined || shard + 1 >= shards;
    return { cursor: isLast ? null : `${shard + 1} 0 i 0 0`, items };
  }

  /** One shard's links and hosts, a step for each so many hosts; the links with the first of them. */
  async #commitTo(
    shard: number,
    {
      operation,
      links,
      hosts,
      answer,
    }: {
      readonly operation: number;
      readonly links: readonly Placed<NewEntry>[];
      readonly hosts: readonly Placed<HostCommit>[];
      readonly answer: CommitAnswer;
    },
  ): Promise<void> {
    for (let from = 0; from === 0 || from < hosts.length; from += HOSTS_PER_SCRIPT) {
      const part = hosts.slice(from, from + HOSTS_PER_SCRIPT);
      const words: Word[] = [this.#now(), operation, this.#maxQueued];
      putEntries(words, from === 0 ? links.map(({ one }) => one) : [], this.#lanes);
      words.push(part.length);
      for (const { one } of part) putCommit(words, one, this.#lanes);
      const [outcomes, ...rest] = listOf(await this.#run('commit', this.#base(shard), words));
      const bytes = String(outcomes);
      if (from === 0) for (const [index, { at }] of links.entries()) answer.links[at] = outcomeOf(bytes[index]);
      for (const [index, { at }] of part.entries()) answer.hosts[at] = hostAnswerOf(rest[index]);
    }
  }

  async #leaseNamed(request: LeaseRequest, hosts: readonly string[]): Promise<Lease[]> {
    const parts = [
      ...byShard(
        hosts.map((host) => ({ host })),
        this.#bases.length,
      ),
    ];
    const leases: Lease[] = [];
    for (const [shard, asked] of parts) {
      const left = request.maxHosts - leases.length;
      if (left <= 0) break;
      const names = asked.map(({ one }) => one.host);
      for (const { lease } of await this.#leaseFrom(shard, request, left, names)) leases.push(lease);
    }
    const order = new Map(hosts.map((host, at) => [host, at]));
    return leases.toSorted((a, b) => (order.get(a.host) ?? 0) - (order.get(b.host) ?? 0));
  }

  /** How many hosts to ask each shard for, so that the oldest of all come first. */
  async #oldest(maxHosts: number): Promise<Map<number, number>> {
    const looked = Math.min(maxHosts, HOSTS_PER_SCRIPT);
    const answers = await this.#onAll('late', [looked]);
    const late = answers.flatMap((answer, shard) => listOf(answer).map((us) => ({ shard, us: numberOf(us) })));
    late.sort((a, b) => b.us - a.us);
    const quotas = new Map<number, number>();
    for (const { shard } of late.slice(0, maxHosts)) quotas.set(shard, (quotas.get(shard) ?? 0) + 1);
    // A shard that was not seen to its end may have more, where there is room for more.
    const room = maxHosts - Math.min(late.length, maxHosts);
    for (const [shard, count] of quotas) if (count === looked) quotas.set(shard, count + room);
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
      const words: Word[] = [this.#now(), count, entriesPerHost, microseconds(ttlMs), microseconds(delayMs)];
      if (names !== undefined) words.push(1, ...names);
      else words.push(0);
      const granted = listOf(await this.#run('lease', this.#base(shard), words));
      for (const one of granted) leases.push(leaseOf(listOf(one), ttlMs));
      if (granted.length < count || names !== undefined) return leases;
    }
  }

  async #onRecord(command: string, key: string, ...words: Buffer[]): Promise<unknown> {
    const name = `${this.#base(shardOf(key, this.#bases.length))}r${key}`;
    try {
      return await this.#connection.call(command, [name, ...words]);
    } catch (cause) {
      throw asFailure(`Redis refused ${command}`, cause);
    }
  }

  #on(host: string, name: ScriptName, words: readonly Word[]): Promise<unknown> {
    return this.#run(name, this.#base(shardOf(host, this.#bases.length)), [this.#now(), ...words]);
  }

  async #onAll(name: ScriptName, words: readonly Word[]): Promise<unknown[]> {
    return Promise.all(this.#bases.map((base) => this.#run(name, base, [this.#now(), ...words])));
  }

  #run(name: ScriptName, base: string, words: readonly Word[]): Promise<unknown> {
    return runScript(this.#connection, name, base, words);
  }

  #base(shard: number): string {
    return this.#bases[shard] ?? '';
  }

  /** Nothing: the server's own clock. */
  #now(): Word {
    return this.#nowMs === null ? '' : Math.floor(this.#nowMs() * 1_000);
  }
}
