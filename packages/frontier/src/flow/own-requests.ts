// What the owner asks for by itself, beside its queue: a handler that wants one more file and waits for it. No entry stands
// for such a request; the lease on its host is the right to make it. It passes the same gate, takes the same slot, and
// goes before the host's queue, so that a handler that waits for its own host waits for one exchange, not for a queue.
// It uses up no page. It lives in memory only: nobody would wait for it after a restart.

import type { Clock } from '../clock.js';
import type { HostWait } from '../frontier-event.js';
import type { HostBounds } from '../hosts/host-bounds.js';
import { noteAsks } from '../hosts/host-queue.js';
import { hostAsksNow, type LeasedHost, nextStart } from '../hosts/leased-host.js';
import type { WhyNot } from '../options/options.js';
import type { CrawlPace } from '../politeness/crawl-pace.js';
import type { Politeness } from '../politeness/profile.js';
import type { Budget } from '../records/budget.js';
import type { Waits } from '../records/waits.js';
import { excludedReason, noSignals } from '../robots/authority-rules.js';
import type { AskedNow } from '../robots/host-asks.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { HostKey } from '../store.js';
import type { UrlRecord } from '../url-record.js';
import type { PageWork, Work } from '../work.js';
import type { Hands } from './hands.js';
import type { Leases } from './lease.js';
import { OWN_REQUEST_RETRY_MS, OWN_REQUESTS_MOST, RENEWAL_WAIT_MS } from './limits.js';

/** What became of a request of the owner's own. */
export type OwnAnswer =
  /** It may be made now: to be sent, told with `exchanged`, and settled as `done` or `returned` like any piece of work. */
  | { readonly kind: 'go'; readonly work: PageWork }
  | {
      readonly kind: 'excluded';
      readonly reason: string;
      readonly line: number | null;
      readonly pattern: string | null;
      /** By which reading of the file; `null`: no line of it says so. */
      readonly dialect: string | null;
    }
  | { readonly kind: 'dropped'; readonly reason: string }
  /** Its turn did not come by the deadline, or cannot: `untilMs` says when it may, epoch milliseconds, where that is known. */
  | { readonly kind: 'held'; readonly reason: HostWait['reason'] | 'stopping'; readonly untilMs: number | null };

/** A request that waits for its turn. */
interface OwnRequest {
  readonly record: UrlRecord;
  readonly authority: string;
  readonly untilMs: number;
  readonly answer: (answer: OwnAnswer) => void;
  /** Why it waits, as last seen. */
  reason: HostWait['reason'];
  /** When to look again, epoch milliseconds. */
  againAtMs: number;
}

/** What own requests need of the frontier. `leases` and `hands` are asked for when needed. */
export interface OwnRequestsParts {
  readonly clock: Clock;
  readonly gate: RobotsGate;
  readonly budget: Budget;
  readonly politeness: Politeness;
  readonly hostBounds: HostBounds;
  readonly whyNot: WhyNot;
  readonly pace: CrawlPace;
  readonly waits: Waits;
  readonly marginMs: () => number;
  readonly leases: () => Leases;
  readonly hands: () => Hands;
  readonly reschedule: (host: LeasedHost) => void;
}

/** The requests that wait. */
export interface OwnRequests {
  /** Waits for the URL's turn, until `untilMs` at most, or until nobody waits for it any more (`signal`): `held`, as when a crawl stops. */
  ask(record: UrlRecord, host: HostKey, authority: string, untilMs: number, signal?: AbortSignal): Promise<OwnAnswer>;
  /** Whether any waits for the host. */
  has(host: HostKey): boolean;
  /** Gives those their turn whose turn has come; a robots.txt that is needed first is handed out, up to `n` works in all. */
  serve(works: Work[], n: number): Promise<void>;
  /** The earliest time at which `serve` may do something; `null`: none waits for time. */
  nextAtMs(): number | null;
  /** All of them are answered: the crawl stops. */
  end(): void;
}

