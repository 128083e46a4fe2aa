// The questions that a frontier answers. None of them changes anything or makes a request. About one host: what is
// queued, when its next request may start and why not earlier, the interval in force and what sets it, its robots.txt
// files, what it has served.

import type { FrontierContext } from '../flow/context.js';
import type { HostSchedule } from '../flow/host-schedule.js';
import type { HostWait } from '../frontier-event.js';
import { decodeHostState, type HostBound, newHostState, reachedBound, usedSince } from '../hosts/host-state.js';
import { PRIORITIES } from '../limits.js';
import { type HostClock, requestInterval } from '../politeness/host-clock.js';
import type { Politeness } from '../politeness/profile.js';
import { type AuthorityRequirements, SpacingRequirements } from '../robots/authority-rules.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { FrontierStore } from '../store.js';
import { authorityOf, hostKeyOf, namedHostKey, parseUrlParts, requestedUrl } from '../url/url.js';
import type { RobotsCopyRef } from '../work.js';
import { MAX_INSPECTED_AUTHORITIES } from './limits.js';
import { type ListRequest, listQueued, type QueueListing, scanItems } from './queued.js';

/** A host that does not wait. */
export interface ReadyHost {
  readonly host: string;
  /** URLs queued for it. */
  readonly queued: number;
}

/** What the gate and the clock say about a URL now. */
export interface UrlInspection {
  readonly host: string;
  /** Whether it was ever added: it is queued or in flight, or has ended. */
  readonly isKnown: boolean;
  readonly gate:
    | {
        readonly kind: 'allow' | 'deny';
        readonly reason: string;
        readonly line: number | null;
        readonly pattern: string | null;
        readonly dialect: string | null;
      }
    | {
        readonly kind: 'hold';
        readonly reason: 'robots-unknown' | 'robots-unreachable';
        readonly untilMs: number | null;
      };
  readonly robots: RobotsCopyRef | null;
  readonly wait: HostWait | null;
}

/** The questions that a frontier answers. */
export interface FrontierQuestions {
  /** Why hosts wait, at most `limit` of them: earliest first, parked ones last. */
  waits(limit: number): HostWait[];
  /** Hosts of this process that do not wait: they may be requested now or have work in flight. At most `limit`. */
  ready(limit: number): ReadyHost[];
  /** A listing of what is queued, in the store's order. */
  list(request?: ListRequest): Promise<QueueListing>;
  /** What is known of one URL, for `explain`. */
  inspectUrl(url: string): Promise<UrlInspection>;
  /** What is known of one host, by its name or any URL of it. */
  inspectHost(hostOrUrl: string): Promise<HostInspection>;
}

/** The present state of one authority's robots.txt. */
export interface AuthorityInspection extends RobotsCopyRef {
  /** Until when the copy is used, epoch milliseconds; `null`: no copy. */
  readonly freshUntilMs: number | null;
  /** Failed fetches in a row, and when the next fetch is made. */
  readonly failures: number;
  readonly retryAtMs: number | null;
  /** What it requires now, milliseconds; `null`: nothing. */
  readonly crawlDelayMs: number | null;
  readonly requestIntervalMs: number | null;
}

/** What the frontier knows about one host. All times are epoch milliseconds. */
export interface HostInspection {
  readonly host: string;
  /** Whether anything was ever queued for it, as far as the store knows. */
  readonly isKnown: boolean;
  /** Waiting entries, hops of robots.txt included, and entries of a lease. */
  readonly queued: number;
  readonly inFlight: number;
  /** Both kinds together, by authority; `priorities[0]` goes first. */
  readonly lanes: readonly { readonly authority: string; readonly priorities: readonly number[] }[];
  /** Whether `lanes` counts everything: a long queue is not read to its end. */
  readonly isComplete: boolean;
  /** Whether this process holds its lease. */
  readonly isHeld: boolean;
  /** When its next request may start; `null`: it is parked, or nothing is queued. */
  readonly nextAtMs: number | null;
  /** Why not earlier; `null`: it does not wait, or this process does not know. */
  readonly wait: HostWait | null;
  /** `null`: the store cannot tell (it has no `readHost`), and this process does not hold the host. */
  readonly isParked: boolean | null;
  /**
   * The longest interval in force and where it comes from. `hosts`: the option; `authority`: the authority whose file
   * requires it; `line`: the line of its delay.
   */
  readonly interval: {
    readonly ms: number;
    readonly from: 'profile' | 'hosts' | 'adaptive' | 'crawl-delay' | 'request-rate';
    readonly authority: string | null;
    readonly line: number | null;
  };
  readonly robots: readonly AuthorityInspection[];
  /** What was fetched from it; `runningMs`: the crawl's running time since its first request, `null`: none yet. */
  readonly used: { readonly pages: number; readonly bytes: number; readonly runningMs: number | null };
  /** The bound it has used up. */
  readonly reachedBound: HostBound | null;
  /** What determines its place in the order of hosts. */
  readonly order: {
    readonly weight: number;
    /** The label of its URLs whose route gives them none, with its budget and how much is used; `null`: none. */
    readonly label: { readonly name: string; readonly pages: number | null; readonly used: number | null } | null;
    /** How many due hosts of this process go before it; `null`: it is not due. */
    readonly hostsBefore: number | null;
  };
  /** Answers in a row that slow the crawl down: 429 and 503, failures, refusals. */
  readonly consecutive: { readonly throttled: number; readonly failed: number; readonly refused: number };
}

