// How much one host may serve: pages, bytes, running minutes. Counted with its lease, so over restarts and processes.
// A host that has used up a bound is remembered, so that its links are not queued only to be dropped.

import { createRecentSet } from '../recent-set.js';
import type { Bounds, Budget } from '../records/budget.js';
import type { HostUse } from './host-state.js';
import type { LeasedHost } from './leased-host.js';
import { EXHAUSTED_HOSTS } from './limits.js';

/** Which bound a host has used up: reasons of the documented table. */
export type HostBound = 'bound-host-pages' | 'bound-host-bytes' | 'bound-host-minutes';

const BOUNDS: readonly HostBound[] = ['bound-host-pages', 'bound-host-bytes', 'bound-host-minutes'];

export class HostBounds {
  readonly #bounds: Bounds;
  readonly #budget: Pick<Budget, 'runningMs'>;
  readonly #isAny: boolean;
  readonly #exhausted = createRecentSet(EXHAUSTED_HOSTS);

  constructor(bounds: Bounds, budget: Pick<Budget, 'runningMs'>) {
    this.#bounds = bounds;
    this.#budget = budget;
    const { pagesPerHost, bytesPerHost, runningPerHostMs } = bounds;
    this.#isAny = pagesPerHost !== null || bytesPerHost !== null || runningPerHostMs !== null;
  }

  /** The bound that a host has used up; `null`: none. */
  usedUp({ pages, bytes, firstRunMs }: HostUse, nowMs: number): HostBound | null {
    if (!this.#isAny) return null;
    const { pagesPerHost, bytesPerHost, runningPerHostMs } = this.#bounds;
    if (pagesPerHost !== null && pages >= pagesPerHost) return 'bound-host-pages';
    if (bytesPerHost !== null && bytes >= bytesPerHost) return 'bound-host-bytes';
    const ranMs = firstRunMs === null ? 0 : this.#budget.runningMs(nowMs) - firstRunMs;
    return runningPerHostMs !== null && ranMs >= runningPerHostMs ? 'bound-host-minutes' : null;
  }

  /** Whether what is in flight may use up the rest of its pages. */
  mayBeUsedUp({ used, pagesInFlight }: LeasedHost): boolean {
    const { pagesPerHost } = this.#bounds;
    return pagesPerHost !== null && used.pages + pagesInFlight >= pagesPerHost;
  }

  /** Remembers a host if it has used up a bound. */
  note({ key, used }: LeasedHost, nowMs: number): void {
    const bound = this.usedUp(used, nowMs);
    if (bound !== null) this.#exhausted.add(`${bound} ${key}`);
  }

  /** The bound that a host is remembered for; `null`: it may have used one up all the same. */
  known(host: string): HostBound | null {
    return this.#isAny ? (BOUNDS.find((bound) => this.#exhausted.has(`${bound} ${host}`)) ?? null) : null;
  }
}
