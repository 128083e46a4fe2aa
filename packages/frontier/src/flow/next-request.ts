// What a host's slot may be given now: the next entry that its robots.txt allows, or the robots.txt itself. The gate's
// answers are binding here. Entries that such an answer ends (excluded, dropped, failed) leave the queue. If an
// authority must wait, its lane is blocked, so that the host's other authorities go on.

import type { Decision } from '@mannerly/robots';
import type { Ending } from '../hosts/event-reporter.js';
import type { LeasedEntry } from '../hosts/leased-entries.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import { PRIORITIES } from '../limits.js';
import type { Budget } from '../records/budget.js';
import type { PageItem } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import { type ClosedTime, NO_SIGNALS, type RequirementsNow } from '../robots/authority-rules.js';
import type { GateAnswer, RobotsRequest } from '../robots/robots-gate.js';
import type { UrlRecord } from '../url-record.js';
import type { FrontierContext } from './context.js';
import { LABEL_RETRY_MS } from './limits.js';

/** A page of the queue, with what is known of its authority. */
interface QueuedPage {
  readonly entry: LeasedEntry;
  readonly item: PageItem;
  readonly authority: Authority;
  readonly required: RequirementsNow;
}

/** A page that may be requested now. `entry`: `null` for one of the owner's own requests. */
export interface PageChoice extends Pick<QueuedPage, 'authority' | 'required'> {
  readonly kind: 'page';
  readonly entry: LeasedEntry | null;
  readonly record: UrlRecord;
  readonly decision: Decision;
  /** The reserved budgets that it may use up; none for one of the owner's own requests. */
  readonly budgets: readonly Budget[];
}

/** A robots.txt to request. `entry`: the entry of a hop; `null` for the first request, which has none. */
export interface RobotsChoice extends Pick<QueuedPage, 'authority' | 'required'> {
  readonly kind: 'robots';
  readonly entry: LeasedEntry | null;
  readonly request: RobotsRequest;
}

/** The URL must be queued again: under the name that the rules give it, or with the lowest priority. */
export interface RequeueChoice extends Omit<QueuedPage, 'required'>, Requeueing {
  readonly kind: 'requeue';
}

interface Requeueing {
  /** `null`: it keeps its own name. */
  readonly key: string | null;
  readonly priority: number;
}

export type Choice =
  | PageChoice
  | RobotsChoice
  | RequeueChoice
  /** The authority is not in memory. */
  | { readonly kind: 'load'; readonly authority: string }
  /** A redirect chain did not finish in time. */
  | { readonly kind: 'chain-over'; readonly authority: string }
  | { readonly kind: 'wait' }
  /** No entry may be requested now, and waiting does not change that. */
  | { readonly kind: 'nothing' };

/** What the gate, the owner and the bounds decide about one URL. */
export type Verdict =
  | Exclude<GateAnswer, { kind: 'deny' | 'refused' }>
  /** The host's requirements have changed: the time of its next request must be recomputed. */
  | { readonly kind: 'changed' }
  | ({ readonly kind: 'requeue' } & Requeueing)
  | { readonly kind: 'end'; readonly ending: Ending }
  | { readonly kind: 'closed'; readonly closed: ClosedTime };

/** `skip`: the entry stays. `gone`: it is finished, or its lane is blocked. `again`: start over with all entries. */
type Step = Choice | 'skip' | 'gone' | 'again';

/** Chooses, and removes the choice from the host's entries. The next commit reports the changes. */
export function choose(context: FrontierContext, host: LeasedHost, nowMs: number): Choice {
  if (host.chains.size > 0) {
    for (const [authority, untilMs] of host.chains) if (nowMs >= untilMs) return { kind: 'chain-over', authority };
  }
  const required = host.requirements.at(nowMs);
  if (host.nextStart(required).atMs > nowMs) return { kind: 'wait' };
  const { entries } = host;
  let at = 0;
  for (let entry = entries.at(at); entry !== undefined; entry = entries.at(at)) {
    const step = entries.isBlocked(entry, nowMs) ? 'skip' : entryStep(context, host, entry, required, nowMs);
    if (step === 'skip') at += 1;
    else if (step === 'again') return choose(context, host, nowMs);
    else if (step !== 'gone') {
      if ('entry' in step && step.entry !== null) entries.remove(entry);
      return step;
    }
  }
  return { kind: 'nothing' };
}

function entryStep(
  context: FrontierContext,
  host: LeasedHost,
  entry: LeasedEntry,
  required: RequirementsNow,
  nowMs: number,
): Step {
  const { gate, settings } = context;
  const { item } = entry;
  const authority = gate.authorities.peek(entry.authority);
  if (authority === null) return { kind: 'load', authority: entry.authority };
  if (host.unsettled >= settings.unsettledPerHost) return { kind: 'nothing' };
  if (item.kind === 'page') return pageStep(context, host, { entry, item, authority, required }, nowMs);
  const request = gate.beginHop(authority, item.chain, item.url, nowMs);
  if (request !== null) return { kind: 'robots', entry, authority, request, required };
  // The chain was given up, and its authority has an answer by now.
  finish(host, entry);
  return 'gone';
}

