// One listener per signal, however many functions wait for it.
//
// A crawl has one signal, and a request or a handler for it every millisecond. The platform chains its listeners, and a
// set that is added to and deleted from is copied again and again, so that removed functions, and the pages that they
// refer to, stay reachable until the next full collection. Hence a list of places: a free place holds nothing.

/** Those who wait for one signal. */
class Waiting {
  readonly #places: ((() => void) | null)[] = [];
  readonly #free: number[] = [];

  add(fn: () => void): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = fn;
    return place;
  }

  remove(place: number): void {
    this.#places[place] = null;
    this.#free.push(place);
  }

  tellAll(): void {
    for (const fn of this.#places.slice()) fn?.();
  }
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls a function once when a signal is aborted; not when it was aborted before.
 *
 * @returns What takes the function off again; safe to call twice.
 * @throws Never.
 */
export function onAbort(signal: AbortSignal, fn: () => void): () => void {
  let waiting = waitingFor.get(signal);
  if (waiting === undefined) {
    const all = new Waiting();
    waiting = all;
    waitingFor.set(signal, all);
    signal.addEventListener('abort', () => all.tellAll(), { once: true });
  }
  const all = waiting;
  let place: number | null = all.add(fn);
  return () => {
    if (place !== null) all.remove(place);
    place = null;
  };
}
