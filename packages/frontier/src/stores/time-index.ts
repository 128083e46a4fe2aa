// The time index of the memory store: hosts by the time at which they are due, equal times in the order they were set.
//
// Most are set in the order of their times: one after another is released with the same delay, or leased for the same
// time. Such a run needs no heap: what comes goes to its end, what is due is at its beginning, O(1), and next to one another in
// memory, where a heap of 100,000 is reached into at a dozen places. There are a few runs, for a few delays; what fits behind
// none of them goes into the heap.

import { ReadyHeap } from '../ready-heap.js';
import { ReadyRun } from './ready-run.js';

const RUNS = 4;
const FIRST_MEMBERS = 16;

/** As a `ReadyHeap`: members are whole numbers ≥ 0, best from 0 on without gaps. O(1) in order, O(log n) at most. */
export class TimeIndex {
  readonly #heap = new ReadyHeap();
  readonly #runs = Array.from({ length: RUNS }, () => new ReadyRun());
  /** By member: its run + 1; 0: none, so it is in the heap or nowhere. */
  #runOf = new Uint8Array(FIRST_MEMBERS);
  /** By member: its place in its run. */
  #places = new Int32Array(FIRST_MEMBERS);
  #turn = 0;

  /** Takes the earliest member out. Where it stands need not be looked up, which would be a reach into memory. */
  take(): number | undefined {
    const run = this.#firstRun();
    const member = run === null ? this.#heap.peek() : run.first;
    if (member === undefined) return undefined;
    if (run === null) this.#heap.remove(member);
    else {
      this.#runOf[member] = 0;
      run.removeFirst();
    }
    return member;
  }

  /** The earliest time; `null` when empty. */
  earliest(): number | null {
    const run = this.#firstRun();
    return run === null ? this.#heap.earliest() : run.firstDue;
  }

  /** The time of a member; `null` when it is not held. */
  dueOf(member: number): number | null {
    const run = this.#runWith(member);
    return run === null ? this.#heap.dueOf(member) : run.dueAt(this.#places[member]!);
  }

  /** Puts a member at a time, from wherever it was, behind those of the same time. */
  set(member: number, due: number): void {
    this.remove(member);
    this.#turn += 1;
    let best = -1;
    let bestLast = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < RUNS; at += 1) {
      const last = this.#runs[at]!.lastDue;
      if (last > due || (best >= 0 && last <= bestLast)) continue;
      best = at;
      bestLast = last;
    }
    if (best < 0) {
      this.#heap.set(member, due, this.#turn);
      return;
    }
    this.#makeRoom(member);
    this.#runOf[member] = best + 1;
    this.#runs[best]!.push(member, due, this.#turn, this.#places);
  }

  /** Takes a member out; nothing happens when it is not held. */
  remove(member: number): void {
    const run = this.#runWith(member);
    if (run === null) {
      this.#heap.remove(member);
      return;
    }
    this.#runOf[member] = 0;
    run.remove(this.#places[member]!);
  }

  #runWith(member: number): ReadyRun | null {
    const at = member < this.#runOf.length ? this.#runOf[member]! : 0;
    return at === 0 ? null : this.#runs[at - 1]!;
  }

  /** The run whose first member is the earliest of all; `null`: the heap's is, or there is none. */
  #firstRun(): ReadyRun | null {
    let first: ReadyRun | null = null;
    let due = this.#heap.earliest() ?? Number.POSITIVE_INFINITY;
    let turn = this.#heap.earliestTurn();
    for (const run of this.#runs) {
      if (run.size === 0 || run.firstDue > due || (run.firstDue === due && run.firstTurn > turn)) continue;
      first = run;
      due = run.firstDue;
      turn = run.firstTurn;
    }
    return first;
  }

  #makeRoom(member: number): void {
    if (member < this.#places.length) return;
    const members = Math.max(2 * this.#places.length, member + 1);
    const places = new Int32Array(members);
    const runOf = new Uint8Array(members);
    places.set(this.#places);
    runOf.set(this.#runOf);
    this.#places = places;
    this.#runOf = runOf;
  }
}
