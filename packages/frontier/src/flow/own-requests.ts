// Requests of the owner's own, next to its queue. There is no entry for such a request; the lease on its host is the
// right to make it. It passes the same gate, takes the same slot, and goes before the host's entries, so that a handler
// that waits for its own host waits for one exchange, not for a queue. It uses up no page.

import type { Ending } from '../hosts/event-reporter.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import type { Authority } from '../robots/authority-cache.js';
import { excludedReason } from '../robots/authority-rules.js';
import type { HostKey } from '../store.js';
import type { RobotsCopyRef, Work } from '../work.js';
import type { FrontierContext } from './context.js';
import type { HostLeases } from './host-leases.js';
import type { HostSchedule } from './host-schedule.js';
import type { InFlight } from './in-flight.js';
import { OWN_REQUEST_RETRY_MS, RENEWAL_WAIT_MS } from './limits.js';
import type { NextRequest } from './next-request.js';
import type { OwnAnswer, OwnRequest, OwnRequestQueue } from './own-request-queue.js';
import type { Settling } from './settling.js';

export interface OwnRequestsParts {
  readonly queue: OwnRequestQueue;
  readonly schedule: HostSchedule;
  readonly leases: HostLeases;
  readonly inFlight: InFlight;
  readonly nextRequest: NextRequest;
  readonly settling: Settling;
}

/** Gives the owner's requests their turns. Its promises reject with what the store throws. */
export class OwnRequests {
  readonly #context: FrontierContext;
  readonly #parts: OwnRequestsParts;

  constructor(context: FrontierContext, parts: OwnRequestsParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Answers the requests whose turn has come; hands out robots.txt files that they need, up to `n` works in all. */
  async serve(works: Work[], n: number): Promise<void> {
    const { clock, budget } = this.#context;
    const { queue, schedule } = this.#parts;
    for (const [key, first] of queue.firsts()) {
      const nowMs = clock.nowMs();
      const bound = budget.reached(nowMs);
      if (bound === 'minutes' || bound === 'bytes') first.answer({ kind: 'dropped', reason: `bound-${bound}` });
      else if (first.againAtMs <= nowMs && schedule.get(key) === undefined) await this.#lease(key, nowMs);
      const host = schedule.get(key);
      if (host === undefined) continue;
      await this.#serveHost(host, works, n);
      // Its slot is taken, or it has no reason to stay any more.
      schedule.reschedule(host);
    }
  }

  /** The earliest time at which `serve` may do something, epoch milliseconds; `null`: no request waits for time. */
  nextAtMs(): number | null {
    let earliest = Number.MAX_SAFE_INTEGER;
    for (const [key, first] of this.#parts.queue.firsts()) {
      // A slot that is taken, and a robots.txt in flight, come back by themselves.
      if (this.#parts.schedule.get(key)?.isBusy !== true) earliest = Math.min(earliest, first.againAtMs);
    }
    return earliest === Number.MAX_SAFE_INTEGER ? null : earliest;
  }

  /** The host is not ours: it is leased by name, tried now and then. */
  async #lease(host: HostKey, nowMs: number): Promise<void> {
    if ((await this.#parts.leases.lease(1, [host])) > 0) return;
    const known = this.#context.waits.get(host);
    for (const request of this.#parts.queue.of(host)) {
      if (known?.reason === 'host-parked') request.answer({ kind: 'held', reason: 'host-parked', untilMs: null });
      else request.wait(known?.reason ?? 'interval', Math.max(nowMs + OWN_REQUEST_RETRY_MS, known?.untilMs ?? 0));
    }
  }

  async #serveHost(host: LeasedHost, works: Work[], n: number): Promise<void> {
    const { clock, gate, pace } = this.#context;
    const { queue, schedule, inFlight, nextRequest } = this.#parts;
    const [request] = queue.of(host.key);
    if (request === undefined) return;
    const authority = gate.peek(request.authority) ?? (await gate.load(request.authority));
    // While the authority was loaded, the request may have been answered, or another one may have taken the slot.
    if (queue.of(host.key)[0] !== request || host.status !== 'leased' || host.isBusy) return;
    const nowMs = clock.nowMs();
    if (!schedule.isSafe(host, nowMs)) {
      schedule.touch(host);
      return request.wait('interval', nowMs + RENEWAL_WAIT_MS);
    }
    if (host.clock.parked) return request.answer({ kind: 'held', reason: 'host-parked', untilMs: null });
    const required = host.requirements.at(nowMs);
    const start = host.nextStart(required);
    const startMs = Math.max(start.atMs, pace.nextAtMs());
    if (startMs > nowMs) return request.wait(start.reason, startMs);
    const verdict = nextRequest.judge(host, request.record, authority, required, nowMs, null);
    switch (verdict.kind) {
      case 'busy':
        return this.#waitForRobots(host, request, authority, nowMs);
      case 'fetch':
        if (works.length < n) {
          works.push(inFlight.startRobots(host, nextRequest.robotsRequest(authority, required, nowMs)));
        }
        return;
      case 'hold':
        return request.wait('robots-unreachable', Math.max(verdict.untilMs, nowMs + 1));
      case 'changed':
        return request.wait('interval', nowMs);
      case 'closed':
        return request.wait(verdict.closed.reason, verdict.closed.untilMs);
      case 'end':
        return request.answer(answerOf(verdict.ending, gate.ref(authority)));
      case 'allow': {
        const { decision } = verdict;
        const choice = { kind: 'page', entry: null, record: request.record, authority, decision, required } as const;
        request.answer({ kind: 'go', work: inFlight.startPage(host, choice) });
      }
    }
  }

  /** The answer of the robots.txt in flight brings us back; a chain of redirects has an end of its own. */
  async #waitForRobots(
    host: LeasedHost,
    request: OwnRequest,
    { name, chain }: Authority,
    nowMs: number,
  ): Promise<void> {
    if (chain === null) request.wait('robots-unreachable', null);
    else if (nowMs < chain.untilMs) request.wait('robots-unreachable', chain.untilMs);
    else await this.#parts.settling.endChain(host, name);
  }
}

function answerOf(ending: Ending, robots: RobotsCopyRef): OwnAnswer {
  if ('decision' in ending) {
    const { line, pattern, dialect } = ending.decision;
    return { kind: 'excluded', reason: excludedReason(ending.decision, robots.phase), line, pattern, dialect };
  }
  const { status, reason } = ending;
  if (status === 'excluded') return { kind: 'excluded', reason, line: null, pattern: null, dialect: null };
  return { kind: 'dropped', reason };
}
