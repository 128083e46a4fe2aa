// One listener per signal for any number of waiting functions: a crawl adds and removes one every millisecond. With the
// platform's listeners, or a `Set`, removed functions and their pages stay reachable until the next full collection. A
// list with reused slots keeps nothing.

/** The functions that wait for one signal. */
class AbortListeners {
  readonly #listeners: ((() => void) | null)[] = [];
  readonly #free: number[] = [];

  add(fn: () => void): number {
    const index = this.#free.pop() ?? this.#listeners.length;
    this.#listeners[index] = fn;
    return index;
  }

  remove(index: number): void {
    this.#listeners[index] = null;
    this.#free.push(index);
  }

  callAll(): void {
    for (const fn of this.#listeners.slice()) fn?.();
  }
}

/** A signal that is never aborted. */
export const NEVER_ABORTED: AbortSignal = new AbortController().signal;

const listenersOf = new WeakMap<AbortSignal, AbortListeners>();

/** The result; `null` once the signal is aborted, without waiting for the end. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(null);
    const ignoreAbort = onAbort(signal, () => resolve(null));
    promise.then(resolve, reject).finally(ignoreAbort);
  });
}

/** Calls a function once when a signal is aborted, not if it already is. @returns Removes it; safe to call twice. */
export function onAbort(signal: AbortSignal, fn: () => void): () => void {
  let listeners = listenersOf.get(signal);
  if (listeners === undefined) {
    const all = new AbortListeners();
    listeners = all;
    listenersOf.set(signal, all);
    signal.addEventListener('abort', () => all.callAll(), { once: true });
  }
  const all = listeners;
  let index: number | null = all.add(fn);
  return () => {
    if (index !== null) all.remove(index);
    index = null;
  };
}

/** A signal that is aborted with the first of two. */
interface EitherSignal {
  readonly signal: AbortSignal;
  /** Ends the link to both: call it when nothing waits for the signal any more. */
  readonly release: () => void;
}

/** In place of `AbortSignal.any`, whose signal Node.js keeps for ever once it has a listener. */
export function abortedByEither(first: AbortSignal, second: AbortSignal): EitherSignal {
  const aborting = new AbortController();
  const releases = [first, second].map((each) => {
    if (each.aborted) aborting.abort(each.reason);
    return onAbort(each, () => aborting.abort(each.reason));
  });
  const release = (): void => {
    for (const end of releases) end();
  };
  return { signal: aborting.signal, release };
}
