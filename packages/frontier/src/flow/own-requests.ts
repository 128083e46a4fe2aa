// The owner's own requests, outside its queue: a handler wants one more file and waits for it. Such a request has no
// entry; the lease on its host is the right to make it. It passes the same gate, takes the same slot and uses up no
// page. It goes before the host's entries, so that a handler that waits for its own host waits for one exchange, not
// for a queue. Own requests are in memory only: after a restart no caller is left to answer.

import type { HostWait } from '../frontier-event.js';
import { type Ending, explainEnding } from '../hosts/event-reporter.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import type { Authority } from '../robots/authority-cache.js';
import type { HostKey } from '../store.js';
import type { UrlRecord } from '../url-record.js';
import type { PageWork, RobotsCopyRef, Work } from '../work.js';
import type { Flow } from './flow.js';
import { MAX_OWN_REQUESTS, OWN_REQUEST_RETRY_MS, RENEWAL_WAIT_MS } from './limits.js';
import type { Turns } from './next-request.js';
import type { Settling } from './settling.js';

/** The outcome of one of the owner's own requests. */
export type OwnAnswer =
  /** It may be made now: send it, report it with `exchanged`, and settle it as `done` or `returned` like any work. */
  | { readonly kind: 'go'; readonly work: PageWork }
  | {
      readonly kind: 'excluded';
      readonly reason: string;
      readonly line: number | null;
      readonly pattern: string | null;
      /** The reading of the file that decided it; `null`: no line of the file did. */
      readonly dialect: string | null;
    }
  | { readonly kind: 'dropped'; readonly reason: string }
  /** Its turn did not come in time, or cannot come. `untilMs`: when it may, epoch milliseconds, if known. */
  | { readonly kind: 'held'; readonly reason: HostWait['reason'] | 'stopping'; readonly untilMs: number | null };

export interface OwnRequestInput {
  readonly record: UrlRecord;
  readonly host: HostKey;
  readonly authority: string;
  /** The deadline, epoch milliseconds. */
  readonly untilMs: number;
}

/** A request that waits for its turn. */
interface WaitingRequest extends OwnRequestInput {
  readonly answer: (answer: OwnAnswer) => void;
  /** Why it waits, as far as known. */
  reason: HostWait['reason'];
  /** When to try again, epoch milliseconds. */
  retryAtMs: number;
}

