// What a host's slot may be given now: the next entry that its robots.txt allows, or the robots.txt itself.
// The gate is asked here with binding answers. Entries that are settled by the answer (excluded, dropped, failed) leave
// the queue on the way; an authority that must wait steps aside, so that the host's others go on.

import type { Decision } from '@mannerly/robots';
import type { WhyNot } from '../options/options.js';
import type { Politeness } from '../politeness/profile.js';
import type { Budget } from '../records/budget.js';
import type { PageItem } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import { type AuthorityRules, noSignals } from '../robots/authority-rules.js';
import { type AskedNow, asksForAnything } from '../robots/host-asks.js';
import type { RobotsGate, RobotsRequest } from '../robots/robots-gate.js';
import type { HostBounds } from './host-bounds.js';
import type { LeasedHost, QueuedEntry } from './leased-host.js';
import { holdLane, hostAsksNow, isHeldBack, nextStart } from './leased-host.js';
import { ASKS_PER_HOST } from './limits.js';

/** What the slot may be given. */
export type Choice =
  | {
      readonly kind: 'page';
      readonly entry: QueuedEntry;
      readonly item: PageItem;
      readonly authority: Authority;
      readonly decision: Decision;
      readonly asked: AskedNow;
    }
  /** `entry`: a hop that stands in this queue; `null` for the first request, which the page behind it stands for. */
  | {
      readonly kind: 'robots';
      readonly entry: QueuedEntry | null;
      readonly authority: Authority;
      readonly request: RobotsRequest;
      readonly hops: number;
      readonly asked: AskedNow;
    }
  /** The URL goes by another name than the one it was queued under: it is to be queued again under that one. */
  | {
      readonly kind: 'rekey';
      readonly entry: QueuedEntry;
      readonly item: PageItem;
      readonly authority: Authority;
      readonly key: string;
    }
  /** The authority is not at hand. */
  | { readonly kind: 'load'; readonly authority: string }
  /** A redirect chain was not finished in time. */
  | { readonly kind: 'chain-over'; readonly authority: string }
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** Nothing in the buffer may go now, whatever the time. */
  | { readonly kind: 'nothing' };

/** Why an entry ends here: a decision of robots.txt, or a word of the table of reasons. */
export type Ending =
  | { readonly word: 'excluded'; readonly decision: Decision }
  | { readonly word: 'excluded' | 'dropped' | 'failed'; readonly reason: string; readonly detail?: string };

/** What choosing needs. */
export interface ChoiceParts {
  readonly gate: RobotsGate;
  readonly budget: Budget;
  readonly politeness: Politeness;
  readonly hostBounds: HostBounds;
  readonly unsettledPerHost: number;
  readonly holdMaxMs: number;
  /** The owner's last word about a URL that robots.txt allows: a reason to leave it alone, or `null`. */
  readonly whyNot: WhyNot;
  /** A URL whose way ends here. */
  readonly ended: (host: LeasedHost, item: PageItem, authority: Authority, ending: Ending) => void;
  /** A closed time was met. */
  readonly closed: (host: LeasedHost, closed: NonNullable<AskedNow['closed']>) => void;
  /** A closed time was met that the operator chose not to obey. */
  readonly unheeded: (host: LeasedHost, closed: NonNullable<AskedNow['closed']>) => void;
}

/**
 * Chooses, and takes what it chose out of the buffer. `host.changes` holds what the next commit must say.
 *
 * @throws Never.
 */
export function choose(host: LeasedHost, nowMs: number, parts: ChoiceParts): Choice {
  for (const [authority, untilMs] of host.chains) if (nowMs >= untilMs) return { kind: 'chain-over', authority };
  const asked = hostAsksNow(host, nowMs);
  const start = nextStart(host, asked, parts.politeness);
  if (start.atMs > nowMs) return { kind: 'wait', untilMs: start.atMs };
  let at = 0;
  while (at < host.buffer.length) {
    const entry = host.buffer[at]!;
    if (isHeldBack(host, entry, nowMs)) {
      at += 1;
      continue;
    }
    const authority = parts.gate.peek(entry.authority);
    if (authority === null) return { kind: 'load', authority: entry.authority };
    if (host.unsettled >= parts.unsettledPerHost) return { kind: 'nothing' };
    const step =
      entry.item.kind === 'hop'
        ? hopStep(entry, entry.item, authority, nowMs, asked, parts)
        : pageStep(host, entry, entry.item, authority, nowMs, asked, parts);
    switch (step.kind) {
      case 'skip':
        at += 1;
        break;
      case 'gone':
        host.buffer.splice(at, 1);
        host.changes.done.push(entry.id);
        break;
      case 'lane':
        holdLane(host, entry.authority, step.untilMs);
        break;
      case 'again':
        return choose(host, nowMs, parts);
      default:
        if (step.kind === 'page' || step.kind === 'rekey' || (step.kind === 'robots' && step.entry !== null))
          host.buffer.splice(at, 1);
        return step;
    }
  }
  return { kind: 'nothing' };
}

