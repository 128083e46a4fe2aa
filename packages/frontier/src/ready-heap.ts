// The time index of leased hosts and of the memory store: numbered members by the time at which they are due, equal
// times in the order they were set.
//
//            0
//     1   2   3   4          children of i: 4i+1 … 4i+4
//   5…8 9…12 …
//
// Four children instead of two halve the depth, and the keys of one family are in one cache line. Everything is a typed
// array: 28 bytes a member. Each place is known, so moving a member is O(log n) and leaves nothing stale behind.

const WAYS = 4;
const FIRST_SLOTS = 16;

/** A 4-ary heap with places. Members are whole numbers ≥ 0, best from 0 on without gaps. */
export class ReadyHeap {
  #members = new Int32Array(FIRST_SLOTS);
  #due = new Float64Array(FIRST_SLOTS);
  #turns = new Float64Array(FIRST_SLOTS);
  /** Place of a member + 1; 0: not in the heap. */
  #places = new Int32Array(FIRST_SLOTS);
  #size = 0;
  #turn = 0;

  /** Members in the heap. */
  get size(): number {
    return this.#size;
  }

  /** The earliest member. */
  peek(): number | undefined {
    return this.#size === 0 ? undefined : this.#members[0];
  }

  /** The earliest time; `null` when empty. */
  earliest(): number | null {
    return this.#size === 0 ? null : this.#due[0]!;
  }

  /** The time of a member; `null` when it is not in the heap. */
  dueOf(member: number): number | null {
    const at = this.#placeOf(member);
    return at < 0 ? null : this.#due[at]!;
  }

  /** Puts a member at a time, from wherever it was, behind those of the same time. */
  set(member: number, due: number): void {
    this.#turn += 1;
    let at = this.#placeOf(member);
    if (at < 0) {
      this.#grow(member);
      at = this.#size;
      this.#size += 1;
    }
    this.#put(at, member, due, this.#turn);
    this.#rise(at);
    this.#sink(this.#placeOf(member));
  }

  /** Takes a member out; nothing happens when it is not in the heap. */
  remove(member: number): void {
    const at = this.#placeOf(member);
    if (at < 0) return;
    this.#places[member] = 0;
    this.#size -= 1;
    const last = this.#size;
    if (at === last) return;
    const moved = this.#members[last]!;
    this.#put(at, moved, this.#due[last]!, this.#turns[last]!);
    this.#rise(at);
    this.#sink(this.#placeOf(moved));
  }

  #placeOf(member: number): number {
    return member < this.#places.length ? this.#places[member]! - 1 : -1;
  }

  #rise(from: number): void {
    const member = this.#members[from]!;
    const due = this.#due[from]!;
    const turn = this.#turns[from]!;
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 2;
      const dueAbove = this.#due[above]!;
      if (dueAbove < due || (dueAbove === due && this.#turns[above]! < turn)) break;
      this.#put(at, this.#members[above]!, dueAbove, this.#turns[above]!);
      at = above;
    }
    this.#put(at, member, due, turn);
  }

  #sink(from: number): void {
    const member = this.#members[from]!;
    const due = this.#due[from]!;
    const turn = this.#turns[from]!;
    let at = from;
    for (;;) {
      const first = WAYS * at + 1;
      if (first >= this.#size) break;
      const least = this.#leastOf(first, Math.min(first + WAYS, this.#size));
      const dueLeast = this.#due[least]!;
      if (due < dueLeast || (due === dueLeast && turn < this.#turns[least]!)) break;
      this.#put(at, this.#members[least]!, dueLeast, this.#turns[least]!);
      at = least;
    }
    this.#put(at, member, due, turn);
  }

  #leastOf(first: number, end: number): number {
    let least = first;
    for (let child = first + 1; child < end; child += 1) {
      const due = this.#due[child]!;
      const dueLeast = this.#due[least]!;
      if (due < dueLeast || (due === dueLeast && this.#turns[child]! < this.#turns[least]!)) least = child;
    }
    return least;
  }

  #put(at: number, member: number, due: number, turn: number): void {
    this.#members[at] = member;
    this.#due[at] = due;
    this.#turns[at] = turn;
    this.#places[member] = at + 1;
  }

  #grow(member: number): void {
    if (member >= this.#places.length) this.#places = grown(this.#places, member + 1);
    if (this.#size < this.#members.length) return;
    this.#members = grown(this.#members, this.#size + 1);
    this.#due = grown(this.#due, this.#size + 1);
    this.#turns = grown(this.#turns, this.#size + 1);
  }
}

function grown<T extends Int32Array | Float64Array>(array: T, least: number): T {
  const length = Math.max(2 * array.length, least);
  const larger = array instanceof Int32Array ? new Int32Array(length) : new Float64Array(length);
  larger.set(array);
  return larger as T;
}
