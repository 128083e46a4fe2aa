// A binary heap over an array, the least member first.

export class MinHeap<T> {
  #members: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  peek(): T | undefined {
    return this.#members[0];
  }

  push(member: T): void {
    const members = this.#members;
    // The first push to an empty array would allocate seventeen slots, and most heaps have one member.
    if (members.length === 0) {
      this.#members = [member];
      return;
    }
    let at = members.push(member) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(member, members[above]!)) break;
      members[at] = members[above]!;
      at = above;
    }
    members[at] = member;
  }

  pop(): T | undefined {
    const members = this.#members;
    const last = members.pop();
    if (last === undefined || members.length === 0) return last;
    const top = members[0];
    members[0] = last;
    this.sinkTop();
    return top;
  }

  /** Restores the order after the first member has become greater. */
  sinkTop(): void {
    const members = this.#members;
    const member = members[0];
    if (member === undefined) return;
    let at = 0;
    for (let child = 1; child < members.length; child = 2 * at + 1) {
      if (child + 1 < members.length && this.#isBefore(members[child + 1]!, members[child]!)) child += 1;
      if (!this.#isBefore(members[child]!, member)) break;
      members[at] = members[child]!;
      at = child;
    }
    members[at] = member;
  }
}
