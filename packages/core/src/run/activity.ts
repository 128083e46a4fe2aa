// What a crawl is doing right now: the requests under way, and the hosts that wait, until when and why.

import type { Frontier, HostWait, ReadyHost } from '@mannerly/frontier';
import type { Egress, InFlightRequest } from '../fetch/egress.js';
import { MAX_REPORTED_WAITS } from '../limits.js';
import type { ResolvedBoundsOptions, ResolvedOptions } from '../options/options.js';
import type { RunState } from '../report/crawl-report.js';
import { MAX_ACTIVITY_HOSTS, MAX_ACTIVITY_SEEDS } from './limits.js';

/**
 * The state of a crawler. `idle`: it has not run. `opening`: a run opens its directory and store. `paused`: its last
 * requests may still be ending. `stopping`: requests in flight are completed. `over`: the run has ended.
 */
export type CrawlPhase = 'idle' | 'opening' | 'running' | 'paused' | 'stopping' | 'over';

/** What is going on at this moment. */
export interface CrawlActivity {
  readonly phase: CrawlPhase;
  /** How the run ended, when the phase is `over`; `failed` if it threw. `null` otherwise. */
  readonly ended: RunState | 'failed' | null;
  /** Epoch milliseconds by the crawl's clock. Compare `untilMs` and `sinceMs` with it. */
  readonly nowMs: number;
  /** The crawler's name. */
  readonly name: string;
  /** The first few seeds. */
  readonly seeds: readonly string[];
  readonly seedCount: number;
  readonly bounds: ResolvedBoundsOptions;
  /** Requests that were sent and are not over, oldest first, up to `limit`. */
  readonly underway: readonly InFlightRequest[];
  /** The number of all requests under way. */
  readonly underwayCount: number;
  /** Hosts whose turn has come or whose work is in flight, up to `limit`. */
  readonly ready: readonly ReadyHost[];
  /** Hosts with a queue that wait (after the run: when it ended), earliest first, parked ones last, up to `limit`. */
  readonly waits: readonly HostWait[];
  /** The number of all waiting hosts, up to 10,000. */
  readonly waitingHosts: number;
}

export type ActivityLists = Pick<CrawlActivity, 'underway' | 'underwayCount' | 'ready' | 'waits' | 'waitingHosts'>;

/** Options of `activity`. */
export interface ActivityOptions {
  /** The most hosts and requests under way to list: 0 to 1,000. @default 100 */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 100;

/** The part that comes from the options. */
export function activityBase({ identity, scope: { seeds }, bounds }: ResolvedOptions) {
  return { name: identity.name, seeds: seeds.slice(0, MAX_ACTIVITY_SEEDS), seedCount: seeds.length, bounds };
}

/** @param lastWaits - The hosts that waited when the run ended; `null`: the run has not ended. */
export function activityOf(
  { frontier, egress }: { readonly frontier: Frontier; readonly egress: Egress },
  lastWaits: readonly HostWait[] | null,
  { limit = DEFAULT_LIMIT }: ActivityOptions,
): ActivityLists {
  const maxListed = Math.min(Math.max(0, Math.trunc(limit)), MAX_ACTIVITY_HOSTS);
  const waits = lastWaits ?? frontier.waits(MAX_REPORTED_WAITS);
  return {
    underway: egress.inFlight(maxListed),
    underwayCount: egress.inFlightCount,
    ready: lastWaits === null ? frontier.ready(maxListed) : [],
    waits: waits.slice(0, maxListed),
    waitingHosts: waits.length,
  };
}

export const NO_ACTIVITY: ActivityLists = { underway: [], underwayCount: 0, ready: [], waits: [], waitingHosts: 0 };
