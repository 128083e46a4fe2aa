// The entries of a leased host that are in this process and not handed out, its blocked lanes, and what the next commit
// reports about them.

import { ENTRIES_PER_LEASE, MAX_BLOCKED_LANES } from '../limits.js';
import type { PageItem, QueueItem } from '../records/record.js';
import type { EntryId, HostCommit, Requeue } from '../store.js';

export interface LeasedEntry {
  readonly id: EntryId;
  readonly priority: number;
  readonly item: QueueItem;
  /** The authority that serves the entry: its rules and its lane apply. */
  readonly authority: string;
}

/** Until when a lane is blocked, epoch milliseconds, and why: its robots.txt, or a URL that was returned for later. */
interface LaneWait {
  readonly untilMs: number;
  readonly reason: 'robots-unreachable' | 'not-before';
}

export class LeasedEntries {
  /** In the order in which they are handed out. */
  #waiting: LeasedEntry[] = [];
  /** What the next commit reports. */
  #done: EntryId[] = [];
  #requeue: Requeue[] = [];
  /** Lane → epoch milliseconds until which it is blocked. A past time means that it is open. */
  readonly #laneChanges = new Map<string, number>();
  /** Lanes blocked during this lease, by authority. */
  readonly #blocked = new Map<string, LaneWait>();
  /** Lanes whose pages wait for a companion, or for the commit that contains it. */
  readonly #held = new Set<string>();

  get count(): number {
    return this.#waiting.length;
  }

  get hasChanges(): boolean {
    return this.#done.length > 0 || this.#requeue.length > 0 || this.#laneChanges.size > 0;
  }

  /** Adds entries by priority, behind those of the same priority. */
  add(entries: readonly LeasedEntry[]): void {
    for (const entry of entries) {
      let at = this.#waiting.length;
      while (at > 0 && this.#waiting[at - 1]!.priority > entry.priority) at -= 1;
      this.#waiting.splice(at, 0, entry);
    }
  }

  at(index: number): LeasedEntry | undefined {
    return this.#waiting[index];
  }

  /** Removes an entry that was handed out or finished. */
  remove(entry: LeasedEntry): void {
    this.#waiting.splice(this.#waiting.indexOf(entry), 1);
  }

  /** Puts an entry that was handed out back in front of the others. */
  putBack(entry: LeasedEntry): void {
    this.#waiting.unshift(entry);
  }

  finish(id: EntryId): void {
    this.#done.push(id);
  }

  requeue(entry: Requeue): void {
    this.#requeue.push(entry);
  }

  /**
   * Blocks a lane here and, with the next commit, in the store. Its entries stay here, so that a release puts them back
   * in their places. Entries past a bound return to the queue at once, to make place for the host's other lanes.
   */
  blockLane(lane: string, untilMs: number, reason: LaneWait['reason'] = 'robots-unreachable'): void {
    this.#laneChanges.set(lane, untilMs);
    this.#blocked.set(lane, { untilMs, reason });
    if (this.#blocked.size > MAX_BLOCKED_LANES) this.#blocked.delete(this.#blocked.keys().next().value ?? '');
    if (this.#waiting.length <= 2 * ENTRIES_PER_LEASE) return;
    const isOfLane = (entry: LeasedEntry) => entry.item.kind === 'page' && entry.authority === lane;
    for (const { id } of this.#waiting.filter(isOfLane)) this.#requeue.push({ id });
    this.#waiting = this.#waiting.filter((entry) => !isOfLane(entry));
  }

  /** The first page of an authority that is in memory; `null`: none. */
  firstPageOf(authority: string): PageItem | null {
    for (const { item, authority: own } of this.#waiting) if (item.kind === 'page' && own === authority) return item;
    return null;
  }

  /** Opens a lane. @returns Whether it was blocked. */
  openLane(lane: string): boolean {
    if (!this.#blocked.delete(lane)) return false;
    this.#laneChanges.set(lane, 0);
    return true;
  }

  /** Holds back the pages of a lane, in this process only. */
  holdLane(lane: string): void {
    this.#held.add(lane);
  }

  releaseLane(lane: string): void {
    this.#held.delete(lane);
  }

  /** Whether the pages of any lane are held back. */
  get hasHeldLanes(): boolean {
    return this.#held.size > 0;
  }

  /** The blocked lane that opens first; `null`: none is blocked. */
  firstBlock(nowMs: number): LaneWait | null {
    let first: LaneWait | null = null;
    for (const block of this.#blocked.values())
      if (block.untilMs > nowMs && (first === null || block.untilMs < first.untilMs)) first = block;
    return first;
  }

  /** Whether an entry is in a blocked or held lane. Hops of a redirect chain are never blocked. */
  isBlocked(entry: LeasedEntry, nowMs: number): boolean {
    if (entry.item.kind !== 'page') return false;
    return this.#held.has(entry.authority) || (this.#blocked.get(entry.authority)?.untilMs ?? 0) > nowMs;
  }

  /** How many entries are in lanes that are neither blocked nor held. */
  readyCount(nowMs: number): number {
    if (this.#blocked.size === 0 && this.#held.size === 0) return this.#waiting.length;
    return this.#waiting.reduce((count, entry) => count + (this.isBlocked(entry, nowMs) ? 0 : 1), 0);
  }

  /** Returns what the commit about to be sent reports, and clears it. */
  takeChanges(nowMs: number): Pick<HostCommit, 'done' | 'requeue' | 'blockLanes'> {
    const blockLanes = [...this.#laneChanges].map(([lane, untilMs]) => ({ lane, ms: Math.max(0, untilMs - nowMs) }));
    const changes = { done: this.#done, requeue: this.#requeue, blockLanes };
    this.#done = [];
    this.#requeue = [];
    this.#laneChanges.clear();
    return changes;
  }

  get finishedCount(): number {
    return this.#done.length;
  }
}
