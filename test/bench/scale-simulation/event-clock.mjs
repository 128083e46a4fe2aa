// Virtual time for a simulation: time advances once everything that the last event started has settled. Between two
// events is one turn of the loop, in which all promises run, so the same web and the same seed take the same steps.

/** Epoch milliseconds at which every simulation starts. */
const START_MS = 1_700_000_000_000;
/** A run counts as stuck after so many events. */
const MAX_EVENTS = 50_000_000;

/**
 * A clock for `createFrontier`. `nowMs` is in whole milliseconds, like the platform's; `timeMs` has fractions.
 *
 * @returns `{ nowMs, timeMs, after, wait, run }`
 */
export function createEventClock() {
  const heap = [];
  let timeMs = START_MS;
  let order = 0;

  const after = (ms, fn) => {
    const event = { atMs: timeMs + Math.max(0, ms), order: order++, fn };
    push(heap, event);
    return () => {
      event.fn = null;
    };
  };
  return {
    nowMs: () => Math.floor(timeMs),
    timeMs: () => timeMs,
    after,
    /** Resolves after so many milliseconds. */
    wait: (ms) => new Promise((resolve) => after(ms, resolve)),
    /** From event to event, until `isOver()`. Rejects if no event is left. */
    async run(isOver) {
      for (let events = 0; events < MAX_EVENTS; events += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (isOver()) return;
        let event = pop(heap);
        while (event !== null && event.fn === null) event = pop(heap);
        if (event === null) throw new Error('nothing is left to happen, and the simulation is not over');
        timeMs = Math.max(timeMs, event.atMs);
        event.fn();
      }
      throw new Error(`the simulation is not over after ${MAX_EVENTS} events`);
    },
  };
}

const isBefore = (one, other) => one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

function push(heap, event) {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(event, heap[parent])) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = event;
}

function pop(heap) {
  if (heap.length === 0) return null;
  const first = heap[0];
  const last = heap.pop();
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child += 1;
    if (!isBefore(heap[child], last)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return first;
}