/** The answers of one frontier. Promises reject with what the store throws. */
export function createQuestions(context: FrontierContext, schedule: HostSchedule): FrontierQuestions {
  const { store, clock, settings, waits, gate, seen, budget, labelBudgets } = context;
  const waitOf = (host: string) => {
    const leased = schedule.get(host);
    return leased === undefined ? waits.get(host) : leased.waitAt(clock.nowMs());
  };

  /** Whether it was ever added. A store without `isKnown` does not know that of a URL that was finished long ago. */
  async function wasAdded(text: string, host: string, authority: string): Promise<boolean> {
    const parts = parseUrlParts(text);
    if (parts === null) return false;
    const url = requestedUrl(parts);
    if (seen.isRecent(url)) return true;
    if (store.isKnown !== undefined) {
      const key = gate.siteKeyOf(authority, url);
      return store.isKnown(key === null ? seen.fingerprint(url, parts, 0) : seen.fingerprintOfKey(key, 0), host);
    }
    let isQueued = false;
    await scanItems(store, host, ({ item }) => {
      isQueued = item.kind === 'page' && item.record.url === url;
      return !isQueued;
    });
    return isQueued;
  }

  async function inspectUrl(url: string): Promise<UrlInspection> {
    const host = hostKeyOf(url, settings.hostKeyBy) ?? '';
    const wait = waitOf(host);
    const authority = await gate.authorities.load(authorityOf(url) ?? '');
    const answer = gate.ask(authority, url, clock.nowMs());
    const known = { host, isKnown: await wasAdded(url, host, authority.name), robots: gate.copyRef(authority), wait };
    switch (answer.kind) {
      case 'allow':
      case 'deny': {
        const { reason, line, pattern, dialect } = answer.decision;
        return { ...known, gate: { kind: answer.kind, reason, line, pattern, dialect } };
      }
      case 'hold':
        return { ...known, gate: { kind: 'hold', reason: 'robots-unreachable', untilMs: answer.untilMs } };
      case 'refused':
        return { ...known, gate: { kind: 'deny', reason: answer.reason, line: null, pattern: null, dialect: null } };
      default: {
        // A request for robots.txt is due or under way. After failures it is another try.
        const reason = authority.access.failures > 0 ? 'robots-unreachable' : 'robots-unknown';
        return { ...known, gate: { kind: 'hold', reason, untilMs: null } };
      }
    }
  }

  async function inspectHost(hostOrUrl: string): Promise<HostInspection> {
    const host = namedHostKey(hostOrUrl, settings.hostKeyBy);
    const wait = waitOf(host);
    const nowMs = clock.nowMs();
    const leased = schedule.get(host);
    const stored = (await store.readHost?.(host)) ?? null;
    const { lanes, entryCount, isComplete } = await countLanes(host, store);
    const state = (stored?.state == null ? null : decodeHostState(stored.state, nowMs)) ?? newHostState();
    const { clock: hostClock } = leased ?? state;
    const { throttledInARow, failedInARow, refusedInARow } = hostClock;
    // For a crawl that is not running, the last stored count.
    const hostSettings = settings.settingsOf(host);
    const { politeness, weight, label: name } = hostSettings;
    const used = leased?.used ?? usedSince(state.used, budget.countSinceMs || state.used.sinceMs);
    const named = [hostOrUrl, `http://${hostOrUrl}/`, `https://${hostOrUrl}/`].flatMap((url) => authorityOf(url) ?? []);
    const others = [...named, `http://${host}`, `https://${host}`];
    const robots = await authoritiesOf([...lanes.keys(), ...state.spacingAuthorities], others, gate, nowMs);
    const requirements = leased?.requirements ?? new SpacingRequirements(state.minDelayMs);
    if (leased === undefined)
      for (const { inspection, required } of robots) requirements.note(inspection.authority, required);
    // The store does not know yet what the last exchange has done to a host that is leased.
    const isParked = leased?.clock.parked ?? stored?.isParked ?? (store.readHost === undefined ? null : false);
    const dueAtMs = stored === null || stored.dueInMs === null ? wait?.untilMs : nowMs + stored.dueInMs;
    const { pages, bytes, firstRequestRunningMs } = used;
    const usedMs = firstRequestRunningMs === null ? null : Math.max(0, budget.runningMs(nowMs) - firstRequestRunningMs);
    return {
      host,
      isKnown: stored !== null || entryCount > 0 || leased !== undefined,
      queued: stored?.queued ?? entryCount,
      inFlight: stored?.inFlight ?? 0,
      lanes: [...lanes].map(([authority, priorities]) => ({ authority, priorities })),
      isComplete,
      isHeld: leased !== undefined,
      nextAtMs: isParked === true ? null : leased !== undefined ? (wait?.untilMs ?? nowMs) : (dueAtMs ?? null),
      wait,
      isParked,
      interval: intervalOf(settings.politeness, politeness, hostClock, requirements, nowMs),
      robots: robots.map(({ inspection }) => inspection),
      used: { pages, bytes, runningMs: usedMs },
      reachedBound: reachedBound({ used, settings: hostSettings }, budget.runningMs(nowMs)),
      order: {
        weight,
        label:
          name === null
            ? null
            : { name, pages: settings.labels.get(name)?.pages ?? null, used: labelBudgets.of(name)?.pages() ?? null },
        hostsBefore: leased === undefined ? null : schedule.countBefore(leased, nowMs),
      },
      consecutive: { throttled: throttledInARow, failed: failedInARow, refused: refusedInARow },
    };
  }

  return {
    waits(limit) {
      const nowMs = clock.nowMs();
      const leased = [...schedule.all()].flatMap((host) => host.waitAt(nowMs) ?? []);
      return waits.list(limit, leased);
    },
    ready(limit) {
      const nowMs = clock.nowMs();
      const found: ReadyHost[] = [];
      for (const host of schedule.all()) {
        if (found.length >= limit) break;
        const { key, queued, unsettled } = host;
        if (queued + unsettled > 0 && host.waitAt(nowMs) === null) found.push({ host: key, queued });
      }
      return found;
    },
    inspectUrl,
    list: async (request = {}) => {
      const { host } = request;
      const only = typeof host === 'string' ? { host: namedHostKey(host, settings.hostKeyBy) } : {};
      return listQueued(store, { ...request, ...only });
    },
    inspectHost,
  };
}

