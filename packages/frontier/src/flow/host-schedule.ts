// Which leased host is next, and which is released: the leased hosts, the heap of those that may be requested, and
// those with changes to commit. In memory only; `host-leases.ts` talks to the store.

import { reachedBound } from '../hosts/host-state.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import { ENTRIES_PER_LEASE, LEASE_MARGIN_MS } from '../limits.js';
import { ReadyHeap } from '../ready-heap.js';
import type { HostCommit, HostKey } from '../store.js';
import type { FrontierContext } from './context.js';
import { HostOrder } from './host-order.js';
import {
  DROP_BATCH,
  EXCHANGES_PER_TURN,
  HOST_SHARE_MARGIN,
  HOST_SHARING_INTERVAL_MS,
  MAX_LEASED_WAIT_MS,
} from './limits.js';

export class HostSchedule {
  /**
   * Whether, as of the last lease, the store may have more due hosts than we have leased. If so, a host that has had
   * its turn makes place for them.
   */
  mayHaveMoreDue = true;
  /** Whether the last works were handed out without asking the store for due hosts. */
  hasSkippedLease = false;
  /** Whether, as of the last lease, we have no host and none was due. */
  lacksHosts = false;
  /** From now on every idle host is released with its next commit. */
  isClosing = false;
  readonly #context: FrontierContext;
  /** Hosts that the owner's own requests wait for. They are not released. */
  readonly requestedHosts = new Set<HostKey>();
  readonly #hosts = new Map<HostKey, LeasedHost>();
  readonly #ready = new ReadyHeap<LeasedHost>();
  /** Due hosts by rank, used when they do not go in the order in which they fell due. */
  readonly #due = new ReadyHeap<LeasedHost>();
  /** `null`: due hosts go in the order in which they fell due. */
  readonly order: HostOrder | null;
  #changed = new Set<LeasedHost>();
  /** Hosts whose release is under way. */
  readonly #releasing = new Set<LeasedHost>();
  /** The most hosts we may lease, so that processes without hosts get some. */
  #maxHosts: number;
  #sharedAtMs = 0;
  #lagMs = 0;
  /** Ends a wait for a host that may be requested. */
  #onDue: (() => void) | null = null;

  constructor(context: FrontierContext) {
    this.#context = context;
    const { settings } = context;
    const isOrdered = settings.isWeighted || settings.politeness.quietHours === 'prefer';
    this.order = isOrdered ? new HostOrder(settings) : null;
    this.#maxHosts = settings.maxHosts;
  }

