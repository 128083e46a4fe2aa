// Commands over a connection that may break, and which errors are temporary.

import { messageOf, Resending } from '../server/resending.js';
import type { ResolvedRedisOptions } from './options.js';

/**
 * Words of temporary errors: connections, restarts, failovers, slots that migrate. A server's first word, or ioredis'
 * own.
 */
const TEMPORARY = new RegExp(
  [
    '^(?:LOADING|READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|MISCONF|NOREPLICAS|BUSY|MOVED|ASK)\\b',
    ...['Connection is closed', 'writeable', 'max retries per request', 'Too many Cluster redirections'],
    ...['Command timed out', 'refresh slots cache', 'startup nodes', "Cluster isn't ready", 'non local key'],
    ...['ECONN', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND'],
  ].join('|'),
  'i',
);

/** One client. Commands are sent again while it cannot reach its server. */
export class Connection {
  readonly #options: ResolvedRedisOptions;
  readonly #resending: Resending;

  constructor(options: ResolvedRedisOptions) {
    this.#options = options;
    const isEnded = () => options.client.status === 'end';
    this.#resending = new Resending({ ...options, judge, isEnded });
  }

  /** Commands that wait are not sent again. */
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
    return this.#resending.call(() => this.#options.client.callBuffer(command, args));
  }
}

function judge(error: unknown) {
  const isTemporary = TEMPORARY.test(messageOf(error));
  const isOutOfRetries = error instanceof Error && error.name === 'MaxRetriesPerRequestError';
  return isTemporary || isOutOfRetries ? 'unreachable' : 'refused';
}
