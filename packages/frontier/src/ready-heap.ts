// The one time index of a store, and of the hosts in hand: numbered members by the time at which they are due, equal
// times in the order they were set.
//
//            0
//     1   2   3   4          children of i: 4i+1 … 4i+4
//   5…8 9…12 …
//
// Four children instead of two halve the depth, and the four keys of one family lie in one cache line. Members are small
// whole numbers and everything is a typed array: 28 bytes a member. Each place is known, so moving one is O(log n) and
// nothing stale is ever left behind.

const WAYS = 4;
const FIRST_SLOTS = 16;

/** A 4-ary heap with places. All costs O(log n), `peek` O(1). Members are whole numbers ≥ 0, best from 0 on without gaps. */
export class ReadyHeap {
  #members = new Int32Array(FIRST_SLOTS);
  #due = new Float64Array(FIRST_SLOTS);
  #turns = new Float64Array(FIRST_SLOTS);
  /** Place of a member + 1; 0: not held. */
  #places = new Int32Array(FIRST_SLOTS);
  #size = 0;
  #turn = 0;

  /** Members held. */
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

  /** The turn of the earliest member; the last there is when empty. */
  earliestTurn(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#turns[0]!;
  }

  /** The time of a member; `null` when it is not held. */
  dueOf(member: number): number | null {
    const at = this.#placeOf(member);
    return at < 0 ? null : this.#due[at]!;
  }

  /** Puts a member at a time, from wherever it was, behind those of the same time, or by its `turn` among them. */
  set(member: number, due: number, turn = this.#turn + 1): void {
    this.#turn = turn;
    let at = this.#placeOf(member);
    if (at < 0) {
      this.#makeRoom(member);
      at = this.#size;
      this.#size += 1;
    }
    this.#put(at, member, due, turn);
    this.#rise(at);
    this.#sink(this.#placeOf(member));
  }

  /** Takes a member out; nothing happens when it is not held. */
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

  #makeRoom(member: number): void {
    if (member >= this.#places.length) {
      const places = new Int32Array(Math.max(2 * this.#places.length, member + 1));
      places.set(this.#places);
      this.#places = places;
    }
    if (this.#size < this.#members.length) return;
    const slots = 2 * this.#members.length;
    const members = new Int32Array(slots);
    const due = new Float64Array(slots);
    const turns = new Float64Array(slots);
    members.set(this.#members);
    due.set(this.#due);
    turns.set(this.#turns);
    this.#members = members;
    this.#due = due;
    this.#turns = turns;
  }
}