/** Counts entries by authority and priority, up to the bound of the scan. */
async function countLanes(host: string, store: FrontierStore) {
  const lanes = new Map<string, number[]>();
  let entryCount = 0;
  const isComplete = await scanItems(store, host, ({ priority, authority }) => {
    const priorities = lanes.get(authority) ?? new Array<number>(PRIORITIES).fill(0);
    priorities[priority] = (priorities[priority] ?? 0) + 1;
    lanes.set(authority, priorities);
    entryCount += 1;
    return true;
  });
  return { lanes, entryCount, isComplete };
}

/** The authorities whose robots.txt was requested before, or that have something queued. */
async function authoritiesOf(queued: readonly string[], others: readonly string[], gate: RobotsGate, nowMs: number) {
  const names = [...new Set([...queued, ...others])].slice(0, MAX_INSPECTED_AUTHORITIES);
  const found: { readonly inspection: AuthorityInspection; readonly required: AuthorityRequirements | null }[] = [];
  for (const name of names) {
    const authority = await gate.authorities.load(name);
    const { freshUntilMs, failures, retryAtMs } = authority.access;
    const isNew = failures === 0 && !authority.hasAnswered && authority.chain === null;
    if (isNew && !queued.includes(name)) continue;
    const required = gate.rules(authority)?.requirements ?? null;
    const requestIntervalMs = required?.at?.(nowMs).intervalMs ?? null;
    const crawlDelayMs = required?.crawlDelayMs ?? null;
    const inspection = {
      ...gate.copyRef(authority),
      freshUntilMs,
      failures,
      retryAtMs,
      crawlDelayMs,
      requestIntervalMs,
    };
    found.push({ inspection, required });
  }
  return found;
}

function intervalOf(
  crawlPoliteness: Politeness,
  politeness: Politeness,
  clock: HostClock,
  requirements: SpacingRequirements,
  nowMs: number,
): HostInspection['interval'] {
  const { spacing } = requirements.at(nowMs);
  const { fromEndMs, fromStartMs } = requestInterval(clock, spacing, politeness);
  const findAuthority = (ms: (one: AuthorityRequirements) => number | null, value: number) =>
    [...requirements.authorities].find(([, one]) => ms(one) === value) ?? [null, null];
  if (fromStartMs > fromEndMs) {
    const [authority] = findAuthority((one) => one.at?.(nowMs).intervalMs ?? null, fromStartMs);
    return { ms: fromStartMs, from: 'request-rate', authority, line: null };
  }
  if (spacing.crawlDelayMs === fromEndMs && fromEndMs > 0) {
    const [authority, required] = findAuthority((one) => one.crawlDelayMs, fromEndMs);
    return { ms: fromEndMs, from: 'crawl-delay', authority, line: required?.crawlDelayLine ?? null };
  }
  const isAdaptive = clock.adaptiveMs === fromEndMs && fromEndMs > 0;
  const from = isAdaptive ? 'adaptive' : politeness === crawlPoliteness ? 'profile' : 'hosts';
  return { ms: fromEndMs, from, authority: null, line: null };
}