function pageStep(
  context: FrontierContext,
  host: LeasedHost,
  { entry, item, authority, required }: QueuedPage,
  nowMs: number,
): Step {
  const { gate, hostBounds, reporter, budget } = context;
  const end = (ending: Ending): Step => {
    reporter.ended(item.record, ending, gate.copyRef(authority));
    finish(host, entry);
    return 'gone';
  };
  const block = (untilMs: number): Step => {
    host.entries.blockLane(authority.name, untilMs);
    return 'gone';
  };
  const verdict = decideUrl(context, host, item.record, authority, required, nowMs, { item, priority: entry.priority });
  switch (verdict.kind) {
    case 'busy': {
      // Our own request wakes the host. A chain that waits at another host may belong to an earlier process.
      const { chain } = authority;
      if (chain === null) return 'skip';
      if (nowMs >= chain.untilMs) return { kind: 'chain-over', authority: authority.name };
      host.waitForChain(authority.name, chain.untilMs);
      return block(chain.untilMs);
    }
    case 'fetch':
      return robotsRequest(context, authority, required, nowMs);
    case 'hold': {
      if (gate.isHeldTooLong(item.addedAtMs, verdict.sinceMs, nowMs))
        return end({ status: 'failed', reason: 'robots-unreachable' });
      return block(Math.max(verdict.untilMs, nowMs + 1));
    }
    case 'changed':
      return 'again';
    case 'requeue':
      return { ...verdict, entry, item, authority };
    case 'end':
      return end(verdict.ending);
    case 'closed':
    case 'allow': {
      if (hostBounds.mayReachBound(host)) return { kind: 'nothing' };
      if (required.ignoredClosure !== null) reporter.closed(host.key, required.ignoredClosure);
      if (verdict.kind === 'closed') {
        host.setClosedTime(verdict.closed);
        reporter.closed(host.key, verdict.closed);
        return { kind: 'wait' };
      }
      const labelPages = labelBudget(context, host, item.record);
      // Pages in flight or other processes have reserved the rest of the label's pages.
      if (labelPages !== null && !labelPages.reserve()) return block(nowMs + LABEL_RETRY_MS);
      if (!budget.reserve()) {
        labelPages?.settle(false);
        return { kind: 'nothing' };
      }
      const { decision } = verdict;
      const budgets = labelPages === null ? [budget] : [budget, labelPages];
      return { kind: 'page', entry, record: item.record, authority, decision, required, budgets };
    }
  }
}

/** The first request for the robots.txt of an authority. From now on the file counts as being fetched. */
export function robotsRequest(
  context: FrontierContext,
  authority: Authority,
  required: RequirementsNow,
  nowMs: number,
): RobotsChoice {
  const request = context.gate.beginFetch(authority, nowMs);
  return { kind: 'robots', entry: null, authority, request, required };
}

/** What the gate, the owner and the bounds decide about a URL, in this order. `queued`: `null` for an own request. */
export function decideUrl(
  context: FrontierContext,
  host: LeasedHost,
  record: UrlRecord,
  authority: Authority,
  required: RequirementsNow,
  nowMs: number,
  queued: { readonly item: PageItem; readonly priority: number } | null,
): Verdict {
  const { gate, hostBounds, settings } = context;
  const answer = gate.ask(authority, record.url, nowMs, host);
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
  const refusal = settings.whyNot(record.url, rules?.signals(record.url) ?? NO_SIGNALS, record);
  if (typeof refusal === 'object' && refusal?.status === 'deferred') {
    if (queued !== null && queued.priority < PRIORITIES - 1)
      return { kind: 'requeue', key: null, priority: PRIORITIES - 1 };
  } else if (refusal !== null) {
    const ending: Ending = typeof refusal === 'string' ? { status: 'excluded', reason: refusal } : refusal;
    return { kind: 'end', ending };
  }
  // It was queued before the rules were known: under its own name, not the one that the site gives it.
  const key = queued === null || queued.item.isKeyed === true ? null : (rules?.key(record.url) ?? null);
  if (key !== null && queued !== null) return { kind: 'requeue', key, priority: queued.priority };
  if (rules?.isOverMaxDelay === true)
    return { kind: 'end', ending: { status: 'dropped', reason: 'crawl-delay-over-max' } };
  const bound = hostBounds.reachedBound(host, nowMs);
  if (bound !== null && (queued !== null || bound !== 'bound-host-pages')) {
    if (queued !== null) hostBounds.note(host, nowMs);
    return { kind: 'end', ending: { status: 'dropped', reason: bound } };
  }
  if (queued !== null && labelBudget(context, host, record)?.reachedBound(nowMs) === 'pages') {
    const detail = record.label ?? host.label ?? '';
    return { kind: 'end', ending: { status: 'dropped', reason: 'bound-label-pages', detail } };
  }
  return required.closed === null ? answer : { kind: 'closed', closed: required.closed };
}

function labelBudget(context: FrontierContext, host: LeasedHost, { label }: UrlRecord): Budget | null {
  const { settings, labelBudgets } = context;
  return settings.labels.size === 0 ? null : labelBudgets.of(label ?? host.label);
}

/** Removes the entry from the queue for good. */
function finish({ entries }: LeasedHost, entry: LeasedEntry): void {
  entries.remove(entry);
  entries.finish(entry.id);
}
