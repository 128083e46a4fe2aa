// Calls to a server that may be unreachable for a while: they are sent again within a limit, and the crawl waits. A
// call may then run twice. store.ts says for each verb what that means; a release that runs twice is recognised by its
// operation number.

import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, toFailure } from '../checked-store.js';
import type { ResolvedServerOptions } from './server-store.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Milliseconds for which a server that never answered is tried: more likely its address is wrong. */
const FIRST_ANSWER_MS = 10_000;
/** Milliseconds without an answer before the operator is notified. */
const SILENCE_MS = 5_000;

/** What an error means: the server is unreachable, two transactions conflicted (not worth a notice), or a refusal. */
export type Verdict = 'unreachable' | 'conflict' | 'refused';

export interface ResendingOptions extends Pick<ResolvedServerOptions, 'server' | 'holdMs' | 'onNotice'> {
  readonly judge: (error: unknown) => Verdict;
  /** Whether its client was closed by its owner. */
  readonly isEnded: () => boolean;
}

export class Resending {
  readonly #options: ResendingOptions;
  #isHolding = false;
  #wasReached = false;
  #isClosed = false;

  constructor(options: ResendingOptions) {
    this.#options = options;
  }

  /** Calls that wait are not sent again. */
  close(): void {
    this.#isClosed = true;
  }

  /** Sends until there is an answer. @throws FrontierError `store-failed`: refused, silent for `holdMs`, or closed. */
  async call<T>(send: () => Promise<T>): Promise<T> {
    const { server, holdMs, judge, isEnded } = this.#options;
    const untilMs = performance.now() + (this.#wasReached ? holdMs : Math.min(holdMs, FIRST_ANSWER_MS));
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      const silence = setTimeout(() => this.#hold('no answer'), SILENCE_MS);
      try {
        const answer = await send();
        this.#wasReached = true;
        this.#hold(null);
        return answer;
      } catch (cause) {
        const verdict = judge(cause);
        if (verdict === 'refused') throw toFailure(`${server} refused`, cause);
        const isOver = isEnded() || this.#isClosed || performance.now() + pauseMs > untilMs;
        if (isOver) throw toFailure(`${server} could not be reached`, cause);
        if (verdict === 'unreachable') this.#hold(messageOf(cause));
      } finally {
        clearTimeout(silence);
      }
      // At random, so that two that conflicted do not conflict again.
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  /** Notifies the operator when the server stops to answer, and with `null` when it answers again. */
  #hold(why: string | null): void {
    if (this.#isHolding === (why !== null)) return;
    this.#isHolding = why !== null;
    const { server, onNotice } = this.#options;
    if (why === null) onNotice({ kind: 'resumed', message: `${server} answers again; the crawl continues` });
    else onNotice({ kind: 'holding', message: `${server} cannot be reached (${why}); waiting for it` });
  }
}
