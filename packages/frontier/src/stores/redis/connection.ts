// Commands over a connection that may break, and which of its errors pass.

import { messageOf } from '../server/failures.js';
import { Resending } from '../server/resending.js';
import type { RedisClient } from './client.js';
import type { RedisSettings } from './store-options.js';

/** Words of errors that pass: connections, restarts, failovers, slots on their way. The first word of a server's, or of ioredis. */
const PASSING =
  /^(?:LOADING|READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|MISCONF|NOREPLICAS|BUSY|MOVED|ASK)\b|Connection is closed|writeable|max retries per request|Too many Cluster redirections|Command timed out|refresh slots cache|startup nodes|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Cluster isn't ready|non local key/i;

/** One client, asked again while it cannot reach its server. */
export class Connection {
  readonly #client: RedisClient;
  readonly #resending: Resending;

  constructor({ client, server, holdMs, onNotice }: RedisSettings) {
    this.#client = client;
    const judge = (error: unknown) => (isPassing(error) ? 'away' : 'refused');
    const isEnded = () => client.status === 'end';
    this.#resending = new Resending({ server, holdMs, onNotice, judge, isEnded });
  }

  /** What waits is not sent again. */
  close(): void {
    this.#resending.close();
  }

  /**
   * The answer of a command.
   *
   * @throws FrontierError `store-failed` when the server did not answer within `holdMs`, or the client was closed; the
   * client's own error for what the server refuses.
   */
  call(command: string, args: (string | Buffer | number)[]): Promise<unknown> {
    return this.#resending.call(() => this.#client.callBuffer(command, args));
  }
}

function isPassing(error: unknown): boolean {
  return PASSING.test(messageOf(error)) || (error instanceof Error && error.name === 'MaxRetriesPerRequestError');
}
