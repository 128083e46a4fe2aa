// What is known of one host: what is queued, when its next request may start and why not sooner, the interval in force
// and what sets it, its robots.txt files, what it has served. Changes nothing, makes no request.

import type { FrontierContext } from '../flow/context.js';
import type { HostWait } from '../frontier-event.js';
import type { HostBound } from '../hosts/host-bounds.js';
import { decodeHostState, newHostState } from '../hosts/host-state.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import { PRIORITIES } from '../limits.js';
import type { HostClock } from '../politeness/host-clock.js';
import { requestInterval } from '../politeness/interval.js';
import type { Politeness } from '../politeness/profile.js';
import { type AuthorityRequirements, SpacingRequirements } from '../robots/requirements.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { FrontierStore } from '../store.js';
import type { RobotsCopyRef } from '../work.js';
import { LOOK_AUTHORITIES } from './limits.js';
import { scanItems } from './queued.js';

/** One authority's robots.txt as it stands. */
export interface AuthorityLook extends RobotsCopyRef {
  /** Until when the copy is used, epoch milliseconds; `null` without one. */
  readonly freshUntilMs: number | null;
  /** Failed fetches in a row, and when the next one is made. */
  readonly failures: number;
  readonly retryAtMs: number | null;
  /** What it requires now, milliseconds; `null`: nothing. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
}

/** What the frontier says of one host. All times are epoch milliseconds. */
export interface HostLook {
  readonly host: string;
  /** Whether anything was ever queued for it, as far as the store can say. */
  readonly isKnown: boolean;
  /** Entries that wait, hops of robots.txt among them, and entries of a lease. */
  readonly queued: number;
  readonly inFlight: number;
  /** Both together, by authority; `priorities[0]` goes first. */
  readonly lanes: readonly { readonly authority: string; readonly priorities: readonly number[] }[];
  /** Whether `lanes` counts everything: a long queue is not read to its end. */
  readonly isWhole: boolean;
  /** Whether this process holds its lease. */
  readonly isHeld: boolean;
  /** When its next request may start; `null`: parked, or nothing is queued. */
  readonly nextAtMs: number | null;
  /** Why not sooner; `null` when it does not wait, or this process does not know. */
  readonly wait: HostWait | null;
  readonly isParked: boolean;
  /** The longest interval in force and where it comes from; `authority`: whose file requires it, `line`: its delay. */
  readonly interval: {
    readonly ms: number;
    readonly from: 'profile' | 'adaptive' | 'crawl-delay' | 'request-rate';
    readonly authority: string | null;
    readonly line: number | null;
  };
  readonly robots: readonly AuthorityLook[];
  /** What it has served; `runningMs`: the crawl's running time since its first request, `null` before it. */
  readonly used: { readonly pages: number; readonly bytes: number; readonly runningMs: number | null };
  /** The bound it has used up. */
  readonly spent: HostBound | null;
  /** Answers in a row that slow the crawl down: 429 and 503, failures, refusals. */
  readonly inARow: { readonly throttled: number; readonly failed: number; readonly refused: number };
}

/**
 * What is known of a host, `leased` by this process or not; `wait`: why it waits. @param named - Authorities that the
 * question names. @throws What the store throws.
 */
export async function lookAtHost(
  host: string,
  named: readonly string[],
  leased: LeasedHost | undefined,
  wait: HostWait | null,
  context: FrontierContext,
): Promise<HostLook> {
  const { store, settings, hostBounds, budget, clock: frontierClock } = context;
  const nowMs = frontierClock.nowMs();
  const stored = (await store.readHost?.(host)) ?? null;
  const { lanes, counted, isWhole } = await countLanes(host, store);
  const kept = (stored?.state == null ? null : decodeHostState(stored.state, nowMs)) ?? newHostState();
  const { used, clock } = leased ?? kept;
  const others = [...named, `http://${host}`, `https://${host}`];
  const robots = await authoritiesOf([...lanes.keys(), ...kept.askers], others, context.gate, nowMs);
  const requirements = leased?.requirements ?? new SpacingRequirements(kept.leastDelayMs);
  if (leased === undefined) for (const { look, required } of robots) requirements.note(look.authority, required);
  const isParked = stored?.isParked ?? clock.parked;
  const dueAtMs = stored === null || stored.dueInMs === null ? wait?.untilMs : nowMs + stored.dueInMs;
  const { pages, bytes, firstRunMs } = used;
  const usedMs = firstRunMs === null ? null : Math.max(0, budget.runningMs(nowMs) - firstRunMs);
  return {
    host,
    isKnown: stored !== null || counted > 0 || leased !== undefined,
    queued: stored?.queued ?? counted,
    inFlight: stored?.inFlight ?? 0,
    lanes: [...lanes].map(([authority, priorities]) => ({ authority, priorities })),
    isWhole,
    isHeld: leased !== undefined,
    nextAtMs: leased !== undefined ? (wait?.untilMs ?? nowMs) : isParked ? null : (dueAtMs ?? null),
    wait,
    isParked,
    interval: intervalOf(settings.politeness, clock, requirements, nowMs),
    robots: robots.map(({ look }) => look),
    used: { pages, bytes, runningMs: usedMs },
    spent: hostBounds.usedUp(used, nowMs),
    inARow: { throttled: clock.throttledInARow, failed: clock.failedInARow, refused: clock.refusedInARow },
  };
}

/** Entries by authority and priority, as far as the look goes. */
async function countLanes(host: string, store: FrontierStore) {
  const lanes = new Map<string, number[]>();
  let counted = 0;
  const isWhole = await scanItems(store, host, ({ priority, authority }) => {
    const priorities = lanes.get(authority) ?? new Array<number>(PRIORITIES).fill(0);
    priorities[priority] = (priorities[priority] ?? 0) + 1;
    lanes.set(authority, priorities);
    counted += 1;
    return true;
  });
  return { lanes, counted, isWhole };
}

/** Those of the authorities whose robots.txt was requested before, or that have something queued. */
async function authoritiesOf(queued: readonly string[], others: readonly string[], gate: RobotsGate, nowMs: number) {
  const names = [...new Set([...queued, ...others])].slice(0, LOOK_AUTHORITIES);
  const found: { readonly look: AuthorityLook; readonly required: AuthorityRequirements | null }[] = [];
  for (const name of names) {
    const authority = await gate.load(name);
    const { freshUntilMs, failures, retryAtMs } = authority.access;
    const isNew = failures === 0 && !authority.hasAnswered && authority.chain === null;
    if (isNew && !queued.includes(name)) continue;
    const required = gate.rules(authority)?.requirements ?? null;
    const requestIntervalMs = required?.at?.(nowMs).intervalMs ?? null;
    const crawlDelayMs = required?.crawlDelayMs ?? null;
    const look = { ...gate.ref(authority), freshUntilMs, failures, retryAtMs, crawlDelayMs, requestIntervalMs };
    found.push({ look, required });
  }
  return found;
}

function intervalOf(
  politeness: Politeness,
  clock: HostClock,
  requirements: SpacingRequirements,
  nowMs: number,
): HostLook['interval'] {
  const { spacing } = requirements.at(nowMs);
  const { fromEndMs, fromStartMs } = requestInterval(clock, spacing, politeness);
  const whose = (ms: (one: AuthorityRequirements) => number | null, wanted: number) =>
    [...requirements.authorities].find(([, one]) => ms(one) === wanted) ?? [null, null];
  if (fromStartMs > fromEndMs) {
    const [authority] = whose((one) => one.at?.(nowMs).intervalMs ?? null, fromStartMs);
    return { ms: fromStartMs, from: 'request-rate', authority, line: null };
  }
  if (spacing.crawlDelayMs === fromEndMs && fromEndMs > 0) {
    const [authority, required] = whose((one) => one.crawlDelayMs, fromEndMs);
    return { ms: fromEndMs, from: 'crawl-delay', authority, line: required?.crawlDelayLine ?? null };
  }
  const isAdaptive = clock.adaptiveMs === fromEndMs && fromEndMs > 0;
  return { ms: fromEndMs, from: isAdaptive ? 'adaptive' : 'profile', authority: null, line: null };
}
