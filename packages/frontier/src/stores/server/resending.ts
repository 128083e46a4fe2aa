// What did not get through to a server is sent again within a bound, and the crawl holds meanwhile. It may then be executed
// twice; store.ts says for each verb what that means, and a release that was heard twice is recognised by the number of its
// operation.

import { asFailure, messageOf } from './failures.js';
import type { ServerSettings } from './server-options.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Milliseconds for which a server that never answered is asked: more likely its address is wrong. */
const FIRST_ANSWER_MS = 10_000;
/** Milliseconds without an answer before the operator is told. */
const SILENCE_MS = 5_000;

/** What an error says: the server cannot be reached; two met and one tries again, which nobody need be told; or no. */
export type Verdict = 'away' | 'met' | 'refused';

/** What there is to know of a server. */
export interface ResendingOptions extends Pick<ServerSettings, 'server' | 'holdMs' | 'onNotice'> {
  readonly judge: (error: unknown) => Verdict;
  /** Whether its client was closed by its owner. */
  readonly isEnded: () => boolean;
}

/** One server, asked again while it cannot be reached. */
export class Resending {
  readonly #options: ResendingOptions;
  #isHolding = false;
  #wasReached = false;
  #isClosed = false;

  constructor(options: ResendingOptions) {
    this.#options = options;
  }

  /** Before the first call, and after a close that was not for good. */
  open(): void {
    this.#isClosed = false;
  }

  /** What waits is not sent again. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * The answer of the server.
   *
   * @param send - Sends once; called again for each try.
   * @throws FrontierError `store-failed` when the server did not answer within `holdMs`, or its client was closed; the
   * client's own error for what the server refuses.
   */
  async call<T>(send: () => Promise<T>): Promise<T> {
    const { server, judge, isEnded } = this.#options;
    const untilMs = performance.now() + this.#maxIdleMs();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      const silence = setTimeout(() => this.#hold('no answer'), SILENCE_MS);
      try {
        const answer = await send();
        this.#wasReached = true;
        this.#resume();
        return answer;
      } catch (cause) {
        const verdict = judge(cause);
        if (verdict === 'refused') throw cause;
        const isOver = isEnded() || this.#isClosed || performance.now() + pauseMs > untilMs;
        if (isOver) throw asFailure(`${server} could not be reached`, cause);
        if (verdict === 'away') this.#hold(messageOf(cause));
      } finally {
        clearTimeout(silence);
      }
      // Two that met do not meet again at the same time.
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
    }
  }

  #maxIdleMs(): number {
    const { holdMs } = this.#options;
    return this.#wasReached ? holdMs : Math.min(holdMs, FIRST_ANSWER_MS);
  }

  #hold(why: string): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    const { server, onNotice } = this.#options;
    onNotice({ kind: 'holding', message: `${server} cannot be reached (${why}); the crawl holds until it can` });
  }

  #resume(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    const { server, onNotice } = this.#options;
    onNotice({ kind: 'resumed', message: `${server} answers again; the crawl goes on` });
  }
}
