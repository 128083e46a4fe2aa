// One listener per signal for any number of waiting functions: a crawl adds and removes one every millisecond. With the
// platform's listeners, or a `Set`, removed functions and their pages stay reachable until the next full collection. A
// list with reused slots keeps nothing.

/** The functions that wait for one signal, and the indexes of those that no longer do. */
interface AbortListeners {
  readonly slots: ((() => void) | null)[];
  readonly free: number[];
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
  const { slots, free } = listenersOf.get(signal) ?? listenTo(signal);
  const index = free.pop() ?? slots.length;
  slots[index] = fn;
  let isWaiting = true;
  return () => {
    if (!isWaiting) return;
    isWaiting = false;
    slots[index] = null;
    free.push(index);
  };
}

function listenTo(signal: AbortSignal): AbortListeners {
  const listeners: AbortListeners = { slots: [], free: [] };
  listenersOf.set(signal, listeners);
  const callAll = (): void => {
    for (const fn of listeners.slots.slice()) fn?.();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return listeners;
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