/** @throws Never; what the store throws passes through `serve`. */
export function createOwnRequests(parts: OwnRequestsParts): OwnRequests {
  const { clock, gate } = parts;
  const waiting = new Map<HostKey, OwnRequest[]>();
  let count = 0;

  const remove = (host: HostKey, request: OwnRequest): void => {
    const left = (waiting.get(host) ?? []).filter((each) => each !== request);
    if (left.length === 0) waiting.delete(host);
    else waiting.set(host, left);
  };
  /** Looks again at a time, or answers at once where that lies past the deadline. */
  const wait = (request: OwnRequest, reason: HostWait['reason'], untilMs: number | null): void => {
    request.reason = reason;
    request.againAtMs = untilMs ?? Number.MAX_SAFE_INTEGER;
    if (untilMs !== null && untilMs > request.untilMs) request.answer({ kind: 'held', reason, untilMs });
  };

  const serveHost = async (host: LeasedHost, works: Work[], n: number): Promise<void> => {
    const [request] = waiting.get(host.key) ?? [];
    if (request === undefined || host.status !== 'held' || host.slot !== null) return;
    const nowMs = clock.nowMs();
    if (nowMs >= host.leaseEndMs - parts.marginMs()) {
      parts.leases().touch(host);
      wait(request, 'interval', nowMs + RENEWAL_WAIT_MS);
      return;
    }
    if (host.clock.parked) {
      request.answer({ kind: 'held', reason: 'host-parked', untilMs: null });
      return;
    }
    const authority = gate.peek(request.authority) ?? (await gate.load(request.authority));
    const asked = hostAsksNow(host, nowMs);
    const start = nextStart(host, asked, parts.politeness);
    const atMs = Math.max(start.atMs, parts.pace.nextAtMs());
    if (atMs > nowMs) {
      wait(request, start.reason, atMs);
      return;
    }
    const { url } = request.record;
    const said = gate.ask(authority, url, nowMs);
    // While the gate was asked, another request may have taken the slot.
    if (host.slot !== null) return;
    switch (said.kind) {
      case 'busy':
        // Its answer brings us back; a chain of redirects has an end of its own.
        if (authority.chain === null || nowMs < authority.chain.untilMs) {
          wait(request, 'robots-unreachable', authority.chain?.untilMs ?? null);
        } else await parts.hands().endChain(host, authority.name);
        return;
      case 'fetch':
        if (works.length >= n) return;
        works.push(
          parts.hands().give(host, {
            kind: 'robots',
            entry: null,
            authority,
            request: gate.beginFetch(authority, nowMs),
            hops: 0,
            asked,
          }),
        );
        return;
      case 'hold':
        wait(request, 'robots-unreachable', Math.max(said.untilMs, nowMs + 1));
        return;
      case 'refused':
        request.answer({ kind: 'dropped', reason: said.reason });
        return;
      case 'deny': {
        const { decision } = said;
        const reason = excludedReason(decision, gate.ref(authority).phase);
        const { line, pattern, dialect } = decision;
        request.answer({ kind: 'excluded', reason, line, pattern, dialect });
        return;
      }
      case 'allow': {
        const rules = gate.rules(authority);
        if (noteAsks(host, authority.name, rules)) {
          wait(request, 'interval', nowMs);
          return;
        }
        const refusal = whyRefused(host, request, asked, nowMs);
        if (refusal !== null) {
          if (refusal.kind === 'wait') wait(request, refusal.reason, refusal.untilMs);
          else request.answer(refusal);
          return;
        }
        const work = parts.hands().give(host, {
          kind: 'page',
          entry: null,
          item: { kind: 'page', record: request.record, addedAtMs: nowMs },
          authority,
          decision: said.decision,
          asked,
        });
        if (work.kind === 'page') request.answer({ kind: 'go', work });
      }
    }
  };

  type Refusal = Exclude<OwnAnswer, { kind: 'go' | 'held' }>;
  type Closed = { readonly kind: 'wait'; readonly reason: HostWait['reason']; readonly untilMs: number };
  const whyRefused = (
    host: LeasedHost,
    { record, authority }: OwnRequest,
    asked: AskedNow,
    nowMs: number,
  ): Refusal | Closed | null => {
    const peeked = gate.peek(authority);
    const rules = peeked === null ? null : gate.rules(peeked);
    const refusal = parts.whyNot(record.url, rules?.signals(record.url) ?? noSignals(), record);
    if (typeof refusal === 'string')
      return { kind: 'excluded', reason: refusal, line: null, pattern: null, dialect: null };
    if (refusal !== null) return { kind: 'dropped', reason: refusal.reason };
    if (rules?.isOverMaxDelay === true) return { kind: 'dropped', reason: 'crawl-delay-over-max' };
    const spent = parts.hostBounds.spent(host, nowMs);
    // It is no page, so a bound on pages does not concern it.
    if (spent !== null && spent !== 'bound-host-pages') return { kind: 'dropped', reason: spent };
    const { closed } = asked;
    return closed === null ? null : { kind: 'wait', reason: closed.reason, untilMs: closed.untilMs };
  };

  /** The host is not ours: it is asked for by name, now and then. */
  const lease = async (host: HostKey, nowMs: number): Promise<void> => {
    if ((await parts.leases().lease(1, [host])) > 0) return;
    const known = parts.waits.get(host);
    for (const request of waiting.get(host) ?? []) {
      if (known?.reason === 'host-parked') request.answer({ kind: 'held', reason: 'host-parked', untilMs: null });
      else wait(request, known?.reason ?? 'interval', Math.max(nowMs + OWN_REQUEST_RETRY_MS, known?.untilMs ?? 0));
    }
  };

  return {
    ask: (record, host, authority, untilMs, signal) =>
      new Promise((resolve) => {
        if (count >= OWN_REQUESTS_MOST) {
          resolve({ kind: 'held', reason: 'interval', untilMs: null });
          return;
        }
        count += 1;
        const nowMs = clock.nowMs();
        const request: OwnRequest = {
          record,
          authority,
          untilMs,
          reason: 'interval',
          againAtMs: nowMs,
          answer(answer) {
            if (!(waiting.get(host) ?? []).includes(request)) return;
            remove(host, request);
            count -= 1;
            cancel();
            signal?.removeEventListener('abort', giveUp);
            resolve(answer);
          },
        };
        waiting.set(host, [...(waiting.get(host) ?? []), request]);
        const giveUp = (): void => request.answer({ kind: 'held', reason: 'stopping', untilMs: null });
        const cancel = clock.after(Math.max(0, untilMs - nowMs), () =>
          request.answer({ kind: 'held', reason: request.reason, untilMs: null }),
        );
        signal?.addEventListener('abort', giveUp);
        if (signal?.aborted === true) giveUp();
      }),
    has: (host) => waiting.has(host),
    async serve(works, n) {
      for (const [host, [first]] of [...waiting]) {
        const nowMs = clock.nowMs();
        const bound = parts.budget.reached(nowMs);
        if (bound === 'minutes' || bound === 'bytes') first?.answer({ kind: 'dropped', reason: `bound-${bound}` });
        else if (first !== undefined && first.againAtMs <= nowMs && !parts.leases().held.has(host))
          await lease(host, nowMs);
        const held = parts.leases().held.get(host);
        if (held === undefined) continue;
        await serveHost(held, works, n);
        // Its slot is taken, or it has no reason to stay any more.
        parts.reschedule(held);
      }
    },
    nextAtMs() {
      let earliest: number | null = null;
      for (const [host, [first]] of waiting) {
        // A slot that is taken, and a robots.txt under way, come back by themselves.
        if (first === undefined || (parts.leases().held.get(host)?.slot ?? null) !== null) continue;
        if (first.againAtMs < Number.MAX_SAFE_INTEGER)
          earliest = Math.min(earliest ?? first.againAtMs, first.againAtMs);
      }
      return earliest;
    },
    end() {
      for (const request of [...waiting.values()].flat()) {
        request.answer({ kind: 'held', reason: 'stopping', untilMs: null });
      }
    },
  };
}
