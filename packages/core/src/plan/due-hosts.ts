// Hosts by the time at which each may be asked next, the earliest first: a binary heap.

/** A queue of what is due when. */
export interface DueQueue<T> {
  push(atMs: number, value: T): void;
  /** The earliest; of several at one time any. `null`: empty. */
  pop(): { readonly atMs: number; readonly value: T } | null;
}

/** Makes an empty queue. @throws Never */
export function createDueQueue<T>(): DueQueue<T> {
  const heap: { readonly atMs: number; readonly value: T }[] = [];
  const at = (index: number): number => heap[index]?.atMs ?? Number.POSITIVE_INFINITY;
  const swap = (one: number, other: number): void => {
    const kept = heap[one];
    const moved = heap[other];
    if (kept === undefined || moved === undefined) return;
    heap[one] = moved;
    heap[other] = kept;
  };
  return {
    push(atMs, value) {
      heap.push({ atMs, value });
      for (let index = heap.length - 1; index > 0; ) {
        const above = (index - 1) >> 1;
        if (at(above) <= at(index)) return;
        swap(above, index);
        index = above;
      }
    },
    pop() {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined) return null;
      if (heap.length === 0) return first;
      heap[0] = last;
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        const least = at(left + 1) < at(left) ? left + 1 : left;
        if (at(index) <= at(least)) return first;
        swap(index, least);
        index = least;
      }
    },
  };
}
