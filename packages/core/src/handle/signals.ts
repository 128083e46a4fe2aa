// What a handler may throw to say what becomes of its page, rather than that something broke. As whenever a handler throws,
// nothing of what it staged is kept. Throwing says less than it may seem: none of these words opens anything, asks sooner
// than the host's clock, or asks more often than any URL is asked for.

import { MannerlyError } from '../errors.js';
import { MAX_WORD_CHARS } from '../limits.js';
import { MAX_HANDLER_RETRY_MS } from './limits.js';

/**
 * Thrown by a handler: the page is not what it should be yet. Its URL is asked for once more, as after an answer that failed: four
 * times in all, by the host's clock, tries after failures included; after the fourth it has failed with `retries-exhausted`.
 *
 * @example
 * if (page.$('#still-loading').length > 0) throw new RetryPage('the list is not there yet', { afterMs: 60_000 });
 */
export class RetryPage extends Error {
  /** Not before so many milliseconds from the page's last byte; `null`: 10 s, then 20, then 40. */
  readonly afterMs: number | null;

  /**
   * @param reason - For people; at most 500 characters are kept.
   * @param options - `afterMs`: 0 to 24 hours.
   * @throws MannerlyError `option-invalid` for another `afterMs`.
   */
  constructor(reason: string, { afterMs }: { readonly afterMs?: number } = {}) {
    super(wordText(reason));
    this.name = 'RetryPage';
    if (afterMs !== undefined && !(typeof afterMs === 'number' && afterMs >= 0 && afterMs <= MAX_HANDLER_RETRY_MS)) {
      throw new MannerlyError(
        'option-invalid',
        `expected \`afterMs\` of RetryPage to be a number from 0 to ${MAX_HANDLER_RETRY_MS}, got ${String(afterMs)}`,
      );
    }
    this.afterMs = afterMs ?? null;
  }
}

/**
 * Thrown by a handler: this crawl does not want the page. Its word is *dropped*, reason `handler-refused`; nothing of it is kept,
 * no link of it is followed, and it is not asked for again.
 */
export class RefusePage extends Error {
  /** @param reason - For people; at most 500 characters are kept. */
  constructor(reason: string) {
    super(wordText(reason));
    this.name = 'RefusePage';
  }
}

/**
 * Thrown by a handler: something is wrong that a person has to look at. The run stops as by `crawler.stop()`, and its report has
 * the reason (`stopReason`). The page goes back to the queue, with one try used up: the next run begins where this one gave up.
 * To end a crawl that has what it wants, call `crawler.stop()` instead: then the page counts.
 */
export class StopCrawl extends Error {
  /** @param reason - For people; at most 500 characters are kept. */
  constructor(reason: string) {
    super(wordText(reason));
    this.name = 'StopCrawl';
  }
}

/** A word as the pool hands it on. */
export type HandlerSignal =
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number | null }
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'stop'; readonly reason: string };

/** What was thrown, as a word; `null`: it is none, and something broke. Never throws. */
export function handlerSignal(thrown: unknown): HandlerSignal | null {
  if (thrown instanceof RetryPage) return { kind: 'retry', reason: thrown.message, afterMs: thrown.afterMs };
  if (thrown instanceof RefusePage) return { kind: 'refuse', reason: thrown.message };
  if (thrown instanceof StopCrawl) return { kind: 'stop', reason: thrown.message };
  return null;
}

function wordText(reason: string): string {
  return String(reason).slice(0, MAX_WORD_CHARS);
}
