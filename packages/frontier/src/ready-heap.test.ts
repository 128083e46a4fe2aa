// The time index decides who is asked next. A host out of its place is a host asked too early or never again.

import { describe, expect, it } from 'vitest';
import { ReadyHeap } from './ready-heap.js';

interface Host {
  readonly name: number;
  /** What the model says. */
  due: number | null;
  turn: number;
}

describe('the ready heap', () => {
  it('agrees with a sorted list under random moves and removals', () => {
    let state = 20_261_120;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >>> 8) % below;
    };
    const heap = new ReadyHeap();
    const hosts = Array.from({ length: 60 }, (_, at): Host => ({ name: 7 * at, due: null, turn: 0 }));
    const wrong: string[] = [];
    for (let step = 1; step <= 20_000; step += 1) {
      const host = hosts[random(hosts.length)]!;
      if (random(3) === 0) {
        heap.remove(host.name);
        host.due = null;
      } else {
        host.due = random(40);
        host.turn = step;
        heap.set(host.name, host.due);
      }
      const held = hosts.filter(({ due }) => due !== null);
      const first = held.toSorted((a, b) => (a.due ?? 0) - (b.due ?? 0) || a.turn - b.turn)[0];
      const got = [heap.peek(), heap.earliest(), heap.size, heap.dueOf(host.name)];
      const wanted = [first?.name, first?.due ?? null, held.length, host.due];
      if (String(got) !== String(wanted)) wrong.push(`step ${step}: ${got} instead of ${wanted}`);
    }
    expect(wrong).toEqual([]);
  });

  it('knows nothing of a number it was never given', () => {
    const heap = new ReadyHeap();
    heap.remove(1_000_000);
    expect([heap.dueOf(1_000_000), heap.peek(), heap.earliest(), heap.size]).toEqual([null, undefined, null, 0]);
  });
});
