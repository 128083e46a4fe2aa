// How much one host may serve: pages, bytes, running minutes. Counted with its lease, so over restarts and processes.
// A host that has used up a bound is remembered, so that its links are not queued only to be dropped.

import { createRecentSet } from '../recent-set.js';
import type { Bounds, Budget } from '../records/budget.js';
import { EXHAUSTED_HOSTS } from './limits.js';

/** Which bound a host has used up: reasons of the documented table. */
export type HostBound = 'bound-host-pages' | 'bound-host-bytes' | 'bound-host-minutes';

/** What a host has used. `firstRunMs`: the crawl's running time at its first request, `null` before it. */
export interface HostUse {
  readonly pages: number;
  readonly bytes: number;
  readonly firstRunMs: number | null;
}

const BOUNDS: readonly HostBound[] = ['bound-host-pages', 'bound-host-bytes', 'bound-host-minutes'];

/** The bounds of hosts. None of its methods throws. */
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
  usedUp(host: HostUse, nowMs: number): HostBound | null {
    if (!this.#isAny) return null;
    const { pagesPerHost, bytesPerHost, runningPerHostMs } = this.#bounds;
    if (pagesPerHost !== null && host.pages >= pagesPerHost) return 'bound-host-pages';
    if (bytesPerHost !== null && host.bytes >= bytesPerHost) return 'bound-host-bytes';
    const ranMs = host.firstRunMs === null ? 0 : this.#budget.runningMs(nowMs) - host.firstRunMs;
    return runningPerHostMs !== null && ranMs >= runningPerHostMs ? 'bound-host-minutes' : null;
  }

  /** Whether what is in flight may use up the rest of its pages. */
  mayBeUsedUp(host: { readonly pages: number; readonly pagesInFlight: number }): boolean {
    const { pagesPerHost } = this.#bounds;
    return pagesPerHost !== null && host.pages + host.pagesInFlight >= pagesPerHost;
  }

  /** Remembers a host if it has used up a bound. */
  note(host: HostUse & { readonly key: string }, nowMs: number): void {
    const bound = this.usedUp(host, nowMs);
    if (bound !== null) this.#exhausted.add(`${bound} ${host.key}`);
  }

  /** The bound that a host is remembered for; `null`: it may have used one up all the same. */
  known(host: string): HostBound | null {
    return this.#isAny ? (BOUNDS.find((bound) => this.#exhausted.has(`${bound} ${host}`)) ?? null) : null;
  }
}
