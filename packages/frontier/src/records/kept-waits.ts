// Waits over restarts. Each process keeps those of the hosts it gave back in a part of its own, so that none overwrites another's;
// whoever opens the crawl reads all parts.

import type { HostWait } from '../frontier-event.js';
import type { FrontierStore } from '../store.js';
import { WAITS_RECORDED } from './limits.js';
import type { PartRecords } from './part-records.js';
import type { Waits } from './waits.js';

const KEY = 'waits';

/** What the store remembers of waits. */
export interface KeptWaits {
  /** Reads what all processes kept. */
  open(): Promise<void>;
  /** Writes ours. */
  save(): Promise<void>;
}

/** @throws Never; its promises reject with what the store throws. */
export function createKeptWaits(
  waits: Waits,
  records: PartRecords,
  store: FrontierStore,
  nowMs: () => number,
): KeptWaits {
  return {
    async open() {
      const parts = [...(await records.readAll(KEY)).values()];
      const kept = parts.flatMap((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as HostWait[]);
      const timed = kept.filter(({ untilMs }) => untilMs !== null);
      const endless = new Map(kept.filter(({ untilMs }) => untilMs === null).map((wait) => [wait.host, wait]));
      for (const wait of timed) waits.note(wait);
      // The part of a process that is gone stays as it was, and somebody may have woken the host since.
      for (const wait of [...endless.values()].slice(0, WAITS_RECORDED)) {
        const host = await store.readHost?.(wait.host);
        if (host === undefined || host?.isParked === true) waits.note(wait);
      }
    },
    save: () => records.write(KEY, new TextEncoder().encode(JSON.stringify(waits.worthKeeping(nowMs())))),
  };
}