/** Gives the owner's requests their turns. Promises reject with what the store throws. */
export function createOwnRequests(flow: Flow, { decideUrl }: Turns, { endChain }: Settling) {
  const { clock, gate, pace, budget, schedule, leases, waits, flights } = flow;
  /** By host, in order of arrival. */
  const waiting = new Map<HostKey, readonly WaitingRequest[]>();

  /** Waits for the request's turn, at most until its deadline or until `signal` aborts (`held`, `stopping`). */
  function add(input: OwnRequestInput, signal?: AbortSignal): Promise<OwnAnswer> {
    const { host, untilMs } = input;
    return new Promise((resolve) => {
      if (all().length >= MAX_OWN_REQUESTS) return resolve({ kind: 'held', reason: 'interval', untilMs: null });
      const nowMs = clock.nowMs();
      const answer = (result: OwnAnswer): void => {
        if (!remove(request)) return;
        cancel();
        signal?.removeEventListener('abort', stop);
        resolve(result);
      };
      const request: WaitingRequest = { ...input, answer, reason: 'interval', retryAtMs: nowMs };
      waiting.set(host, [...requestsOf(host), request]);
      schedule.requestedHosts.add(host);
      const stop = (): void => request.answer({ kind: 'held', reason: 'stopping', untilMs: null });
      const cancel = clock.after(Math.max(0, untilMs - nowMs), () =>
        request.answer({ kind: 'held', reason: request.reason, untilMs: null }),
      );
      signal?.addEventListener('abort', stop);
      if (signal?.aborted === true) stop();
    });
  }

  /** @returns Whether the request was still waiting. */
  function remove(request: WaitingRequest): boolean {
    const { host } = request;
    const requests = requestsOf(host);
    if (!requests.includes(request)) return false;
    const others = requests.filter((each) => each !== request);
    if (others.length > 0) waiting.set(host, others);
    else {
      waiting.delete(host);
      schedule.requestedHosts.delete(host);
    }
    return true;
  }

  function requestsOf(host: HostKey): readonly WaitingRequest[] {
    return waiting.get(host) ?? [];
  }

  function all(): readonly WaitingRequest[] {
    return [...waiting.values()].flat();
  }

  function cancelAll(): void {
    for (const request of all()) request.answer({ kind: 'held', reason: 'stopping', untilMs: null });
  }

  /** Answers the requests whose turn has come. Hands out the robots.txt files they need, up to `n` works in all. */
  async function serve(works: Work[], n: number): Promise<void> {
    for (const [key, requests] of [...waiting]) {
      const nowMs = clock.nowMs();
      const bound = budget.reachedBound(nowMs);
      if (bound === 'minutes' || bound === 'bytes')
        for (const request of requests) request.answer({ kind: 'dropped', reason: `bound-${bound}` });
      else if (requests[0]!.retryAtMs <= nowMs && schedule.get(key) === undefined) await lease(key, nowMs);
      const host = schedule.get(key);
      if (host === undefined) continue;
      await serveHost(host, works, n);
      // Its slot is taken, or it no longer has a reason to stay.
      schedule.reschedule(host);
    }
  }

  /**
   * The earliest time at which `serve` may have something to do, epoch milliseconds; `null`: no request waits for a
   * time.
   */
  function nextAtMs(): number | null {
    let earliest = Number.MAX_SAFE_INTEGER;
    for (const [key, requests] of waiting) {
      // A host whose slot is taken, and a robots.txt in flight, wake it themselves.
      if (schedule.get(key)?.isBusy !== true) earliest = Math.min(earliest, requests[0]!.retryAtMs);
    }
    return earliest === Number.MAX_SAFE_INTEGER ? null : earliest;
  }

  /** Leases a host that is not ours by name, or schedules the next attempt. */
  async function lease(host: HostKey, nowMs: number): Promise<void> {
    if ((await leases.lease(1, [host])) > 0) return;
    const knownWait = waits.get(host);
    for (const request of requestsOf(host)) {
      if (knownWait?.reason === 'host-parked') request.answer({ kind: 'held', reason: 'host-parked', untilMs: null });
      else {
        const untilMs = Math.max(nowMs + OWN_REQUEST_RETRY_MS, knownWait?.untilMs ?? 0);
        waitForHost(request, knownWait?.reason ?? 'interval', untilMs, nowMs);
      }
    }
  }

  /** Has the request wait for its host, or for its robots.txt if the host's turn would be of no use. */
  function waitForHost(request: WaitingRequest, reason: HostWait['reason'], untilMs: number, nowMs: number): void {
    const authority = gate.authorities.peek(request.authority);
    const answer = authority === null ? null : gate.ask(authority, request.record.url, nowMs);
    if (answer?.kind === 'hold') waitUntil(request, 'robots-unreachable', Math.max(answer.untilMs, untilMs));
    else waitUntil(request, reason, untilMs);
  }

  async function serveHost(host: LeasedHost, works: Work[], n: number): Promise<void> {
    const [request] = requestsOf(host.key);
    if (request === undefined) return;
    const { record } = request;
    const authority = gate.authorities.peek(request.authority) ?? (await gate.authorities.load(request.authority));
    // While the authority was loaded, the request may have been answered, or another request may have taken the slot.
    if (requestsOf(host.key)[0] !== request || host.status !== 'leased' || host.isBusy) return;
    const nowMs = clock.nowMs();
    if (!schedule.isLeaseSafe(host, nowMs)) {
      schedule.touch(host);
      return waitUntil(request, 'interval', nowMs + RENEWAL_WAIT_MS);
    }
    if (host.clock.parked) return request.answer({ kind: 'held', reason: 'host-parked', untilMs: null });
    const required = host.requirements.at(nowMs);
    const start = host.nextStart(required);
    const startMs = Math.max(start.atMs, pace.nextAtMs());
    if (startMs > nowMs) {
      const isBusy = gate.ask(authority, record.url, nowMs).kind === 'busy';
      if (isBusy) return waitForRobots(host, request, authority, nowMs);
      return waitForHost(request, start.reason, startMs, nowMs);
    }
    const verdict = decideUrl({ host, required, nowMs }, record, authority, null);
    switch (verdict.kind) {
      case 'busy':
        return waitForRobots(host, request, authority, nowMs);
      case 'fetch':
        if (works.length < n) {
          request.reason = 'robots-unreachable';
          works.push(flights.startRobots(host, null, authority, gate.beginFetch(authority, nowMs), required));
        }
        return;
      case 'hold':
        return waitUntil(request, 'robots-unreachable', Math.max(verdict.untilMs, nowMs + 1));
      case 'changed':
        return waitUntil(request, 'interval', nowMs);
      case 'closed':
        return waitUntil(request, verdict.closed.reason, verdict.closed.untilMs);
      case 'end':
        return request.answer(answerOf(verdict.ending, gate.copyRef(authority)));
      case 'allow': {
        const { decision } = verdict;
        const page = { entry: null, record, authority, decision, required, budgets: [] };
        request.answer({ kind: 'go', work: flights.startPage(host, page) });
      }
    }
  }

  /** The answer to the robots.txt in flight wakes the request. A redirect chain has its own deadline. */
  async function waitForRobots(
    host: LeasedHost,
    request: WaitingRequest,
    { name, chain }: Authority,
    nowMs: number,
  ): Promise<void> {
    if (chain === null) waitUntil(request, 'robots-unreachable', null);
    else if (nowMs < chain.untilMs) {
      // The chain usually ends long before, so the request is not answered even if its own deadline comes first.
      request.reason = 'robots-unreachable';
      request.retryAtMs = chain.untilMs;
    } else await endChain(host, name);
  }

  return { add, cancelAll, serve, nextAtMs };
}

/**
 * Has the request wait until a time, or answers it at once if that is past its deadline; `null`: until something
 * happens.
 */
function waitUntil(request: WaitingRequest, reason: HostWait['reason'], untilMs: number | null): void {
  request.reason = reason;
  request.retryAtMs = untilMs ?? Number.MAX_SAFE_INTEGER;
  if (untilMs !== null && untilMs > request.untilMs) request.answer({ kind: 'held', reason, untilMs });
}

function answerOf(ending: Ending, robots: RobotsCopyRef): OwnAnswer {
  const explained = explainEnding(ending, robots.phase);
  const { reason } = explained;
  return ending.status === 'excluded' ? { kind: 'excluded', ...explained } : { kind: 'dropped', reason };
}
