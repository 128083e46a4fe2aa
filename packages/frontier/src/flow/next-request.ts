// What a host's slot may be given now: the next entry that its robots.txt allows, or the robots.txt itself. The gate's
// answers are binding here. Entries that end by such an answer (excluded, dropped, failed) leave the queue on the way.
// An authority that must wait has its lane blocked, so that the host's others go on.

import type { Decision } from '@mannerly/robots';
import type { Ending } from '../hosts/event-reporter.js';
import type { LeasedEntry } from '../hosts/leased-entries.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import type { PageItem } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import { noSignals } from '../robots/authority-rules.js';
import type { ClosedTime, RequirementsNow } from '../robots/requirements.js';
import type { RobotsRequest } from '../robots/robots-gate.js';
import type { UrlRecord } from '../url-record.js';
import type { FrontierContext } from './context.js';

/** A page that may be requested now. `entry`: `null` for a request of the owner's own. */
export interface PageChoice {
  readonly kind: 'page';
  readonly entry: LeasedEntry | null;
  readonly record: UrlRecord;
  readonly authority: Authority;
  readonly decision: Decision;
  readonly required: RequirementsNow;
}

/** A robots.txt that is to be requested. `entry`: of a hop; `null` for the first request, which has none. */
export interface RobotsChoice {
  readonly kind: 'robots';
  readonly entry: LeasedEntry | null;
  readonly authority: Authority;
  readonly request: RobotsRequest;
  readonly hops: number;
  readonly required: RequirementsNow;
}

/** The rules give the URL another name than the one it was queued under: it is queued again under that one. */
export interface RekeyChoice {
  readonly kind: 'rekey';
  readonly entry: LeasedEntry;
  readonly item: PageItem;
  readonly authority: Authority;
  readonly key: string;
}

/** What the slot may be given. */
export type Choice =
  | PageChoice
  | RobotsChoice
  | RekeyChoice
  /** The authority is not in memory. */
  | { readonly kind: 'load'; readonly authority: string }
  /** A redirect chain was not finished in time. */
  | { readonly kind: 'chain-over'; readonly authority: string }
  | { readonly kind: 'wait' }
  /** No entry may go now, whatever the time. */
  | { readonly kind: 'nothing' };

/** What the gate, the owner and the bounds say of one URL. */
export type Verdict =
  | { readonly kind: 'allow'; readonly decision: Decision }
  /** Its robots.txt is to be fetched first; or is in flight. */
  | { readonly kind: 'fetch' | 'busy' }
  /** What the host requires has changed: the time of its next request is to be computed again. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'hold'; readonly untilMs: number; readonly sinceMs: number }
  | { readonly kind: 'rekey'; readonly key: string }
  | { readonly kind: 'end'; readonly ending: Ending }
  | { readonly kind: 'closed'; readonly closed: ClosedTime };

type Step =
  | Choice
  /** The entry stays where it is; it is finished; everything is to be looked at again. */
  | { readonly kind: 'skip' | 'gone' | 'again' }
  | { readonly kind: 'block-lane'; readonly untilMs: number };

/** Chooses requests for hosts. None of its methods throws. */
export class NextRequest {
  readonly #context: FrontierContext;

  constructor(context: FrontierContext) {
    this.#context = context;
  }

  /** Chooses, and removes what it chose from the host's entries. Their changes are for the next commit to report. */
  choose(host: LeasedHost, nowMs: number): Choice {
    for (const [authority, untilMs] of host.chains) if (nowMs >= untilMs) return { kind: 'chain-over', authority };
    const required = host.requirements.at(nowMs);
    if (host.nextStart(required).atMs > nowMs) return { kind: 'wait' };
    const { entries } = host;
    let at = 0;
    for (let entry = entries.at(at); entry !== undefined; entry = entries.at(at)) {
      if (entries.isBlocked(entry, nowMs)) {
        at += 1;
        continue;
      }
      const step = this.#step(host, entry, required, nowMs);
      switch (step.kind) {
        case 'skip':
          at += 1;
          break;
        case 'gone':
          entries.removeAt(at);
          entries.finish(entry.id);
          break;
        case 'block-lane':
          entries.blockLane(entry.authority, step.untilMs);
          break;
        case 'again':
          return this.choose(host, nowMs);
        default:
          if ('entry' in step && step.entry !== null) entries.removeAt(at);
          return step;
      }
    }
    return { kind: 'nothing' };
  }

