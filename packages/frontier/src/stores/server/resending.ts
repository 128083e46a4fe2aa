// Calls to a server that may be unreachable for a while: they are sent again within a time limit, and the crawl waits.
// So a call may run twice. store.ts says for each verb what that means; a release that runs twice is recognised by its
// operation number.

import { setTimeout as sleep } from 'node:timers/promises';
import { FrontierError } from '../../errors.js';
import { messageOf, toFailure } from '../checked-store.js';
import { isError } from '../is-error.js';
import { LOST_CRAWL_HINT, type ResolvedServerOptions } from './server-store.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** Milliseconds for which a server that never answered is tried: its address is probably wrong. */
const FIRST_ANSWER_MS = 10_000;
/** Milliseconds without an answer before the operator is notified. */
const SILENCE_MS = 5_000;

/** How the errors of a kind of server are recognised: by their code, if they have one, and their message. */
export interface ServerErrors {
  /** Two transactions conflicted. It is not worth a notice. */
  readonly conflict: RegExp;
  /** The server is starting, and says so. */
  readonly starting: RegExp;
  /** It is unreachable, restarts, or another one takes over. Whatever fits nothing is refused. */
  readonly unreachable: RegExp;
  /** It has nothing of the crawl, though this process has worked on it. It is never taken for a new one. */
  readonly lost: RegExp;
  /** What an operator can do. */
  readonly advice: readonly (readonly [errors: RegExp, advice: string])[];
}

/** A part of `unreachable`: codes of the system for connections that fail. */
export const NETWORK_ERRORS = 'ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND';
/** Advice for errors of the contents. */
export const DAMAGED_ADVICE =
  'Another program has changed its contents, or they are damaged: put a copy of them back, or start over.';
/** As `conflict`, of a server that has none. */
export const NEVER = /(?!)/;

export interface ResendingOptions extends Pick<ResolvedServerOptions, 'server' | 'holdMs' | 'onNotice' | 'signal'> {
  readonly errors: ServerErrors;
  /** Where the crawl is: `the schema docs`. */
  readonly location: string;
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
   * @throws FrontierError `store-failed`: refused, the crawl is lost, silent for `holdMs`, closed, or no answer and the
   *   signal aborted.
   */
  async call<T>(send: () => Promise<T>): Promise<T> {
    const { holdMs, isEnded, signal } = this.#options;
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
          const kind = this.#kindOf(cause);
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

  /** Why a call may be sent again. @throws FrontierError `store-failed` if not: it is refused, or the crawl is lost. */
  #kindOf(cause: unknown): 'conflict' | 'starting' | 'unreachable' {
    const { server, location, errors } = this.#options;
    const text = codedMessage(cause);
    if (errors.lost.test(text)) {
      const message = `${server} has lost the crawl: there is nothing left of ${location}`;
      throw new FrontierError('store-failed', message, { cause, hint: LOST_CRAWL_HINT });
    }
    if (errors.conflict.test(text)) return 'conflict';
    if (errors.starting.test(text)) return 'starting';
    if (errors.unreachable.test(text)) return 'unreachable';
    throw this.#failure('refused', cause);
  }

  #failure(what: string, cause: unknown): FrontierError {
    return toFailure(`${this.#options.server} ${what}`, cause, this.#adviceFor(cause));
  }

  #adviceFor(cause: unknown): string | undefined {
    const text = codedMessage(cause);
    return this.#options.errors.advice.find(([errors]) => errors.test(text))?.[1];
  }

  /** Notifies the operator when the server stops answering. */
  #notifyOutage(call: symbol, cause: unknown): void {
    this.#waiting.add(call);
    const wasOut = this.#outage !== null;
    this.#outage = { cause };
    if (wasOut) return;
    const { server, onNotice } = this.#options;
    const notice = `${server} cannot be reached (${messageOf(cause)}); waiting for it`;
    const advice = this.#adviceFor(cause);
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

/** The code of an error, if it has one, and its message. */
function codedMessage(error: unknown): string {
  const code = isError(error) && 'code' in error ? `${String(error.code)} ` : '';
  return code + messageOf(error);
}
