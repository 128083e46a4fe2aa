// The time index of leased hosts and of the memory store: a binary heap of numbered members by the time at which they
// are due, equal times in the order they were set. The place of each member is known, so that moving one is O(log n).

/** The heap. Members are whole numbers ≥ 0, best from 0 on without gaps. */
export class ReadyHeap {
  readonly #members: number[] = [];
  /** By member: its place + 1 (0: not in the heap), its time, and the turn in which that was set. */
  readonly #places: number[] = [];
  readonly #dues: number[] = [];
  readonly #turns: number[] = [];
  #turn = 0;

  /** Members in the heap. */
  get size(): number {
    return this.#members.length;
  }

  /** The earliest member. */
  peek(): number | undefined {
    return this.#members[0];
  }

  /** The earliest time; `null` when empty. */
  earliest(): number | null {
    return this.size === 0 ? null : this.#dues[this.#members[0]!]!;
  }

  /** The time of a member; `null` when it is not in the heap. */
  dueOf(member: number): number | null {
    return this.#has(member) ? this.#dues[member]! : null;
  }

  /** Puts a member at a time, from wherever it was, behind those of the same time. */
  set(member: number, due: number): void {
    this.#turn += 1;
    this.#dues[member] = due;
    this.#turns[member] = this.#turn;
    if (!this.#has(member)) this.#put(this.size, member);
    this.#settle(member);
  }

  /** Takes a member out; nothing happens when it is not in the heap. */
  remove(member: number): void {
    if (!this.#has(member)) return;
    const at = this.#places[member]! - 1;
    this.#places[member] = 0;
    const last = this.#members.pop()!;
    if (last === member) return;
    this.#put(at, last);
    this.#settle(last);
  }

  #has(member: number): boolean {
    return (this.#places[member] ?? 0) > 0;
  }

  /** Moves a member up or down to where it belongs. */
  #settle(member: number): void {
    const members = this.#members;
    let at = this.#places[member]! - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.#isBefore(member, members[above]!); above = (at - 1) >> 1) {
      this.#put(at, members[above]!);
      at = above;
    }
    for (let child = 2 * at + 1; child < members.length; child = 2 * at + 1) {
      if (child + 1 < members.length && this.#isBefore(members[child + 1]!, members[child]!)) child += 1;
      if (!this.#isBefore(members[child]!, member)) break;
      this.#put(at, members[child]!);
      at = child;
    }
    this.#put(at, member);
  }

  #isBefore(one: number, other: number): boolean {
    const due = this.#dues[one]!;
    const dueOther = this.#dues[other]!;
    return due < dueOther || (due === dueOther && this.#turns[one]! < this.#turns[other]!);
  }

  #put(at: number, member: number): void {
    this.#members[at] = member;
    this.#places[member] = at + 1;
  }
}
