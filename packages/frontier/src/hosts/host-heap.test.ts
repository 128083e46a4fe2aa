// The order in which hosts are asked: a heap that loses one host starves it for ever.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHostHeap } from './host-heap.js';

describe('the heap of hosts', () => {
  it('agrees with a sorted list under any sequence of placing and taking', () => {
    const step = fc.record({ host: fc.nat(12), atMs: fc.option(fc.nat(20)), takes: fc.boolean(), nowMs: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const heap = createHostHeap<{ heapAt: number; name: number }>();
        const hosts = Array.from({ length: 13 }, (_, name) => ({ heapAt: -1, name }));
        let model: { name: number; atMs: number }[] = [];
        for (const { host, atMs, takes, nowMs } of steps) {
          if (takes) {
            // Equal times: first placed first, which a stable sort keeps.
            const first = model.toSorted((a, b) => a.atMs - b.atMs)[0];
            const due = first !== undefined && first.atMs <= nowMs ? first.name : null;
            expect(heap.popDue(nowMs)?.name ?? null).toBe(due);
            model = model.filter((one) => one.name !== due);
          } else {
            heap.place(hosts[host]!, atMs);
            model = model.filter((one) => one.name !== host);
            if (atMs !== null) model.push({ name: host, atMs });
          }
          const earliest = model.length === 0 ? null : Math.min(...model.map((one) => one.atMs));
          expect(heap.earliestMs()).toBe(earliest);
        }
      }),
      { seed: 7 },
    );
  });
});
