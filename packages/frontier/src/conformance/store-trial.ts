// One test of the suite, as the files of trials list it.

import type { Trial } from './trial.js';

/** One test of the suite. */
export interface StoreTrial {
  /** `A1` … `X4`, or several. */
  readonly invariants: readonly string[];
  /** A sentence. */
  readonly title: string;
  readonly run: (trial: Trial) => Promise<void>;
  /** Asked of `makeStore`. */
  readonly maxQueued?: number;
}
