// The verbs over all shards: which shard each part goes to, and how the answers are combined. If a commit has links in
// other shards, it adds those first (C5). The hosts of a silent shard (`shard.ts`) count as lost to this process, and
// links to it are deferred. Its own hosts wait, those of other shards do not.

import type { CommitAnswer, HostCommit, Lease, LeaseRequest, NewEntry, ReserveSlot, StoreStats } from '../../store.js';
import type { StoreQueues, StoreVerbs } from '../checked-store.js';
import { DeferredLinks } from './deferred-links.js';
import { byShard, type Placed, shardOf } from './placement.js';
import { Shard } from './shard.js';

/** Hosts of each shard whose overdue times are compared. */
const MAX_COMPARED_HOSTS = 256;
/** Milliseconds until a silent shard may have something due, and between two checks for deferred links. */
const SILENT_CHECK_INTERVAL_MS = 1_000;

/** The record of the first shard that says how many fingerprints every shard has got from a move. */
const KNOWN_BY_ALL = 'known-by-all-shards';

const NOTHING: StoreStats = { queued: 0, inFlight: 0, known: 0, hosts: 0 };

export class ShardedQueues implements StoreQueues {
  readonly #shards: readonly Shard[];
  readonly #deferred: DeferredLinks;
  /** As last read. */
  readonly #counts: StoreStats[];
  #knownByAll = 0;
  /** When deferred links were last checked. A process that has deferred some stays until they are added. */
  #checkedMs = Number.NEGATIVE_INFINITY;
  readonly close: () => Promise<void>;

  /** @param shards - The verbs of each shard, opened. */
  constructor(shards: readonly StoreVerbs[], close: () => Promise<void> = async () => undefined) {
    this.close = close;
    const onRecovery = () => void this.#deferred.add().catch((error: unknown) => this.#shards[0]?.fail(error));
    this.#shards = shards.map((verbs) => new Shard(verbs, onRecovery));
    this.#deferred = new DeferredLinks(this.#shards);
    this.#counts = shards.map(() => NOTHING);
  }

  get rollbacks(): number {
    return this.#shards.reduce((sum, { rollbacks }) => sum + rollbacks, 0);
  }

