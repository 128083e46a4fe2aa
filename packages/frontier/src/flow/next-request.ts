// A host's turn: its slot is given the next entry that its robots.txt allows, or the robots.txt itself. The gate's
// answers are binding here. Entries that such an answer ends (excluded, dropped, failed) leave the queue. If an
// authority must wait, its lane is blocked, so that the host's other authorities go on.

import type { Ending } from '../hosts/event-reporter.js';
import { reachedBound } from '../hosts/host-state.js';
import type { LeasedEntry } from '../hosts/leased-entries.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import { PRIORITIES } from '../limits.js';
import type { Budget } from '../records/budget.js';
import type { PageItem } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import { type ClosedTime, NO_SIGNALS, type RequirementsNow } from '../robots/authority-rules.js';
import type { GateAnswer } from '../robots/robots-gate.js';
import type { UrlRecord } from '../url-record.js';
import type { Work } from '../work.js';
import type { Flow } from './flow.js';
import { LABEL_RETRY_MS } from './limits.js';
import type { Settling } from './settling.js';

/** A host when it has its turn. */
interface HostTurn {
  readonly host: LeasedHost;
  /** What the robots.txt files of its authorities require now. */
  readonly required: RequirementsNow;
  readonly nowMs: number;
}

/**
 * What a turn leads to: the work that has the host's slot now, or a promise, if the host needs the store or the gate
 * first. `wait`: its time has not come. `nothing`: no entry may be requested now, and waiting does not change that.
 */
type TurnResult = Work | Promise<void> | 'wait' | 'nothing';

/** `skip`: the entry stays. `gone`: it is finished, or its lane is blocked. `again`: start over with all entries. */
type Step = TurnResult | 'skip' | 'gone' | 'again';

/** What the gate, the owner and the bounds decide about one URL. */
type Verdict =
  | Exclude<GateAnswer, { kind: 'deny' | 'refused' }>
  /** The host's requirements have changed: the time of its next request must be recomputed. */
  | { readonly kind: 'changed' }
  /** Queue it again: with this priority, under the name that the rules give it (`null`: its own). */
  | { readonly kind: 'requeue'; readonly key: string | null; readonly priority: number }
  | { readonly kind: 'end'; readonly ending: Ending }
  | { readonly kind: 'closed'; readonly closed: ClosedTime };

export type Turns = ReturnType<typeof createTurns>;

