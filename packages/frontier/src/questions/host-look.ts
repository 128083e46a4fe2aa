// What is known of one host, for a person who asks: what is queued, when it may be asked next and why not sooner, the
// interval in force and who asks for it, its robots.txt files, what it has given. Changes nothing, asks nobody.

import type { HostWait } from '../frontier-event.js';
import type { HostBound, HostBounds } from '../hosts/host-bounds.js';
import { decodeHostState, newHostState } from '../hosts/host-state.js';
import { hostAsksNow, type LeasedHost } from '../hosts/leased-host.js';
import { PRIORITIES } from '../limits.js';
import { requestInterval } from '../politeness/interval.js';
import type { Politeness } from '../politeness/profile.js';
import { decodeItem } from '../records/record.js';
import { askedNow, type HostAsks } from '../robots/host-asks.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { FrontierStore } from '../store.js';
import type { RobotsCopyRef } from '../work.js';
import { LOOK_AUTHORITIES, LOOK_SCAN_ENTRIES, LOOK_SCAN_PAGES } from './limits.js';

/** One authority's robots.txt as it stands. */
export interface AuthorityLook extends RobotsCopyRef {
  /** Until when the copy is used, epoch milliseconds; `null` without one. */
  readonly freshUntilMs: number | null;
  /** Failed fetches in a row, and the time of the next try. */
  readonly failures: number;
  readonly retryAtMs: number | null;
  /** What it asks for now, milliseconds; `null`: nothing. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
}

/** What the frontier says of one host. All times are epoch milliseconds. */
export interface HostLook {
  readonly host: string;
  /** Whether anything was ever queued for it, as far as the store can say. */
  readonly isKnown: boolean;
  /** Entries that wait, hops of robots.txt among them, and entries that a holder has in hand. */
  readonly queued: number;
  readonly inFlight: number;
  /** Waiting and in hand together, by authority; `priorities[0]` goes first. */
  readonly lanes: readonly { readonly authority: string; readonly priorities: readonly number[] }[];
  /** Whether `lanes` counts everything: the look into a long queue is bounded. */
  readonly isWhole: boolean;
  /** Whether this process holds its lease. */
  readonly isHeld: boolean;
  /** When it may be asked next; `null`: parked, or nothing is queued. */
  readonly nextAtMs: number | null;
  /** Why not sooner; `null` when nothing is in the way, or this process does not know. */
  readonly wait: HostWait | null;
  readonly isParked: boolean;
  /** The longest interval in force and where it comes from; `authority`: whose file asks. */
  readonly interval: {
    readonly ms: number;
    readonly from: 'profile' | 'adaptive' | 'crawl-delay' | 'request-rate';
    readonly authority: string | null;
  };
  readonly robots: readonly AuthorityLook[];
  /** What it has given; `runningMs`: the crawl's running time since its first request, `null` before it. */
  readonly used: { readonly pages: number; readonly bytes: number; readonly runningMs: number | null };
  /** The bound it has used up. */
  readonly spent: HostBound | null;
  /** Answers in a row that ask for less: 429 and 503, failures, refusals. */
  readonly inARow: { readonly throttled: number; readonly failed: number; readonly refused: number };
}

/** What looking at a host needs. */
export interface HostLookParts {
  readonly store: FrontierStore;
  readonly gate: RobotsGate;
  readonly politeness: Politeness;
  readonly hostBounds: HostBounds;
  readonly held: LeasedHost | undefined;
  readonly wait: HostWait | null;
  readonly runningMs: number;
  readonly authorityOf: (url: string) => string | null;
  readonly nowMs: number;
}

/** @throws What the store throws. */
export async function lookAtHost(host: string, parts: HostLookParts): Promise<HostLook> {
  const { held, nowMs, politeness, runningMs } = parts;
  const stored = (await parts.store.readHost?.(host)) ?? null;
  const { lanes, counted, isWhole } = await countLanes(host, parts);
  const kept = stored?.state == null ? null : decodeHostState(stored.state, nowMs);
  const { pages, bytes, firstRunMs, clock, floorDelayMs } = held ?? kept ?? newHostState();
  const robots = await authoritiesOf(host, [...lanes.keys(), ...(kept?.askers ?? [])], parts);
  const asks =
    held?.asks ?? new Map(robots.flatMap(({ look, asks: one }) => (one === null ? [] : [[look.authority, one]])));
  const asked = held === undefined ? askedNow(asks, floorDelayMs, nowMs) : hostAsksNow(held, nowMs);
  const { lastRetrievalMs, adaptiveMs } = clock;
  const isParked = stored?.isParked ?? clock.parked;
  const dueInMs = stored === null || isParked ? null : stored.dueInMs;
  const ownAtMs = held === undefined ? null : (parts.wait?.untilMs ?? nowMs);
  const usedMs = firstRunMs === null ? null : Math.max(0, runningMs - firstRunMs);
  return {
    host,
    isKnown: stored !== null || counted > 0 || held !== undefined,
    queued: stored?.queued ?? counted,
    inFlight: stored?.inFlight ?? 0,
    lanes: [...lanes].map(([authority, priorities]) => ({ authority, priorities })),
    isWhole,
    isHeld: held !== undefined,
    nextAtMs:
      held === undefined
        ? dueInMs === null
          ? isParked
            ? null
            : (parts.wait?.untilMs ?? null)
          : nowMs + dueInMs
        : ownAtMs,
    wait: parts.wait,
    isParked,
    interval: intervalOf({ politeness, lastRetrievalMs, adaptiveMs, asked, asks, nowMs }),
    robots: robots.map(({ look }) => look),
    used: { pages, bytes, runningMs: usedMs },
    spent: parts.hostBounds.spentBy({ pages, bytes, firstRunMs }, nowMs),
    inARow: { throttled: clock.throttledInARow, failed: clock.failedInARow, refused: clock.refusedInARow },
  };
}

/** Entries by authority and priority, as far as the look goes. */
async function countLanes(host: string, { store, authorityOf }: HostLookParts) {
  const lanes = new Map<string, number[]>();
  let counted = 0;
  let cursor: string | null = null;
  for (let page = 0; page < LOOK_SCAN_PAGES; page += 1) {
    const found: Awaited<ReturnType<FrontierStore['scan']>> = await store.scan(cursor, LOOK_SCAN_ENTRIES, host);
    for (const { entry } of found.items) {
      const item = decodeItem(entry.body);
      const authority = item.kind === 'hop' ? item.authority : (authorityOf(item.record.url) ?? '');
      const priorities = lanes.get(authority) ?? new Array<number>(PRIORITIES).fill(0);
      priorities[entry.priority] = (priorities[entry.priority] ?? 0) + 1;
      lanes.set(authority, priorities);
      counted += 1;
    }
    cursor = found.cursor;
    if (cursor === null) break;
  }
  return { lanes, counted, isWhole: cursor === null };
}

/** The host's authorities that are known to have been asked for their robots.txt, or have something queued. */
async function authoritiesOf(host: string, queued: readonly string[], { gate, nowMs }: HostLookParts) {
  const usual = [`http://${host}`, `https://${host}`];
  const names = [...new Set([...queued, ...usual])].slice(0, LOOK_AUTHORITIES);
  const found: { readonly look: AuthorityLook; readonly asks: HostAsks | null }[] = [];
  for (const name of names) {
    const authority = await gate.load(name);
    const { freshUntilMs, failures, retryAtMs } = authority.access;
    const isNew = failures === 0 && !authority.hasAnswered && authority.chain === null;
    if (isNew && !queued.includes(name)) continue;
    const asks = gate.rules(authority)?.asks ?? null;
    const requestIntervalMs = asks?.at?.(nowMs).intervalMs ?? null;
    const crawlDelayMs = asks?.crawlDelayMs ?? null;
    found.push({
      look: { ...gate.ref(authority), freshUntilMs, failures, retryAtMs, crawlDelayMs, requestIntervalMs },
      asks,
    });
  }
  return found;
}

function intervalOf(input: {
  readonly politeness: Politeness;
  readonly lastRetrievalMs: number | null;
  readonly adaptiveMs: number;
  readonly asked: ReturnType<typeof askedNow>;
  readonly asks: ReadonlyMap<string, HostAsks>;
  readonly nowMs: number;
}): HostLook['interval'] {
  const { politeness, lastRetrievalMs, adaptiveMs, asked, asks, nowMs } = input;
  const { fromEndMs, fromStartMs } = requestInterval({ politeness, lastRetrievalMs, adaptiveMs, ...asked });
  const whose = (ms: (one: HostAsks) => number | null, wanted: number) =>
    [...asks].find(([, one]) => ms(one) === wanted)?.[0] ?? null;
  if (fromStartMs > fromEndMs) {
    const authority = whose((one) => one.at?.(nowMs).intervalMs ?? null, fromStartMs);
    return { ms: fromStartMs, from: 'request-rate', authority };
  }
  if (asked.crawlDelayMs === fromEndMs && fromEndMs > 0)
    return { ms: fromEndMs, from: 'crawl-delay', authority: whose((one) => one.crawlDelayMs, fromEndMs) };
  return { ms: fromEndMs, from: adaptiveMs === fromEndMs && adaptiveMs > 0 ? 'adaptive' : 'profile', authority: null };
}
