// Calls to a server that may be unreachable for a while: they are sent again within a time limit, and the crawl waits.
// So a call may run twice. store.ts says for each verb what that means; a release that runs twice is recognised by its
// operation number.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FrontierError } from '../../errors.js';
import { messageOf, toFailure } from '../checked-store.js';
import type { ResolvedServerOptions } from './server-store.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** Milliseconds for which a server that never answered is tried: its address is probably wrong. */
const FIRST_ANSWER_MS = 10_000;
/** Milliseconds without an answer before the operator is notified. */
const SILENCE_MS = 5_000;

/**
 * What an error means: the server is unreachable, it is starting and says so, two transactions conflicted (not worth a
 * notice), or the server refused the call.
 */
export type ErrorKind = 'unreachable' | 'starting' | 'conflict' | 'refused';

export interface ResendingOptions extends Pick<ResolvedServerOptions, 'server' | 'holdMs' | 'onNotice' | 'signal'> {
  readonly classifyError: (error: unknown) => ErrorKind;
  /** What the operator can do about an error; `undefined`: nothing known. */
  readonly adviceFor: (error: unknown) => string | undefined;
  /** Whether the owner has closed its client. */
  readonly isEnded: () => boolean;
}

export class Resending {
  readonly #options: ResendingOptions;
  /** The last cause for which the server was unreachable; `null`: it answers. */
  #outage: { readonly cause: unknown } | null = null;
  /** Calls that the server has not answered. It may refuse writes and still answer reads. */
  readonly #waiting = new Set<symbol>();
  #wasReached = false;
  #isClosed = false;

  constructor(options: ResendingOptions) {
    this.#options = options;
  }

  /** Calls that wait are not sent again. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Sends until there is an answer.
   *
   * @throws FrontierError `store-failed`: refused, silent for `holdMs`, closed, or no answer and the signal aborted.
   */
  async call<T>(send: () => Promise<T>): Promise<T> {
    const { holdMs, classifyError, isEnded, signal } = this.#options;
    if (signal?.aborted === true && this.#outage !== null)
      throw this.#failure('could not be reached', this.#outage.cause);
    const sinceMs = performance.now();
    const call = Symbol();
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs)) {
        const silenceTimer = setTimeout(() => this.#notifyOutage(call, new Error('no answer')), SILENCE_MS);
        try {
          const answer = await send();
          this.#wasReached = true;
          this.#waiting.delete(call);
          this.#notifyRecovery();
          return answer;
        } catch (cause) {
          const kind = classifyError(cause);
          if (kind === 'refused') throw this.#failure('refused', cause);
          if (kind === 'starting') this.#wasReached = true;
          const untilMs = sinceMs + (this.#wasReached ? holdMs : Math.min(holdMs, FIRST_ANSWER_MS));
          const isClosed = isEnded() || this.#isClosed || signal?.aborted === true;
          if (isClosed || performance.now() + pauseMs > untilMs) throw this.#failure('could not be reached', cause);
          if (kind !== 'conflict') this.#notifyOutage(call, cause);
        } finally {
          clearTimeout(silenceTimer);
        }
        // A random pause, so that two calls that conflicted do not conflict again.
        await sleep(pauseMs * (0.5 + Math.random()));
      }
    } finally {
      this.#waiting.delete(call);
    }
  }

  #failure(what: string, cause: unknown): FrontierError {
    const { server, adviceFor } = this.#options;
    return toFailure(`${server} ${what}`, cause, adviceFor(cause));
  }

  /** Notifies the operator when the server stops answering. */
  #notifyOutage(call: symbol, cause: unknown): void {
    this.#waiting.add(call);
    const wasOut = this.#outage !== null;
    this.#outage = { cause };
    if (wasOut) return;
    const { server, onNotice, adviceFor } = this.#options;
    const notice = `${server} cannot be reached (${messageOf(cause)}); waiting for it`;
    const advice = adviceFor(cause);
    onNotice({ kind: 'holding', message: advice === undefined ? notice : `${notice}. ${advice}` });
  }

  /** Notifies the operator when the server answers again, whatever the call. */
  #notifyRecovery(): void {
    if (this.#outage === null || this.#waiting.size > 0) return;
    this.#outage = null;
    const { server, onNotice } = this.#options;
    onNotice({ kind: 'resumed', message: `${server} answers again; the crawl continues` });
  }
}
