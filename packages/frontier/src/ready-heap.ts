// Members ordered by the time at which they are due; equal times are in the order in which they were set. It is a
// binary heap. A member knows its place, so moving one is O(log n).

/** A member: an object that is in one heap at a time. */
export interface HeapMember {
  /** Its place in the heap, initially -1. Only the heap changes it. */
  place: number;
}

/** The heap. Times are next to each other in memory, so comparing members does not read them. */
export class ReadyHeap<Member extends HeapMember = HeapMember> {
  readonly #members: Member[] = [];
  readonly #dues: number[] = [];
  /** The turn in which each time was set. */
  readonly #turns: number[] = [];
  #turn = 0;

  /** Members in the heap, in no particular order. */
  get members(): readonly Member[] {
    return this.#members;
  }

  peek(): Member | undefined {
    return this.#members[0];
  }

  /** The earliest time; `null`: the heap is empty. */
  earliest(): number | null {
    return this.#dues[0] ?? null;
  }

  /** The time of a member; `null`: it is not in this heap. */
  dueOf(member: Member): number | null {
    return this.#has(member) ? this.#dues[member.place]! : null;
  }

  /** Puts a member at a time, wherever it was in this heap, behind members with the same time. */
  set(member: Member, due: number): void {
    this.#turn += 1;
    this.#settle(this.#has(member) ? member.place : this.#members.length, member, due, this.#turn);
  }

  /** Removes a member; has no effect if it is not in this heap. */
  remove(member: Member): void {
    if (!this.#has(member)) return;
    const at = member.place;
    member.place = -1;
    const last = this.#members.pop()!;
    const due = this.#dues.pop()!;
    const turn = this.#turns.pop()!;
    if (last !== member) this.#settle(at, last, due, turn);
  }

  popDue(now: number): Member | undefined {
    const first = this.#members[0];
    if (first === undefined || this.#dues[0]! > now) return undefined;
    this.remove(first);
    return first;
  }

  #has(member: Member): boolean {
    return this.#members[member.place] === member;
  }

  /** Puts a member in its place, starting from a free place. */
  #settle(free: number, member: Member, due: number, turn: number): void {
    let at = free;
    for (let above = (at - 1) >> 1; at > 0 && !this.#isBefore(above, due, turn); above = (at - 1) >> 1) {
      this.#put(at, this.#members[above]!, this.#dues[above]!, this.#turns[above]!);
      at = above;
    }
    for (let child = 2 * at + 1; child < this.#members.length; child = 2 * at + 1) {
      const right = child + 1;
      if (right < this.#members.length && this.#isBefore(right, this.#dues[child]!, this.#turns[child]!)) child = right;
      if (!this.#isBefore(child, due, turn)) break;
      this.#put(at, this.#members[child]!, this.#dues[child]!, this.#turns[child]!);
      at = child;
    }
    this.#put(at, member, due, turn);
  }

  /** Whether the member at a place goes before one with this time, set in this turn. */
  #isBefore(at: number, due: number, turn: number): boolean {
    const own = this.#dues[at]!;
    return own < due || (own === due && this.#turns[at]! < turn);
  }

  #put(at: number, member: Member, due: number, turn: number): void {
    this.#members[at] = member;
    this.#dues[at] = due;
    this.#turns[at] = turn;
    member.place = at;
  }
}