  check(): void {
    for (const shard of this.#shards) shard.check();
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []): Promise<CommitAnswer> {
    const shards = new Set([...hosts, ...links].map(({ host }) => shardOf(host, this.#shards.length)));
    // With one shard all of it is one step. Otherwise all links are stored before any host changes (C5).
    const [first = 0] = shards;
    if (shards.size === 1) return this.#commitTo(first, hosts, links);
    const commitLinks = async (at: number, part: readonly NewEntry[]) => (await this.#commitTo(at, [], part)).links;
    const commitHosts = async (at: number, part: readonly HostCommit[]) => (await this.#commitTo(at, part, [])).hosts;
    const outcomes = await this.#spread(links, ({ host }) => host, commitLinks);
    return { links: outcomes, hosts: await this.#spread(hosts, ({ host }) => host, commitHosts) };
  }

  async #commitTo(at: number, hosts: readonly HostCommit[], links: readonly NewEntry[]): Promise<CommitAnswer> {
    const shard = this.#shards[at]!;
    const mayDefer = this.#deferred.hasCapacityFor(links.length);
    // Finished entries are worth sending to a silent shard; links are sent once.
    const isSent = hosts.length > 0 || !mayDefer || !shard.isSilent;
    const pending = isSent ? shard.call((verbs) => verbs.commit(hosts, links)) : null;
    const answered = mayDefer ? pending && (await shard.answerUnlessSilent(pending)) : { answer: (await pending)! };
    if (answered !== null) return answered.answer;
    await this.#deferred.defer(at, links);
    const lateAnswerOf = async (index: number) => (await pending!).hosts[index]!.ok;
    return {
      // If the shard fails, `pending` says so to the crawl.
      hosts: hosts.map((_, index) => ({ ok: false, reason: 'lost', late: lateAnswerOf(index).catch(() => false) })),
      links: links.map(() => 'new'),
    };
  }

  /** Calls each shard with its part of the items. The answers are in the order of the items. */
  async #spread<Item, Answer>(
    items: readonly Item[],
    nameOf: (item: Item) => string,
    call: (at: number, part: readonly Item[]) => Promise<readonly Answer[]>,
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    const callOne = async ([at, part]: readonly [number, readonly Placed<Item>[]]) => {
      const ones = part.map(({ one }) => one);
      for (const [index, answer] of (await call(at, ones)).entries()) answers[part[index]!.at] = answer;
    };
    await Promise.all([...byShard(items, this.#shards.length, nameOf)].map(callOne));
    return answers;
  }

  async lease(request: LeaseRequest): Promise<Lease[]> {
    if (request.hosts !== undefined) return this.#leaseNamed(request, request.hosts);
    const oldest = await this.#longestOverdue(request.maxHosts);
    const granted = await Promise.all(
      [...oldest].map(async ([at, { lateMs, maxHosts }]) => {
        const leases = await this.#leaseFrom(at, { ...request, maxHosts });
        return leases.map((lease, index) => ({ lease, lateMs: lateMs[index] ?? 0 }));
      }),
    );
    const oldestFirst = granted.flat().sort((a, b) => b.lateMs - a.lateMs);
    return oldestFirst.map(({ lease }) => lease);
  }

  async #leaseNamed(request: LeaseRequest, hosts: readonly string[]): Promise<Lease[]> {
    const leases: Lease[] = [];
    for (const [at, part] of byShard(hosts, this.#shards.length, (host) => host)) {
      const maxHosts = request.maxHosts - leases.length;
      if (maxHosts <= 0) break;
      leases.push(...(await this.#leaseFrom(at, { ...request, maxHosts, hosts: part.map(({ one }) => one) })));
    }
    const order = new Map(hosts.map((host, at) => [host, at]));
    return leases.sort((a, b) => (order.get(a.host) ?? 0) - (order.get(b.host) ?? 0));
  }

  /**
   * How many hosts to lease from each shard, so that the longest overdue come first, and for how long they have been
   * due.
   */
  async #longestOverdue(maxHosts: number) {
    const limit = Math.min(maxHosts, MAX_COMPARED_HOSTS);
    const answers = await this.#callAll((verbs) => verbs.overdueMs(limit));
    const overdue = answers.flatMap((answered, at) => (answered?.answer ?? []).map((lateMs) => ({ at, lateMs })));
    overdue.sort((a, b) => b.lateMs - a.lateMs);
    const rest = maxHosts - Math.min(overdue.length, maxHosts);
    const oldest = new Map<number, { readonly lateMs: number[]; maxHosts: number }>();
    for (const { at, lateMs } of overdue.slice(0, maxHosts)) {
      const one = oldest.get(at) ?? { lateMs: [], maxHosts: 0 };
      oldest.set(at, one);
      one.lateMs.push(lateMs);
      // A shard that named as many hosts as it could may have more.
      one.maxHosts = one.lateMs.length + (one.lateMs.length === limit ? rest : 0);
    }
    return oldest;
  }

  /** Hosts that a shard grants too late are released at once, because the lease counts from when it was requested. */
  async #leaseFrom(at: number, request: LeaseRequest): Promise<Lease[]> {
    const shard = this.#shards[at]!;
    const release = (leases: readonly Lease[]) => {
      const parts = leases.map(({ host, fencingToken }) => ({ host, fencingToken, then: { release: { dueInMs: 0 } } }));
      return parts.length === 0 ? null : shard.call((verbs) => verbs.commit(parts));
    };
    const answered = await shard.callUnlessSilent((verbs) => verbs.lease(request), release);
    return answered?.answer ?? [];
  }

  wake(host: string) {
    return this.#shardFor(host).call((verbs) => verbs.wake(host));
  }

  async nextDueInMs(): Promise<number | null> {
    const answers = await this.#callAll((verbs) => verbs.nextDueInMs());
    const inMs = answers.flatMap((answered) =>
      answered === null ? [SILENT_CHECK_INTERVAL_MS] : (answered.answer ?? []),
    );
    if (inMs.length > 0) return Math.min(...inMs);
    const nowMs = performance.now();
    if (nowMs < this.#checkedMs + SILENT_CHECK_INTERVAL_MS) return null;
    this.#checkedMs = nowMs;
    return (await this.#deferred.add()) ? 0 : null;
  }

  async overdueMs(limit: number) {
    const overdue = [...(await this.#longestOverdue(limit)).values()].flatMap(({ lateMs }) => lateMs);
    return overdue.sort((a, b) => b - a);
  }

  readRecord(key: string, near = key) {
    return this.#shardFor(near).call((verbs) => verbs.readRecord(key, near));
  }

  writeRecord(key: string, value: Uint8Array | null, near = key) {
    return this.#shardFor(near).call((verbs) => verbs.writeRecord(key, value, near));
  }

  listRecords(prefix: string, cursor: string | null, limit: number) {
    return this.#page(cursor, async (verbs, from) => {
      const { cursor: next, items } = await verbs.listRecords(prefix, from, limit);
      // Another store has another number of shards.
      return { cursor: next, items: items.filter(({ key }) => key !== KNOWN_BY_ALL) };
    });
  }

  reserve(slots: readonly ReserveSlot[]) {
    const reserveOn = (at: number, part: readonly ReserveSlot[]) =>
      this.#shards[at]!.call((verbs) => verbs.reserve(part));
    return this.#spread(slots, ({ key }) => key, reserveOn);
  }

  readHost(host: string) {
    return this.#shardFor(host).call((verbs) => verbs.readHost(host));
  }

  isKnown(fingerprint: Uint8Array, host: string) {
    return this.#shardFor(host).call((verbs) => verbs.isKnown(fingerprint, host));
  }

  /** For a silent shard, the values read last. What a move made known to every shard counts once. */
  async stats(): Promise<StoreStats> {
    const record = await this.#shards[0]!.callUnlessSilent((verbs) => verbs.readRecord(KNOWN_BY_ALL));
    if (record?.answer != null) this.#knownByAll = Number(new TextDecoder().decode(record.answer));
    const answers = await this.#callAll((verbs) => verbs.stats());
    const sum = { ...NOTHING };
    for (const [at, answered] of answers.entries()) {
      if (answered !== null) this.#counts[at] = answered.answer;
      for (const name of Object.keys(sum) as (keyof StoreStats)[]) sum[name] += this.#counts[at]![name];
    }
    sum.known = Math.max(0, sum.known - (this.#shards.length - 1) * this.#knownByAll);
    return sum;
  }

  /** The first shard's clock, so that all machines compare theirs with the same one. */
  async clockMs() {
    return (
      (await this.#shards[0]?.callUnlessSilent((verbs) => verbs.clockMs?.() ?? Promise.resolve(null)))?.answer ?? null
    );
  }

  scan(cursor: string | null, limit: number, host?: string) {
    if (host !== undefined) return this.#shardFor(host).call((verbs) => verbs.scan(cursor, limit, host));
    return this.#page(cursor, (verbs, from) => verbs.scan(from, limit));
  }

  listKnown(cursor: string | null, limit: number) {
    return this.#page(cursor, (verbs, from) => verbs.listKnown(from, limit));
  }

  listHosts(cursor: string | null, limit: number) {
    return this.#page(cursor, (verbs, from) => verbs.listHosts(from, limit));
  }

  /** In every shard, because a fingerprint does not say which host it belongs to. During a move, all know the same. */
  async know(fingerprints: readonly Uint8Array[]) {
    await Promise.all(this.#shards.map((shard) => shard.call((verbs) => verbs.know(fingerprints))));
    await this.#shards[0]!.call(async (verbs) => {
      const { known } = await verbs.stats();
      await verbs.writeRecord(KNOWN_BY_ALL, new TextEncoder().encode(String(known)));
    });
  }

  /** The first shard is destroyed last, because it was created last. */
  async destroy() {
    const [first, ...others] = this.#shards;
    await Promise.all(others.map((shard) => shard.call((verbs) => verbs.destroy())));
    await first?.call((verbs) => verbs.destroy());
  }

  /** A page of what all shards list, one shard after the other. The cursor is the shard and its own cursor. */
  async #page<Item>(
    cursor: string | null,
    list: (verbs: StoreVerbs, from: string | null) => Promise<{ cursor: string | null; items: Item[] }>,
  ) {
    const [, first = '0', from = ''] = /^(\d+) (.*)$/s.exec(cursor ?? '') ?? [];
    const at = Number(first);
    const shard = this.#shards[at];
    if (shard === undefined) return { cursor: null, items: [] };
    const { cursor: next, items } = await shard.call((verbs) => list(verbs, from === '' ? null : from));
    if (next !== null) return { cursor: `${at} ${next}`, items };
    return { cursor: at + 1 < this.#shards.length ? `${at + 1} ` : null, items };
  }

  #callAll<T>(verb: (verbs: StoreVerbs) => Promise<T>) {
    return Promise.all(this.#shards.map((shard) => shard.callUnlessSilent(verb)));
  }

  #shardFor(name: string): Shard {
    return this.#shards[shardOf(name, this.#shards.length)]!;
  }
}
