// The time index decides which host is next. A host in the wrong place is requested too early or never again.

import { describe, expect, it } from 'vitest';
import { type HeapMember, ReadyHeap } from './ready-heap.js';

interface Host extends HeapMember {
  readonly name: number;
  /** The model's value. */
  due: number | null;
  step: number;
}

describe('the ready heap', () => {
  it('agrees with a sorted list under random moves and removals', () => {
    let state = 20_261_120;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >>> 8) % below;
    };
    const heap = new ReadyHeap<Host>();
    const hosts = Array.from({ length: 60 }, (_, at): Host => ({ heapIndex: -1, name: 7 * at, due: null, step: 0 }));
    const wrong: string[] = [];
    for (let step = 1; step <= 20_000; step += 1) {
      const host = hosts[random(hosts.length)]!;
      if (random(3) === 0) {
        heap.remove(host);
        host.due = null;
      } else {
        host.due = random(40);
        host.step = step;
        heap.set(host, host.due);
      }
      const held = hosts.filter(({ due }) => due !== null);
      const first = held.toSorted((a, b) => (a.due ?? 0) - (b.due ?? 0) || a.step - b.step)[0];
      const got = [heap.peek()?.name, heap.earliest(), heap.members.length, heap.dueOf(host)];
      const expected = [first?.name, first?.due ?? null, held.length, host.due];
      if (String(got) !== String(expected)) wrong.push(`step ${step}: ${got} instead of ${expected}`);
    }
    expect(wrong).toEqual([]);
  });

  it('does not change a member of another heap', () => {
    const [heap, other] = [new ReadyHeap(), new ReadyHeap()];
    const [one, another] = [{ heapIndex: -1 }, { heapIndex: -1 }];
    heap.set(one, 3);
    other.remove(one);
    heap.remove(another);
    expect([heap.popDue(2), heap.popDue(3), heap.peek(), heap.earliest()]).toEqual([undefined, one, undefined, null]);
  });
});
