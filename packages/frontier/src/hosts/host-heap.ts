// The hosts we hold in the order in which they may be asked next: the ready heap, with a number for each host while it
// stands in it.

import { ReadyHeap } from '../ready-heap.js';

/** What can stand in the heap. One heap at a time. */
export interface HeapHost {
  /** Its number there, -1 outside. Written by the heap only. */
  heapAt: number;
}

/** Hosts by their next time. */
export interface HostHeap<T extends HeapHost> {
  /** Puts the host at a time, from wherever it was; `null` takes it out. */
  place(host: T, atMs: number | null): void;
  /** Takes out the earliest host whose time has come; `null` when there is none. Equal times: first placed first. */
  popDue(nowMs: number): T | null;
  /** The earliest time; `null` when empty. */
  earliestMs(): number | null;
}

/** @throws Never. */
export function createHostHeap<T extends HeapHost>(): HostHeap<T> {
  const heap = new ReadyHeap();
  const hosts: (T | null)[] = [];
  const free: number[] = [];

  const remove = (host: T) => {
    const number = host.heapAt;
    if (number < 0) return;
    heap.remove(number);
    hosts[number] = null;
    free.push(number);
    host.heapAt = -1;
  };
  return {
    place(host, atMs) {
      if (atMs === null) {
        remove(host);
        return;
      }
      if (host.heapAt < 0) {
        host.heapAt = free.pop() ?? hosts.length;
        hosts[host.heapAt] = host;
      }
      heap.set(host.heapAt, atMs);
    },
    popDue(nowMs) {
      const number = heap.peek();
      if (number === undefined || heap.earliest()! > nowMs) return null;
      const host = hosts[number]!;
      remove(host);
      return host;
    },
    earliestMs: () => heap.earliest(),
  };
}