/** The turns of hosts, and what is decided about a URL in one. */
export function createTurns(flow: Flow, { requeue, endChain }: Settling) {
  const { gate, admission, reporter, budget, labelBudgets, schedule, settings } = flow;
  const { startPage, startRobots } = flow.flights;

  /** Gives a host its turn. The next commit reports how its entries have changed. */
  function giveTurn(host: LeasedHost, nowMs: number): TurnResult {
    for (const [authority, untilMs] of host.chains) if (nowMs >= untilMs) return endChain(host, authority);
    const required = host.requirements.at(nowMs);
    if (host.nextStart(required).atMs > nowMs) return 'wait';
    const { entries } = host;
    const turn: HostTurn = { host, required, nowMs };
    let at = 0;
    for (let entry = entries.at(at); entry !== undefined; entry = entries.at(at)) {
      const step = entries.isBlocked(entry, nowMs) ? 'skip' : entryStep(turn, entry);
      if (step === 'skip') at += 1;
      else if (step === 'again') return giveTurn(host, nowMs);
      else if (step !== 'gone') return step;
    }
    return 'nothing';
  }

  function entryStep(turn: HostTurn, entry: LeasedEntry): Step {
    const { host, required, nowMs } = turn;
    const { item } = entry;
    const authority = gate.authorities.peek(entry.authority);
    if (authority === null) return gate.authorities.load(entry.authority).then(() => schedule.reschedule(host));
    if (host.unsettled >= settings.unsettledPerHost) return 'nothing';
    if (item.kind === 'page') return pageStep(turn, entry, item, authority);
    const request = gate.beginHop(authority, item.chain, item.url, nowMs);
    host.entries.remove(entry);
    if (request !== null) return startRobots(host, entry, authority, request, required);
    // The chain was given up, and its authority has an answer by now.
    host.entries.finish(entry.id);
    return 'gone';
  }

  function pageStep(turn: HostTurn, entry: LeasedEntry, item: PageItem, authority: Authority): Step {
    const { host, required, nowMs } = turn;
    const { entries } = host;
    const { record } = item;
    const end = (ending: Ending): Step => {
      reporter.ended(record, ending, gate.copyRef(authority));
      entries.remove(entry);
      entries.finish(entry.id);
      return 'gone';
    };
    const block = (untilMs: number): Step => {
      entries.blockLane(authority.name, untilMs);
      return 'gone';
    };
    const verdict = decideUrl(turn, record, authority, { item, priority: entry.priority });
    switch (verdict.kind) {
      case 'busy': {
        // Our own request wakes the host, and so does the answer to a chain that waits at another host, or its end.
        const { chain } = authority;
        if (chain === null) return 'skip';
        if (nowMs >= chain.untilMs) return endChain(host, authority.name);
        host.chains.set(authority.name, chain.untilMs);
        return block(chain.untilMs);
      }
      case 'fetch':
        return startRobots(host, null, authority, gate.beginFetch(authority, nowMs), required);
      case 'hold': {
        if (gate.isHeldTooLong(item.addedAtMs, verdict.sinceMs, nowMs))
          return end({ status: 'failed', reason: 'robots-unreachable' });
        return block(Math.max(verdict.untilMs, nowMs + 1));
      }
      case 'changed':
        return 'again';
      case 'requeue':
        entries.remove(entry);
        return requeue(host, entry.id, item, authority, verdict);
      case 'end':
        return end(verdict.ending);
      case 'closed':
      case 'allow': {
        if (host.mayReachBound) return 'nothing';
        if (required.ignoredClosure !== null) reporter.closed(host.key, required.ignoredClosure);
        if (verdict.kind === 'closed') {
          host.closed = { ...verdict.closed, untilMs: lookAgainMs(host, authority, verdict.closed.untilMs, nowMs) };
          reporter.closed(host.key, verdict.closed);
          return 'wait';
        }
        const labelPages = labelBudget(host, record);
        // Pages in flight or other processes have reserved the rest of the label's pages.
        if (labelPages?.canReserve() === false) return block(nowMs + LABEL_RETRY_MS);
        entries.remove(entry);
        const budgets = labelPages === null ? [budget] : [budget, labelPages];
        for (const each of budgets) each.reserve();
        return startPage(host, { entry, record, authority, decision: verdict.decision, required, budgets });
      }
    }
  }

  /**
   * When a closed host gets its next turn: one interval before it opens, if its robots.txt expires before that. In a
   * Visit-time shorter than the interval, the request for it would take the only turn, each time.
   */
  function lookAgainMs(host: LeasedHost, { access }: Authority, opensMs: number, nowMs: number): number {
    const { freshUntilMs } = access;
    if (freshUntilMs === null || freshUntilMs > opensMs) return opensMs;
    const renewMs = Math.max(freshUntilMs, opensMs - host.intervalMs(nowMs));
    return renewMs > nowMs ? renewMs : opensMs;
  }

  /** What the gate, the owner and the bounds decide about a URL, in this order. `queued`: `null` for an own request. */
  function decideUrl(
    { host, required, nowMs }: HostTurn,
    record: UrlRecord,
    authority: Authority,
    queued: { readonly item: PageItem; readonly priority: number } | null,
  ): Verdict {
    const answer = gate.ask(authority, record.url, nowMs, host);
    switch (answer.kind) {
      case 'busy':
      case 'fetch':
      case 'hold':
        return answer;
      case 'refused':
        return dropped(answer.reason, answer.detail);
      case 'deny':
        return { kind: 'end', ending: { status: 'excluded', decision: answer.decision } };
    }
    const rules = gate.rules(authority);
    if (host.requirements.note(authority.name, rules?.requirements ?? null)) return { kind: 'changed' };
    const refusal = settings.whyNot(record.url, rules?.signals(record.url) ?? NO_SIGNALS, record);
    if (typeof refusal === 'string') return { kind: 'end', ending: { status: 'excluded', reason: refusal } };
    if (refusal?.status === 'dropped') return { kind: 'end', ending: refusal };
    if (queued !== null) {
      const { item, priority } = queued;
      const isDeferred = refusal !== null && priority < PRIORITIES - 1;
      if (isDeferred) return { kind: 'requeue', key: null, priority: PRIORITIES - 1 };
      // It was queued before the rules were known: under its own name, not the one that the site gives it.
      const key = item.isKeyed === true ? null : (rules?.key(record.url) ?? null);
      if (key !== null) return { kind: 'requeue', key, priority };
    }
    if (rules?.isOverMaxDelay === true) return dropped('crawl-delay-over-max');
    const bound = reachedBound(host, budget.runningMs(nowMs), queued !== null);
    if (bound !== null) {
      admission.rememberBound(host.key, bound);
      return dropped(bound);
    }
    if (queued !== null && labelBudget(host, record)?.reachedBound(nowMs) === 'pages')
      return dropped('bound-label-pages', record.label ?? host.settings.label ?? '');
    return required.closed === null ? answer : { kind: 'closed', closed: required.closed };
  }

  function labelBudget(host: LeasedHost, { label }: UrlRecord): Budget | null {
    return settings.labels.size === 0 ? null : labelBudgets.of(label ?? host.settings.label);
  }

  return { giveTurn, decideUrl };
}

function dropped(reason: string, detail?: string): Verdict {
  return { kind: 'end', ending: { status: 'dropped', reason, ...(detail === undefined ? {} : { detail }) } };
}
