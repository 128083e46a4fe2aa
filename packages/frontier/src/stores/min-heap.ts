// A small binary heap over a plain array: the queues inside one host, most of which hold one or two members.

/** The least member first. */
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
    let at = members.length;
    if (at === 0) {
      // The first push to an empty array would make room for seventeen.
      this.#members = [member];
      return;
    }
    members.push(member);
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

  /** To be called when the first member has become later. */
  sinkTop(): void {
    const members = this.#members;
    const size = members.length;
    const member = members[0];
    if (member === undefined) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isBefore(members[child + 1]!, members[child]!)) child += 1;
      if (!this.#isBefore(members[child]!, member)) break;
      members[at] = members[child]!;
      at = child;
    }
    members[at] = member;
  }
}
