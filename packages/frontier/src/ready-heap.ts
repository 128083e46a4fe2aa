// Members ordered by the time at which they are due; equal times are in the order in which they were set. It is a
// binary heap. A member knows its index, so moving one is O(log n).

/** A member: an object that is in one heap at a time. */
export interface HeapMember {
  /** Its index in the heap, initially -1. Only the heap changes it. */
  heapIndex: number;
}

/** The heap. Times are next to each other in memory, so comparing members does not read them. */
export class ReadyHeap<Member extends HeapMember = HeapMember> {
  readonly #members: Member[] = [];
  readonly #dueTimes: number[] = [];
  /** By member: the number of the call that set its time. Lower ones go first. */
  readonly #sequences: number[] = [];
  #sequence = 0;

  /** Members in the heap, in no particular order. */
  get members(): readonly Member[] {
    return this.#members;
  }

  peek(): Member | undefined {
    return this.#members[0];
  }

  /** The earliest time; `null`: the heap is empty. */
  earliest(): number | null {
    return this.#dueTimes[0] ?? null;
  }

  /** The time of a member; `null`: it is not in this heap. */
  dueOf(member: Member): number | null {
    return this.#has(member) ? this.#dueTimes[member.heapIndex]! : null;
  }

  /** Puts a member at a time, wherever it was in this heap, behind members with the same time. */
  set(member: Member, due: number): void {
    this.#sequence += 1;
    this.#siftFrom(this.#has(member) ? member.heapIndex : this.#members.length, member, due, this.#sequence);
  }

  /** Removes a member; has no effect if it is not in this heap. */
  remove(member: Member): void {
    if (!this.#has(member)) return;
    const at = member.heapIndex;
    member.heapIndex = -1;
    const last = this.#members.pop()!;
    const due = this.#dueTimes.pop()!;
    const sequence = this.#sequences.pop()!;
    if (last !== member) this.#siftFrom(at, last, due, sequence);
  }

  popDue(now: number): Member | undefined {
    const first = this.#members[0];
    if (first === undefined || this.#dueTimes[0]! > now) return undefined;
    this.remove(first);
    return first;
  }

  #has(member: Member): boolean {
    return this.#members[member.heapIndex] === member;
  }

  /** Puts a member in its place, starting from a free place. */
  #siftFrom(free: number, member: Member, due: number, sequence: number): void {
    let at = free;
    for (let above = (at - 1) >> 1; at > 0 && !this.#isBefore(above, due, sequence); above = (at - 1) >> 1) {
      this.#put(at, this.#members[above]!, this.#dueTimes[above]!, this.#sequences[above]!);
      at = above;
    }
    for (let child = 2 * at + 1; child < this.#members.length; child = 2 * at + 1) {
      const right = child + 1;
      if (right < this.#members.length && this.#isBefore(right, this.#dueTimes[child]!, this.#sequences[child]!))
        child = right;
      if (!this.#isBefore(child, due, sequence)) break;
      this.#put(at, this.#members[child]!, this.#dueTimes[child]!, this.#sequences[child]!);
      at = child;
    }
    this.#put(at, member, due, sequence);
  }

  /** Whether the member at a place goes before one with this time, set by the call with this number. */
  #isBefore(at: number, due: number, sequence: number): boolean {
    const own = this.#dueTimes[at]!;
    return own < due || (own === due && this.#sequences[at]! < sequence);
  }

  #put(at: number, member: Member, due: number, sequence: number): void {
    this.#members[at] = member;
    this.#dueTimes[at] = due;
    this.#sequences[at] = sequence;
    member.heapIndex = at;
  }
}
