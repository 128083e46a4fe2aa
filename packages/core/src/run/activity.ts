// What a crawl is doing at this moment, in detail: what is being asked, which hosts wait, until when and why. For a person who
// looks on; the crawl itself reads none of it.

import type { Frontier, HostWait, ReadyHost } from '@mannerly/frontier';
import type { Stages } from '../crawl/stages.js';
import type { RequestUnderway } from '../crawl/underway.js';
import { MAX_REPORTED_WAITS } from '../limits.js';
import type { ResolvedBoundsOptions, ResolvedOptions } from '../options/options.js';
import type { RunState } from '../report/crawl-report.js';
import { MAX_ACTIVITY_HOSTS, MAX_ACTIVITY_SEEDS } from './limits.js';

/**
 * Where a crawler stands. `idle`: it has not run; `opening`: a run opens its directory and store; `stopping`: what is in hand
 * comes to its end; `over`: the run has ended. `paused` as long as it is paused, also while the last requests end.
 */
export type CrawlPhase = 'idle' | 'opening' | 'running' | 'paused' | 'stopping' | 'over';

/** What is going on at this moment. */
export interface CrawlActivity {
  readonly phase: CrawlPhase;
  /** With `over`: how the run ended; `failed` where it threw. `null` otherwise. */
  readonly ended: RunState | 'failed' | null;
  /** Epoch milliseconds, by the crawl's clock: what `untilMs` and `sinceMs` compare with. */
  readonly nowMs: number;
  /** The name that the crawl goes by. */
  readonly name: string;
  /** The first few seeds. */
  readonly seeds: readonly string[];
  readonly seedCount: number;
  readonly bounds: ResolvedBoundsOptions;
  /** Requests that have left and are not over, the oldest first; at most as many as hosts are asked for. */
  readonly underway: readonly RequestUnderway[];
  /** All of them. */
  readonly underwayCount: number;
  /** Hosts whose turn has come, or whose work is in hand: what is being asked is of these. At most as many as are asked for. */
  readonly ready: readonly ReadyHost[];
  /** Hosts that wait with something queued (with `over`: when it ended), the earliest first, parked ones last; at most as many as are asked for. */
  readonly waits: readonly HostWait[];
  /** All of them, as far as they are told one by one (10,000). */
  readonly waitingHosts: number;
}

/** What does not change from run to run. */
export type ActivityBase = Pick<CrawlActivity, 'name' | 'seeds' | 'seedCount' | 'bounds'>;

/** What `activity` may be told. */
export interface ActivityOptions {
  /** Hosts, and requests under way, that are listed: 0 to 1,000. @default 100 */
  readonly limit?: number;
}

const USUAL_LIMIT = 100;

/** The part that the options decide. @throws Never */
export function activityBase({ identity, scope, bounds }: ResolvedOptions): ActivityBase {
  const { seeds } = scope;
  return { name: identity.name, seeds: seeds.slice(0, MAX_ACTIVITY_SEEDS), seedCount: seeds.length, bounds };
}

/** The part that changes. @throws Never */
export function activityOf(
  { frontier, stages }: { readonly frontier: Frontier; readonly stages: Pick<Stages, 'underway'> },
  { limit = USUAL_LIMIT }: ActivityOptions,
): Pick<CrawlActivity, 'underway' | 'underwayCount' | 'ready' | 'waits' | 'waitingHosts'> {
  const listed = listedFrom(limit);
  const { underway } = stages;
  const waits = frontier.waits(MAX_REPORTED_WAITS);
  return {
    underway: underway.list(listed),
    underwayCount: underway.count(),
    ready: frontier.ready(listed),
    waits: waits.slice(0, listed),
    waitingHosts: waits.length,
  };
}

/** The same of a run that is over: the hosts that waited when it ended. @throws Never */
export function endedActivity(
  waits: readonly HostWait[],
  { limit = USUAL_LIMIT }: ActivityOptions,
): ReturnType<typeof activityOf> {
  return { ...NOTHING_UNDERWAY, waits: waits.slice(0, listedFrom(limit)), waitingHosts: waits.length };
}

function listedFrom(limit: number): number {
  return Math.min(Math.max(0, Math.trunc(limit)), MAX_ACTIVITY_HOSTS);
}

/** What is said where nothing runs. */
export const NOTHING_UNDERWAY = Object.freeze({
  underway: Object.freeze([]) as readonly RequestUnderway[],
  underwayCount: 0,
  ready: Object.freeze([]) as readonly ReadyHost[],
  waits: Object.freeze([]) as readonly HostWait[],
  waitingHosts: 0,
});
