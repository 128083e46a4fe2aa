// What one host may give: pages, bytes, running minutes. Counted beside its lease, so over restarts and processes.
// A host that has given it all is remembered, so that its links need not be queued only to be dropped.

import { createRecentSet } from '../recent-set.js';
import type { Bounds } from '../records/budget.js';
import type { LeasedHost } from './leased-host.js';
import { EXHAUSTED_HOSTS } from './limits.js';

/** Why a host gives nothing more: words of the table of reasons. */
export type HostBound = 'bound-host-pages' | 'bound-host-bytes' | 'bound-host-minutes';

/** The bounds of hosts. */
export interface HostBounds {
  /** The bound that the host has used up; `null`: none. */
  spent(host: LeasedHost, nowMs: number): HostBound | null;
  /** The same of a host that is not held. */
  spentBy(used: Pick<LeasedHost, 'pages' | 'bytes' | 'firstRunMs'>, nowMs: number): HostBound | null;
  /** Whether what is in hand of it may use up the rest of its pages. */
  mayBeSpent(host: LeasedHost): boolean;
  /** Remembers a host that has used up a bound. */
  note(host: LeasedHost, nowMs: number): void;
  /** What is remembered of a host; `null`: nothing, whatever it has given. */
  known(host: string): HostBound | null;
}

const WORDS: readonly HostBound[] = ['bound-host-pages', 'bound-host-bytes', 'bound-host-minutes'];

/** @param runningMs - The crawl's running time at a time: a host's minutes count from its first request. @throws Never. */
export function createHostBounds(bounds: Bounds, runningMs: (nowMs: number) => number): HostBounds {
  const { pagesPerHost, bytesPerHost, runningPerHostMs } = bounds;
  const isAny = pagesPerHost !== null || bytesPerHost !== null || runningPerHostMs !== null;
  const exhausted = createRecentSet(EXHAUSTED_HOSTS);
  const spent = (host: Pick<LeasedHost, 'pages' | 'bytes' | 'firstRunMs'>, nowMs: number): HostBound | null => {
    if (!isAny) return null;
    if (pagesPerHost !== null && host.pages >= pagesPerHost) return 'bound-host-pages';
    if (bytesPerHost !== null && host.bytes >= bytesPerHost) return 'bound-host-bytes';
    const ranMs = host.firstRunMs === null ? 0 : runningMs(nowMs) - host.firstRunMs;
    return runningPerHostMs !== null && ranMs >= runningPerHostMs ? 'bound-host-minutes' : null;
  };
  return {
    spent,
    spentBy: spent,
    mayBeSpent: (host) => pagesPerHost !== null && host.pages + host.pagesInHand >= pagesPerHost,
    note(host, nowMs) {
      const word = spent(host, nowMs);
      if (word !== null) exhausted.add(`${word} ${host.key}`);
    },
    known: (host) => (isAny ? (WORDS.find((word) => exhausted.has(`${word} ${host}`)) ?? null) : null),
  };
}