/**
 * Notes what an authority asks for at its host. @returns Whether that changed anything.
 *
 * @throws Never.
 */
export function noteAsks(host: LeasedHost, authority: string, rules: AuthorityRules | null): boolean {
  const asks = rules?.asks ?? null;
  const before = host.asks.get(authority) ?? null;
  if (before === asks) return false;
  if (asks === null || !asksForAnything(asks)) return host.asks.delete(authority);
  host.asks.set(authority, asks);
  if (host.asks.size > ASKS_PER_HOST) forgetLeast(host, authority);
  return true;
}

/** The least demanding authority but `keep` leaves; a delay for the whole host covers what it asked. */
function forgetLeast(host: LeasedHost, keep: string): void {
  let least: string | null = null;
  let leastMs = Number.MAX_SAFE_INTEGER;
  for (const [authority, { longestMs }] of host.asks) {
    if (authority !== keep && longestMs < leastMs) [least, leastMs] = [authority, longestMs];
  }
  if (least === null) return;
  host.asks.delete(least);
  host.floorDelayMs = Math.max(host.floorDelayMs, leastMs);
}

type Step =
  | Choice
  | { readonly kind: 'skip' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'lane'; readonly untilMs: number }
  /** What is asked of the host has changed: everything once more. */
  | { readonly kind: 'again' };

function hopStep(
  entry: QueuedEntry,
  item: { readonly chain: string; readonly url: string },
  authority: Authority,
  nowMs: number,
  asked: AskedNow,
  { gate }: ChoiceParts,
): Step {
  const request = gate.beginHop(authority, item.chain, item.url, nowMs);
  // A chain that was given up: its authority has been answered for by now.
  if (request === null) return { kind: 'gone' };
  return { kind: 'robots', entry, authority, request, hops: authority.chain!.urls.length - 1, asked };
}

function pageStep(
  host: LeasedHost,
  entry: QueuedEntry,
  item: PageItem,
  authority: Authority,
  nowMs: number,
  asked: AskedNow,
  parts: ChoiceParts,
): Step {
  const { gate } = parts;
  const answer = gate.ask(authority, item.record.url, nowMs);
  const end = (ending: Ending): Step => {
    parts.ended(host, item, authority, ending);
    return { kind: 'gone' };
  };
  switch (answer.kind) {
    case 'busy': {
      // Asked for by us, the answer brings the host back. A chain that waits elsewhere may belong to an earlier process.
      if (authority.chain === null) return { kind: 'skip' };
      if (nowMs >= authority.chain.untilMs) return { kind: 'chain-over', authority: authority.name };
      host.chains.set(authority.name, authority.chain.untilMs);
      return { kind: 'lane', untilMs: authority.chain.untilMs };
    }
    case 'fetch':
      return { kind: 'robots', entry: null, authority, request: gate.beginFetch(authority, nowMs), hops: 0, asked };
    case 'hold': {
      // Time in the queue while its rules could be had does not count.
      const heldMs = nowMs - Math.max(item.addedAtMs, answer.sinceMs);
      if (heldMs >= parts.holdMaxMs) return end({ word: 'failed', reason: 'robots-unreachable' });
      return { kind: 'lane', untilMs: Math.max(answer.untilMs, nowMs + 1) };
    }
    case 'refused':
      return end({ word: 'dropped', reason: answer.reason });
    case 'deny':
      return end({ word: 'excluded', decision: answer.decision });
    case 'allow': {
      const rules = gate.rules(authority);
      if (noteAsks(host, authority.name, rules)) return { kind: 'again' };
      const { record } = item;
      const refusal = parts.whyNot(record.url, rules?.signals(record.url) ?? noSignals(), record);
      if (refusal !== null) return end(typeof refusal === 'string' ? { word: 'excluded', reason: refusal } : refusal);
      // Added before the rules were known: under its own name, not under the one that the site says it goes by.
      const key = item.isKeyed === true ? null : (rules?.key(record.url) ?? null);
      if (key !== null) return { kind: 'rekey', entry, item, authority, key };
      if (rules?.isOverMaxDelay === true) return end({ word: 'dropped', reason: 'crawl-delay-over-max' });
      const spent = parts.hostBounds.spent(host, nowMs);
      if (spent !== null) {
        parts.hostBounds.note(host, nowMs);
        return end({ word: 'dropped', reason: spent });
      }
      if (parts.hostBounds.mayBeSpent(host)) return { kind: 'nothing' };
      if (asked.unheeded !== null) parts.unheeded(host, asked.unheeded);
      if (asked.closed !== null) {
        parts.closed(host, asked.closed);
        return { kind: 'wait', untilMs: asked.closed.untilMs };
      }
      if (!parts.budget.reserve()) return { kind: 'nothing' };
      return { kind: 'page', entry, item, authority, decision: answer.decision, asked };
    }
  }
}
