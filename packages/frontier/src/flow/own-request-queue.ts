// The owner's own requests that wait for their turn: a handler that wants one more file and waits for it. They are in
// memory only: after a restart no caller is left to answer. `own-requests.ts` makes them.

import type { Clock } from '../clock.js';
import type { HostWait } from '../frontier-event.js';
import type { HostKey } from '../store.js';
import type { UrlRecord } from '../url-record.js';
import type { PageWork } from '../work.js';
import { OWN_REQUESTS_MOST } from './limits.js';

/** What became of a request of the owner's own. */
export type OwnAnswer =
  /** It may be made now: send it, report it with `exchanged`, and settle it as `done` or `returned` like any work. */
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
  /** Its turn did not come in time, or cannot. `untilMs`: when it may, epoch milliseconds, where that is known. */
  | { readonly kind: 'held'; readonly reason: HostWait['reason'] | 'stopping'; readonly untilMs: number | null };

/** What the owner requests. */
export interface OwnRequestInput {
  readonly record: UrlRecord;
  readonly host: HostKey;
  readonly authority: string;
  /** The deadline, epoch milliseconds. */
  readonly untilMs: number;
}

/** A request that waits for its turn. Only `wait` changes it. */
export class OwnRequest {
  readonly record: UrlRecord;
  readonly authority: string;
  readonly answer: (answer: OwnAnswer) => void;
  readonly #untilMs: number;
  /** Why it waits, as far as known. */
  reason: HostWait['reason'] = 'interval';
  /** When to try again, epoch milliseconds. */
  againAtMs: number;

  constructor({ record, authority, untilMs }: OwnRequestInput, nowMs: number, answer: (answer: OwnAnswer) => void) {
    this.record = record;
    this.authority = authority;
    this.answer = answer;
    this.#untilMs = untilMs;
    this.againAtMs = nowMs;
  }

  /** Waits until a time, or answers at once where that is past the deadline; `null`: until something happens. */
  wait(reason: HostWait['reason'], untilMs: number | null): void {
    this.reason = reason;
    this.againAtMs = untilMs ?? Number.MAX_SAFE_INTEGER;
    if (untilMs !== null && untilMs > this.#untilMs) this.answer({ kind: 'held', reason, untilMs });
  }
}

/** The requests that wait, by host, in the order in which they came. */
export class OwnRequestQueue {
  readonly #clock: Clock;
  readonly #byHost = new Map<HostKey, OwnRequest[]>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits for the turn of a request, until its deadline at most or until `signal` aborts (`held`, `stopping`). */
  add(input: OwnRequestInput, signal?: AbortSignal): Promise<OwnAnswer> {
    const { host, untilMs } = input;
    return new Promise((resolve) => {
      if (this.#count >= OWN_REQUESTS_MOST) {
        resolve({ kind: 'held', reason: 'interval', untilMs: null });
        return;
      }
      this.#count += 1;
      const nowMs = this.#clock.nowMs();
      const request = new OwnRequest(input, nowMs, (answer) => {
        if (!this.#remove(host, request)) return;
        cancel();
        signal?.removeEventListener('abort', stop);
        resolve(answer);
      });
      this.#byHost.set(host, [...this.of(host), request]);
      const stop = (): void => request.answer({ kind: 'held', reason: 'stopping', untilMs: null });
      const cancel = this.#clock.after(Math.max(0, untilMs - nowMs), () =>
        request.answer({ kind: 'held', reason: request.reason, untilMs: null }),
      );
      signal?.addEventListener('abort', stop);
      if (signal?.aborted === true) stop();
    });
  }

  #remove(host: HostKey, request: OwnRequest): boolean {
    const requests = this.of(host);
    const others = requests.filter((each) => each !== request);
    if (others.length === requests.length) return false;
    this.#count -= 1;
    if (others.length === 0) this.#byHost.delete(host);
    else this.#byHost.set(host, others);
    return true;
  }

  has(host: HostKey): boolean {
    return this.#byHost.has(host);
  }

  of(host: HostKey): readonly OwnRequest[] {
    return this.#byHost.get(host) ?? [];
  }

  firsts(): [HostKey, OwnRequest][] {
    return [...this.#byHost].map(([host, requests]) => [host, requests[0]!]);
  }

  /** Answers all of them: the crawl stops. */
  end(): void {
    for (const request of [...this.#byHost.values()].flat()) {
      request.answer({ kind: 'held', reason: 'stopping', untilMs: null });
    }
  }
}
