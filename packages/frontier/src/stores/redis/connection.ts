// Commands over a connection that may break: what did not get through is sent again within a bound, and the crawl holds
// meanwhile. A command may then be executed twice; store.ts says for each verb what that means, and a release that was heard
// twice is recognised by the number of its operation.

import { FrontierError } from '../../errors.js';
import type { RedisClient } from './client.js';
import type { RedisNotice } from './store-options.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Milliseconds for which a server that never answered is asked: more likely its address is wrong. */
const FIRST_ANSWER_MS = 10_000;
/** Milliseconds without an answer before the operator is told. */
const SILENCE_MS = 5_000;

/** Words of errors that pass: connections, restarts, failovers, slots on their way. The first word of a server's, or of ioredis. */
const PASSING =
  /^(?:LOADING|READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|MISCONF|NOREPLICAS|BUSY|MOVED|ASK)\b|Connection is closed|writeable|max retries per request|Too many Cluster redirections|Command timed out|refresh slots cache|startup nodes|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Cluster isn't ready|non local key/i;

/** What a connection needs to know. */
export interface ConnectionOptions {
  readonly client: RedisClient;
  readonly holdMs: number;
  readonly onNotice: (notice: RedisNotice) => void;
}

/** One client, asked again while it cannot reach its server. */
export class Connection {
  readonly #client: RedisClient;
  readonly #holdMs: number;
  readonly #onNotice: (notice: RedisNotice) => void;
  #isHolding = false;
  #wasReached = false;
  #isClosed = false;

  constructor({ client, holdMs, onNotice }: ConnectionOptions) {
    this.#client = client;
    this.#holdMs = holdMs;
    this.#onNotice = onNotice;
  }

  /** What waits is not sent again. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * The answer of a command.
   *
   * @throws FrontierError `store-failed` when the server did not answer within `holdMs`, or the client was closed; the
   * client's own error for what the server refuses.
   */
  async call(command: string, args: (string | Buffer | number)[]): Promise<unknown> {
    const holdMs = this.#wasReached ? this.#holdMs : Math.min(this.#holdMs, FIRST_ANSWER_MS);
    const untilMs = performance.now() + holdMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      const silence = setTimeout(() => this.#hold('no answer'), SILENCE_MS);
      try {
        const answer = await this.#client.callBuffer(command, args);
        this.#wasReached = true;
        if (this.#isHolding) this.#resume();
        return answer;
      } catch (cause) {
        if (!isPassing(cause)) throw cause;
        const isOver = this.#client.status === 'end' || this.#isClosed || performance.now() + pauseMs > untilMs;
        if (isOver) throw failed(`Redis could not be reached: ${messageOf(cause)}`, cause);
        this.#hold(messageOf(cause));
      } finally {
        clearTimeout(silence);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  #hold(why: string): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#onNotice({ kind: 'holding', message: `Redis cannot be reached (${why}); the crawl holds until it can` });
  }

  #resume(): void {
    this.#isHolding = false;
    this.#onNotice({ kind: 'resumed', message: 'Redis answers again; the crawl goes on' });
  }
}

/** An error as `store-failed`. Never throws. */
export function failed(message: string, cause: unknown): FrontierError {
  return new FrontierError('store-failed', message, { cause });
}

/** Its words. Never throws. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

function isPassing(error: unknown): boolean {
  return PASSING.test(messageOf(error)) || (error instanceof Error && error.name === 'MaxRetriesPerRequestError');
}
