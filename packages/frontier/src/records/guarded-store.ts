// A store that fails once has failed for good: nobody knows what it kept, and going on from a guess could ask a host too
// early. Every verb passes here; the first that throws makes all later ones throw the same.

import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';
import { aroundStore } from './around-store.js';

/** A store and whether it still works. */
export interface GuardedStore {
  readonly store: FrontierStore;
  /** What it failed with; `null` while it works. */
  readonly failure: () => FrontierError | null;
}

/**
 * Wraps a store. Its own refusals (`record-too-large`, `store-mismatch`, …) pass as they are and break nothing.
 *
 * @throws Never; the verbs reject with `store-failed`, the store's error as `cause`.
 */
export function guardStore(inner: FrontierStore): GuardedStore {
  let failure: FrontierError | null = null;
  const guarded = async <T>(verb: () => Promise<T>): Promise<T> => {
    if (failure !== null) throw failure;
    try {
      return await verb();
    } catch (cause) {
      if (cause instanceof FrontierError && cause.code !== 'store-failed') throw cause;
      failure ??=
        cause instanceof FrontierError
          ? cause
          : new FrontierError('store-failed', 'the store failed; the frontier stops', { cause });
      throw failure;
    }
  };
  return { store: aroundStore(inner, guarded), failure: () => failure };
}