  #step(host: LeasedHost, entry: LeasedEntry, required: RequirementsNow, nowMs: number): Step {
    const { gate, settings } = this.#context;
    const authority = gate.peek(entry.authority);
    if (authority === null) return { kind: 'load', authority: entry.authority };
    if (host.unsettled >= settings.unsettledPerHost) return { kind: 'nothing' };
    if (entry.item.kind === 'page') return this.#pageStep(host, entry, entry.item, authority, required, nowMs);
    const request = gate.beginHop(authority, entry.item.chain, entry.item.url, nowMs);
    // The chain was given up: its authority has been answered for by now.
    if (request === null) return { kind: 'gone' };
    return { kind: 'robots', entry, authority, request, hops: authority.chain!.urls.length - 1, required };
  }

  #pageStep(
    host: LeasedHost,
    entry: LeasedEntry,
    item: PageItem,
    authority: Authority,
    required: RequirementsNow,
    nowMs: number,
  ): Step {
    const { gate, hostBounds, reporter, budget, settings } = this.#context;
    const end = (ending: Ending): Step => {
      reporter.ended(item.record, ending, gate.ref(authority));
      return { kind: 'gone' };
    };
    const verdict = this.judge(host, item.record, authority, required, nowMs, item);
    switch (verdict.kind) {
      case 'busy': {
        // Our own request brings the host back. A chain that waits elsewhere may belong to an earlier process.
        const { chain } = authority;
        if (chain === null) return { kind: 'skip' };
        if (nowMs >= chain.untilMs) return { kind: 'chain-over', authority: authority.name };
        host.waitForChain(authority.name, chain.untilMs);
        return { kind: 'block-lane', untilMs: chain.untilMs };
      }
      case 'fetch':
        return this.robotsRequest(authority, required, nowMs);
      case 'hold': {
        // Time in the queue while its rules could be had does not count.
        const heldMs = nowMs - Math.max(item.addedAtMs, verdict.sinceMs);
        if (heldMs >= settings.access.holdMaxMs) return end({ status: 'failed', reason: 'robots-unreachable' });
        return { kind: 'block-lane', untilMs: Math.max(verdict.untilMs, nowMs + 1) };
      }
      case 'changed':
        return { kind: 'again' };
      case 'rekey':
        return { kind: 'rekey', entry, item, authority, key: verdict.key };
      case 'end':
        return end(verdict.ending);
      case 'closed':
      case 'allow': {
        if (hostBounds.mayBeUsedUp(host)) return { kind: 'nothing' };
        if (required.unheeded !== null) reporter.closed(host.key, required.unheeded);
        if (verdict.kind === 'closed') {
          host.closeUntil(verdict.closed);
          reporter.closed(host.key, verdict.closed);
          return { kind: 'wait' };
        }
        if (!budget.reserve()) return { kind: 'nothing' };
        const { decision } = verdict;
        return { kind: 'page', entry, record: item.record, authority, decision, required };
      }
    }
  }

  /** The first request for the robots.txt of an authority: from here on it counts as being fetched. */
  robotsRequest(authority: Authority, required: RequirementsNow, nowMs: number): RobotsChoice {
    const request = this.#context.gate.beginFetch(authority, nowMs);
    return { kind: 'robots', entry: null, authority, request, hops: 0, required };
  }

  /**
   * What the gate, the owner and the bounds say of a URL, in this order.
   *
   * @param item - Its entry; `null` for a request of the owner's own, which counts as no page.
   */
  judge(
    host: LeasedHost,
    record: UrlRecord,
    authority: Authority,
    required: RequirementsNow,
    nowMs: number,
    item: PageItem | null,
  ): Verdict {
    const { gate, hostBounds, settings } = this.#context;
    const answer = gate.ask(authority, record.url, nowMs);
    switch (answer.kind) {
      case 'busy':
      case 'fetch':
      case 'hold':
        return answer;
      case 'refused':
        return { kind: 'end', ending: { status: 'dropped', reason: answer.reason } };
      case 'deny':
        return { kind: 'end', ending: { status: 'excluded', decision: answer.decision } };
    }
    const rules = gate.rules(authority);
    if (host.noteRules(authority.name, rules)) return { kind: 'changed' };
    const refusal = settings.whyNot(record.url, rules?.signals(record.url) ?? noSignals(), record);
    if (refusal !== null) {
      const ending: Ending = typeof refusal === 'string' ? { status: 'excluded', reason: refusal } : refusal;
      return { kind: 'end', ending };
    }
    // Queued before the rules were known: under its own name, not under the one that the site gives it.
    const key = item === null || item.isKeyed === true ? null : (rules?.key(record.url) ?? null);
    if (key !== null) return { kind: 'rekey', key };
    if (rules?.isOverMaxDelay === true)
      return { kind: 'end', ending: { status: 'dropped', reason: 'crawl-delay-over-max' } };
    const usedUp = hostBounds.usedUp(host, nowMs);
    if (usedUp !== null && (item !== null || usedUp !== 'bound-host-pages')) {
      if (item !== null) hostBounds.note(host, nowMs);
      return { kind: 'end', ending: { status: 'dropped', reason: usedUp } };
    }
    return required.closed === null ? answer : { kind: 'closed', closed: required.closed };
  }
}
