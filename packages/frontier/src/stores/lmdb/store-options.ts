// The options of the lmdb store, checked and filled in.

import { FrontierError } from '../../errors.js';
import { POLITENESS_MS_MAX, QUEUED_MAX } from '../../limits.js';
import { wholeWithin } from '../whole-within.js';

const COMMIT_EVERY_MS = 50;
const COMMIT_EVERY_MOST_MS = 1_000;
const FIRST_DELAY_MS = 1_000;
const SEEN_BUDGET_BYTES = 268_435_456;
const SEEN_BUDGET_LEAST_BYTES = 65_536;

/** Options of the lmdb store. */
export interface LmdbStoreOptions {
  /** The folder, for this store alone, on a local disk. Made, with its parents, where `open` may create. */
  readonly path: string;
  /** Who crawls, usually the product token. A folder of another identity is refused. @default not compared */
  readonly identity?: string;
  /** Most unfinished entries, of all processes together. More are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /**
   * Bytes of memory for fingerprints, some 12 each. Beyond it they are looked up in the file, which takes some 3 µs
   * more.
   * @default 268,435,456, for 20 million; at least 65,536
   */
  readonly seenBudget?: number;
  /**
   * Most milliseconds between two commits while verbs keep coming. A higher value saves work, and every settlement
   * waits up to this long.
   * @default 50; 0 to 1,000
   */
  readonly commitEveryMs?: number;
  /**
   * Milliseconds a host waits when its holder died before it committed the host's delay: the first request may have
   * been sent. Set it to the shortest interval of the crawl where that is longer.
   * @default 1,000; 0 to 86,400,000
   */
  readonly firstDelayMs?: number;
  /** The store's clock, milliseconds, for tests. It must go on across restarts and be the same in all processes. */
  readonly nowMs?: () => number;
}

/** Every option, filled in. */
export interface LmdbSettings {
  readonly path: string;
  /** Empty: not compared. */
  readonly identity: string;
  readonly maxQueued: number;
  readonly seenBudgetBytes: number;
  readonly commitEveryMs: number;
  readonly firstDelayMs: number;
  /** `null`: the machine's own. */
  readonly nowMs: (() => number) | null;
}

const KNOWN = new Set(['path', 'identity', 'maxQueued', 'seenBudget', 'commitEveryMs', 'firstDelayMs', 'nowMs']);

/** @throws FrontierError `option-invalid`. */
export function resolveLmdbOptions(options: LmdbStoreOptions): LmdbSettings {
  for (const name of Object.keys(options)) {
    if (!KNOWN.has(name)) throw new FrontierError('option-invalid', `the lmdb store has no option \`${name}\``);
  }
  if (typeof options.path !== 'string' || options.path === '') {
    throw new FrontierError('option-invalid', `expected \`path\` to name a folder, got ${String(options.path)}`);
  }
  const { path, identity = '', nowMs = null } = options;
  return {
    path,
    identity,
    nowMs,
    maxQueued: wholeWithin('maxQueued', options.maxQueued ?? QUEUED_MAX, 1, Number.MAX_SAFE_INTEGER),
    seenBudgetBytes: wholeWithin(
      'seenBudget',
      options.seenBudget ?? SEEN_BUDGET_BYTES,
      SEEN_BUDGET_LEAST_BYTES,
      Number.MAX_SAFE_INTEGER,
    ),
    commitEveryMs: wholeWithin('commitEveryMs', options.commitEveryMs ?? COMMIT_EVERY_MS, 0, COMMIT_EVERY_MOST_MS),
    firstDelayMs: wholeWithin('firstDelayMs', options.firstDelayMs ?? FIRST_DELAY_MS, 0, POLITENESS_MS_MAX),
  };
}