  // ── Hosts ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  get(key: HostKey): LeasedHost | undefined {
    return this.#hosts.get(key);
  }

  all(): Iterable<LeasedHost> {
    return this.#hosts.values();
  }

  add(host: LeasedHost): void {
    this.#hosts.set(host.key, host);
    this.order?.add(host);
  }

  /** Forgets a host that is no longer ours. */
  remove(host: LeasedHost): void {
    if (this.#hosts.get(host.key) === host) this.#hosts.delete(host.key);
    this.#releasing.delete(host);
    this.order?.remove(host);
    this.#unschedule(host);
  }

  /** The store was asked for at most `limit` due hosts, and leased `leased` to us. */
  noteLease(leased: number, limit: number): void {
    this.hasSkippedLease = false;
    this.mayHaveMoreDue = leased >= limit;
    this.lacksHosts = limit > 0 && this.#hosts.size === 0;
  }

  /** How many more hosts may be leased; negative when other processes should get their share. */
  get remainingCapacity(): number {
    const { counts, budget } = this.#context;
    return shareOf(this.#maxHosts, counts.hosts, budget.othersAlive()) - this.#hosts.size;
  }

  /** `others` processes have no host. Until they have some, we keep only as many hosts as each of them may take. */
  shareWith(others: number, nowMs: number): void {
    const { maxHosts } = this.#context.settings;
    if (others === 0 || this.#hosts.size < 2) this.#maxHosts = maxHosts;
    // The hosts of the last round may still be on their way: a host leaves between two requests.
    else if (this.#maxHosts === maxHosts || nowMs - this.#sharedAtMs >= HOST_SHARING_INTERVAL_MS) {
      this.#maxHosts = Math.ceil(this.#hosts.size / (others + 1));
      this.#sharedAtMs = nowMs;
    }
  }

  // ── Changes ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The next commit will report on this host. */
  touch(host: LeasedHost): void {
    this.#changed.add(host);
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** The hosts that the commit about to be sent reports on. */
  takeChanged(): LeasedHost[] {
    const changed = [...this.#changed].filter(({ status }) => status === 'leased');
    this.#changed = new Set();
    return changed;
  }

  // ── Order ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Recomputes, after a change, when the host's next request is and whether the host stays. */
  reschedule(host: LeasedHost): void {
    if (host.status !== 'leased' || host.isBusy) {
      this.#unschedule(host);
      return;
    }
    const nowMs = this.#context.clock.nowMs();
    const isFull = host.unsettled >= this.#context.settings.unsettledPerHost;
    const ready = host.entries.readyCount(nowMs);
    const hasWork = ready > 0 && !isFull && !this.#isTurnOver(host);
    // Hosts that have waited longest go first. A new host goes behind those that were due before it arrived.
    let atMs = hasWork ? Math.max(host.nextPageStart(nowMs).atMs, host.leasedAtMs) : null;
    for (const untilMs of host.chains.values()) atMs = Math.min(atMs ?? untilMs, untilMs);
    if (atMs === null) this.#unschedule(host);
    else {
      this.#due.remove(host);
      this.#ready.set(host, atMs);
    }
    if (this.#onDue !== null && atMs !== null && atMs <= nowMs) this.#onDue();
    const needsEntries = ready === 0 && !isFull && !host.isDrained;
    if (needsEntries || (host.isIdle && this.#shouldRelease(host, nowMs))) this.touch(host);
  }

  /** Removes and returns the first host that may be requested now; `null`: there is none. */
  popDue(nowMs: number): LeasedHost | null {
    if (this.order === null) return this.#ready.popDue(nowMs) ?? null;
    for (let dueAtMs = this.#ready.earliest(); dueAtMs !== null && dueAtMs <= nowMs; dueAtMs = this.#ready.earliest()) {
      const host = this.#ready.peek()!;
      this.#ready.remove(host);
      this.#due.set(host, this.order.rank(host, dueAtMs, nowMs));
    }
    return this.#due.popDue(Number.MAX_SAFE_INTEGER) ?? null;
  }

  /** How many hosts that may be requested now go before this one; `null`: this one may not be requested now. */
  countBefore(host: LeasedHost, nowMs: number): number | null {
    const rankOf = (each: LeasedHost): number | null => {
      const dueAtMs = this.#ready.dueOf(each) ?? Number.POSITIVE_INFINITY;
      if (dueAtMs > nowMs) return this.#due.dueOf(each);
      return this.order === null ? dueAtMs : this.order.rank(each, dueAtMs, nowMs);
    };
    const own = rankOf(host);
    if (own === null) return null;
    return [...this.#hosts.values()].filter((each) => (rankOf(each) ?? Number.POSITIVE_INFINITY) < own).length;
  }

  /** When the earliest host may be requested, epoch milliseconds; `null`: there is none. */
  earliestMs(): number | null {
    return this.#due.peek() === undefined ? this.#ready.earliest() : this.#context.clock.nowMs();
  }

  /** Resolves when a host may be requested, or when `other` settles. Only one caller waits at a time. */
  async untilDueOr(other: Promise<unknown>): Promise<void> {
    const { clock } = this.#context;
    const dueMs = this.earliestMs();
    let cancel = (): void => undefined;
    const due = new Promise<void>((resolve) => {
      this.#onDue = resolve;
      if (dueMs !== null) cancel = clock.after(dueMs - clock.nowMs(), resolve);
    });
    try {
      await Promise.race([other, due]);
    } finally {
      this.#onDue = null;
      cancel();
    }
  }

  /** What the commit about to be sent says of a host: whether it stays, and how many more entries it may get. */
  commitOf(host: LeasedHost, nowMs: number): HostCommit {
    const startMs = host.nextPageStart(nowMs).atMs;
    const { parked } = host.clock;
    // A parked host stays away until it is unparked. Its interval since the last exchange then applies as for any host.
    const delayMs = Math.max(host.intervalMs(nowMs), parked ? 0 : startMs - nowMs);
    if (!this.isClosing && (!host.isIdle || !this.#shouldRelease(host, nowMs))) {
      const keep = { ttlMs: this.#context.settings.leaseTtlMs, want: this.#entriesToLease(host, nowMs) };
      return host.commit({ keep }, delayMs, nowMs);
    }
    this.#unschedule(host);
    this.#releasing.add(host);
    const dueInMs = parked ? null : Math.max(0, Math.ceil(startMs - nowMs));
    return host.commit({ release: { dueInMs } }, delayMs, nowMs);
  }

  #unschedule(host: LeasedHost): void {
    this.#ready.remove(host);
    this.#due.remove(host);
  }

  #isTurnOver(host: LeasedHost): boolean {
    return this.mayHaveMoreDue && host.exchanges >= Math.max(1, EXCHANGES_PER_TURN * host.settings.weight);
  }

  /** Whether an idle host should be released. */
  #shouldRelease(host: LeasedHost, nowMs: number): boolean {
    if (this.requestedHosts.has(host.key)) return false;
    if (host.clock.parked || this.#isTurnOver(host) || this.remainingCapacity + this.#releasing.size < 0) return true;
    if (host.isDrained && host.entries.readyCount(nowMs) === 0) return true;
    return host.nextPageStart(nowMs).atMs - nowMs > MAX_LEASED_WAIT_MS;
  }

  /** How many entries that are not handed out a host may have; more while the rest of its queue is dropped. */
  #entriesToLease(host: LeasedHost, nowMs: number): number {
    const isDropping = reachedBound(host, this.#context.budget.runningMs(nowMs)) !== null;
    return Math.max(0, (isDropping ? DROP_BATCH : ENTRIES_PER_LEASE) - host.entries.readyCount(nowMs));
  }

  // ── Lease end ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether the lease lasts long enough for a request. Late timers need a wider margin, half a lease at most. */
  isLeaseSafe(host: LeasedHost, nowMs: number): boolean {
    const { leaseTtlMs } = this.#context.settings;
    return nowMs < host.leaseEndMs - Math.min(Math.max(LEASE_MARGIN_MS, 2 * this.#lagMs), leaseTtlMs / 2);
  }

  /** Notes that a timer was late, milliseconds. */
  noteLag(lateMs: number): void {
    this.#lagMs = Math.max(lateMs, Math.floor(this.#lagMs / 2));
  }
}

/**
 * How many of the crawl's `hosts` a process may lease next to `others` processes; `maxHosts` if it is alone. It is a
 * little more than an equal share, so that the first process leaves some hosts and a slow one does not delay many.
 */
export function shareOf(maxHosts: number, hosts: number, others: number): number {
  if (others === 0) return maxHosts;
  return Math.min(maxHosts, Math.max(1, Math.ceil((HOST_SHARE_MARGIN * hosts) / (others + 1))));
}
