// Errors that a handler throws to decide about its page. Nothing that it staged is kept. No signal makes a request
// earlier or more often than the host's clock and the limit on tries allow.

import { checkOptions } from '../call-options.js';
import { invalidOption, textOf } from '../errors.js';
import { MAX_REASON_CHARS } from '../limits.js';
import { MAX_HANDLER_RETRY_MS } from './limits.js';

/**
 * Marks the signals of every copy of this package in the process: a global command and the handlers that it loads have
 * one each, and so may packages that pnpm gives different peers.
 */
const SIGNAL = Symbol.for('mannerly.signal');

function mark(signal: Error, kind: HandlerSignal['kind']): void {
  Object.defineProperty(signal, SIGNAL, { value: kind });
}

/**
 * Thrown by a handler: the page is not complete yet. It is retried as after a failure, with up to four attempts in
 * total, failures included. After the fourth it fails with `retries-exhausted`.
 *
 * @example
 * if (page.$('#still-loading').length > 0) throw new RetryPage('the list is not there yet', { afterMs: 60_000 });
 */
export class RetryPage extends Error {
  /** Milliseconds to wait from the page's last byte; `null`: 10 s, then 20, then 40. */
  readonly afterMs: number | null;

  /**
   * @param reason - For people; at most 500 characters are kept. @param options - `afterMs`: 0 to 24 hours.
   * @throws MannerlyError `option-invalid` for another `afterMs`.
   */
  constructor(reason: string, options: { readonly afterMs?: number } = {}) {
    super(reasonText(reason));
    this.name = 'RetryPage';
    mark(this, 'retry');
    checkOptions('RetryPage', options, { afterMs: 'number' });
    const { afterMs } = options;
    if (afterMs !== undefined && !(afterMs >= 0 && afterMs <= MAX_HANDLER_RETRY_MS)) {
      throw invalidOption('RetryPage.afterMs', `a number from 0 to ${MAX_HANDLER_RETRY_MS}`, afterMs);
    }
    this.afterMs = afterMs ?? null;
  }
}

/**
 * Thrown by a handler to refuse the page. It is *dropped* as `handler-refused`: nothing of it is kept, its links are
 * not followed, and it is not requested again.
 */
export class RefusePage extends Error {
  /** @param reason - For people; at most 500 characters are kept. */
  constructor(reason: string) {
    super(reasonText(reason));
    this.name = 'RefusePage';
    mark(this, 'refuse');
  }
}

/**
 * Thrown by a handler when a person has to step in. The run stops like with `crawler.stop()`, and its report has the
 * reason (`stopReason`). The page goes back to the queue, with one attempt used up. To end a crawl that has all it
 * needs, call `crawler.stop()` instead: then the page counts.
 */
export class StopCrawl extends Error {
  /** @param reason - For people; at most 500 characters are kept. */
  constructor(reason: string) {
    super(reasonText(reason));
    this.name = 'StopCrawl';
    mark(this, 'stop');
  }
}

export type HandlerSignal =
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number | null }
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'stop'; readonly reason: string };

/** The signal that was thrown; `null`: it is an error. Never throws. */
export function handlerSignal(thrown: unknown): HandlerSignal | null {
  if (typeof thrown !== 'object' || thrown === null || !(SIGNAL in thrown)) return null;
  const { [SIGNAL]: kind, message: reason, afterMs } = thrown as RetryPage & { [SIGNAL]: HandlerSignal['kind'] };
  return kind === 'retry' ? { kind, reason, afterMs } : { kind, reason };
}

function reasonText(reason: string): string {
  return textOf(reason).slice(0, MAX_REASON_CHARS);
}
