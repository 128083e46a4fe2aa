// Errors that a handler throws to decide about its page. Nothing that it staged is kept. No signal makes a request
// earlier or more often than the host's clock and the limit on tries allow.

import { checkOptions } from '../call-options.js';
import { invalidOption, textOf } from '../errors.js';
import { MAX_REASON_CHARS } from '../limits.js';
import { MAX_HANDLER_RETRY_MS } from './limits.js';

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
  }
}

export type HandlerSignal =
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number | null }
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'stop'; readonly reason: string };

/** The signal that was thrown; `null`: it is an error. Never throws. */
export function handlerSignal(thrown: unknown): HandlerSignal | null {
  if (thrown instanceof RetryPage) return { kind: 'retry', reason: thrown.message, afterMs: thrown.afterMs };
  if (thrown instanceof RefusePage) return { kind: 'refuse', reason: thrown.message };
  if (thrown instanceof StopCrawl) return { kind: 'stop', reason: thrown.message };
  return null;
}

function reasonText(reason: string): string {
  return textOf(reason).slice(0, MAX_REASON_CHARS);
}
