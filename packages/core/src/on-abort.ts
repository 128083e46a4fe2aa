// One listener per signal for any number of waiting functions: a crawl adds and removes one every millisecond. With the
// platform's listeners, or a `Set`, removed functions and their pages stay reachable until the next full collection. A
// list with reused slots keeps nothing.

/** The functions that wait for one signal. */
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

  callAll(): void {
    for (const fn of this.#places.slice()) fn?.();
  }
}

/** A signal that is never aborted. */
export const NEVER_ABORTED: AbortSignal = new AbortController().signal;

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/** The result; `null` once the signal is aborted, without waiting for the end. */
export function unlessAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(null);
    const ignoreAbort = onAbort(signal, () => resolve(null));
    asked.then(resolve, reject).finally(ignoreAbort);
  });
}

/** Calls a function once when a signal is aborted, not if it already is. @returns Removes it; safe to call twice. */
export function onAbort(signal: AbortSignal, fn: () => void): () => void {
  let waiting = waitingFor.get(signal);
  if (waiting === undefined) {
    const all = new Waiting();
    waiting = all;
    waitingFor.set(signal, all);
    signal.addEventListener('abort', () => all.callAll(), { once: true });
  }
  const all = waiting;
  let place: number | null = all.add(fn);
  return () => {
    if (place !== null) all.remove(place);
    place = null;
  };
}
