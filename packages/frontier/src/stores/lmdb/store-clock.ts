// The store's clock. Durations must survive restarts, and a wall clock that is set right by a step, in either direction,
// must not shorten a site's peace. On Linux the clock is therefore the machine's monotonic one, the same in all its
// processes, plus an offset that is fixed once per boot and kept in the file. Elsewhere nothing names a boot, and the
// clock is the wall's at open, going on by the monotonic one. It never goes back: the file knows the latest time.

import { bootName } from '../processes/proc-files.js';
import type { Table } from './environment.js';

const KEY = Buffer.from('clock');

interface Anchor {
  readonly boot: string;
  readonly offsetMs: number;
}

/**
 * The clock of a file. Inside a transaction.
 *
 * @param latestMs - The latest time the file knows.
 */
export function anchorClock(meta: Table, latestMs: number): () => number {
  const boot = bootName();
  const kept = meta.getBinary(KEY);
  const anchor = kept === undefined ? null : (JSON.parse(kept.toString()) as Anchor);
  const isSameBoot = boot !== null && anchor?.boot === boot;
  const offsetMs = isSameBoot ? anchor.offsetMs : Math.max(Date.now(), latestMs) - monotonicMs();
  if (!isSameBoot && boot !== null) meta.putSync(KEY, Buffer.from(JSON.stringify({ boot, offsetMs })));
  return () => offsetMs + monotonicMs();
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
