// The questions that a frontier answers, those of one URL among them. None of them changes anything.

import type { FrontierContext } from '../flow/context.js';
import type { HostSchedule } from '../flow/host-schedule.js';
import type { HostWait } from '../frontier-event.js';
import { authorityOf, hostKeyOf } from '../url/url-parts.js';
import type { UrlRecord } from '../url-record.js';
import type { RobotsCopyRef } from '../work.js';
import { type HostLook, lookAtHost } from './host-look.js';
import { type ListRequest, listQueued, type QueueListing, queuedOf, scanItems } from './queued.js';

/** A host that does not wait. */
export interface ReadyHost {
  readonly host: string;
  /** URLs queued for it. */
  readonly queued: number;
  /** Its work in flight: requested, being read, or with a handler. */
  readonly inFlight: number;
}

/** What the gate and the clock say of a URL now. */
export interface UrlLook {
  readonly url: string;
  readonly host: string;
  readonly authority: string;
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

/** What a frontier can be asked. */
export interface FrontierQuestions {
  /** Why hosts wait, the earliest first, parked ones last, at most `limit`. */
  waits(limit: number): HostWait[];
  /** Hosts of this process that do not wait: they may be requested now or have work in flight. At most `limit`. */
  ready(limit: number): ReadyHost[];
  /** The URLs queued for a host, in the store's order, at most `limit`. */
  queued(host: string, limit: number): Promise<UrlRecord[]>;
  /** A listing of what is queued, in the store's order. */
  list(request?: ListRequest): Promise<QueueListing>;
  /** What is known of one URL, for `explain`. */
  look(url: string): Promise<UrlLook>;
  /** What is known of one host, by its name or any URL of it. */
  inspectHost(hostOrUrl: string): Promise<HostLook>;
}

/** The answers of one frontier. Its promises reject with what the store throws. */
export function createQuestions(context: FrontierContext, schedule: HostSchedule): FrontierQuestions {
  const { store, clock, settings, waits } = context;
  const hostOf = (url: string) => hostKeyOf(url, settings.hostKeyBy);
  const waitOf = (host: string) => {
    const leased = schedule.get(host);
    return leased === undefined ? waits.get(host) : leased.waitAt(clock.nowMs());
  };
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
        const { key, queued, unsettled: inFlight } = host;
        if (queued + inFlight > 0 && host.waitAt(nowMs) === null) found.push({ host: key, queued, inFlight });
      }
      return found;
    },
    queued: (host, limit) => queuedOf(store, host, limit),
    look: (url) => {
      const host = hostOf(url) ?? '';
      return lookAt(url, host, waitOf(host), context);
    },
    list: (request = {}) => {
      const { host } = request;
      const only = host === undefined ? {} : { host: hostOf(`http://${host}/`) ?? host };
      return listQueued(store, { ...request, ...only });
    },
    inspectHost: (hostOrUrl) => {
      const host = hostOf(hostOrUrl) ?? hostOf(`http://${hostOrUrl}/`) ?? hostOrUrl;
      const named = [hostOrUrl, `http://${hostOrUrl}/`, `https://${hostOrUrl}/`].flatMap(
        (url) => authorityOf(url) ?? [],
      );
      return lookAtHost(host, named, schedule.get(host), waitOf(host), context);
    },
  };
}

/**
 * What is known of a URL. `isKnown` is exact for what is queued and for what was met lately; a URL that was finished
 * long ago may read as not known, because the store has no verb that asks without adding.
 */
async function lookAt(
  url: string,
  host: string,
  wait: HostWait | null,
  { gate, store, seen, clock }: FrontierContext,
): Promise<UrlLook> {
  const name = authorityOf(url) ?? '';
  const authority = await gate.load(name);
  const answer = gate.ask(authority, url, clock.nowMs());
  let isKnown = seen.isRecent(url);
  const look = ({ item }: Parameters<Parameters<typeof scanItems>[2]>[0]) => {
    isKnown = item.kind === 'page' && item.record.url === url;
    return !isKnown;
  };
  if (!isKnown) await scanItems(store, host, look);
  const known = { url, host, authority: name, isKnown, robots: gate.ref(authority), wait };
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
    default:
      return { ...known, gate: { kind: 'hold', reason: 'robots-unknown', untilMs: null } };
  }
}
