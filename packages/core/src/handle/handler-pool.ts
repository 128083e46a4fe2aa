// Runs handlers, a bounded number at a time and each for a bounded time. The result is a value whatever they do. A
// caller with a page waits here until its handler can start soon.

import type { Clock } from '@mannerly/frontier';
import PQueue from 'p-queue';
import { isError, textOf } from '../errors.js';
import { onAbort } from '../on-abort.js';
import { contentOf } from '../page/content-kind.js';
import type { FetchedPage, PageInCrawl } from '../page/page.js';
import { isObject } from '../parse-json.js';
import type { PageChange, UnchangedPage } from './handled-page.js';
import type { FoundHandler, Handlers, Route } from './handlers.js';
import type { ItemStages } from './item-stages.js';
import { createPageContext, type PageTools } from './page-context.js';
import { checkValue, issuesText } from './schema.js';
import { type HandlerSignal, handlerSignal } from './signals.js';
import { NOTHING_STAGED, Stage, type Staged } from './staged.js';

export type Handled =
  /** `route`: which handler it was; `null`: none matches the page, or the page permits none to run. */
  | { readonly kind: 'handled'; readonly staged: Staged; readonly route: Route | 'default' | null }
  | { readonly kind: 'threw'; readonly error: unknown; readonly detail: string }
  /** The handler threw `RetryPage`, `RefusePage` or `StopCrawl`. */
  | { readonly kind: 'signal'; readonly signal: HandlerSignal }
  /** The URL's user data does not match the schema of the route, so the handler did not run. */
  | { readonly kind: 'user-data-invalid'; readonly detail: string }
  /** Its signal was aborted. It may still be running, but nothing it does counts. */
  | { readonly kind: 'timed-out'; readonly detail: string }
  /** The crawl was stopped at once before the handler had succeeded, so nothing it did counts. */
  | { readonly kind: 'stopped' };

interface HandlerPoolOptions {
  readonly handlers: Handlers;
  readonly concurrency: number;
  /** Longest time of one handler, from its start, milliseconds. */
  readonly handlerTimeoutMs: number;
  readonly clock: Pick<Clock, 'after'>;
  /** Aborted, together with the signals of running handlers, when the crawl stops at once. */
  readonly signal: AbortSignal;
  readonly tools: Pick<PageTools, 'filesPath' | 'fetch' | 'read'>;
  /** Whether every body goes into an archive, handled or not. @default false */
  readonly isArchived?: boolean;
  /** What items pass through before the sinks. @default none */
  readonly stages?: ItemStages;
  /** Called when a handler continues after it has succeeded, once for each page. @default ignored */
  readonly onLate?: (url: string, error: unknown) => void;
  /** Called when a handler returns an object and emits no item: it is probably meant as one. @default ignored */
  readonly onReturned?: (url: string) => void;
}

const NO_BYTES = new Uint8Array(0);
const STOPPED: Handled = Object.freeze({ kind: 'stopped' });
const NOT_HANDLED: Handled = Object.freeze({ kind: 'handled', staged: NOTHING_STAGED, route: null });

export class HandlerPool {
  readonly #options: HandlerPoolOptions;
  readonly #queue: PQueue;
  readonly #inTurn = createTurns();

  constructor(options: HandlerPoolOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  /** The handler of a page; `null`: none matches it, or the page permits none to run. */
  find(page: FetchedPage): FoundHandler | null {
    return page.exclusion.runsHandler ? this.#options.handlers.find(page) : null;
  }

  /** The most bytes of the body: 0 if nothing wants it; `null`: its handler sets no limit, or it is HTML. */
  bodyBytesFor(label: string | null, headers: FetchedPage['headers']): number | null {
    const { handlers, isArchived = false } = this.#options;
    const { kind, mime } = contentOf(headers, NO_BYTES);
    if (!isArchived && !handlers.wants({ mime, label })) return 0;
    return kind === 'html' ? null : (handlers.find({ kind, mime, label })?.maxBodyBytes ?? null);
  }

  /** Never rejects. @param found - Its handler. @default the one that its routes find */
  async handle(page: PageInCrawl, change: PageChange | null = null, found = this.find(page)): Promise<Handled> {
    if (found === null) return NOT_HANDLED;
    return this.#queued(() => this.#inTurn(() => this.#run(page, found, change)));
  }

  /** Whether a handler takes answers with a status that is not a page's. */
  takesStatus(status: number): boolean {
    return this.#options.handlers.findByStatus(status) !== null;
  }

  /** Like `handle`, for an answer that is not a page. Never rejects. */
  handleStatus(page: PageInCrawl): Promise<Handled> {
    const found = page.exclusion.runsHandler ? this.#options.handlers.findByStatus(page.status) : null;
    return this.handle(page, null, found);
  }

  /** Waits until few enough others wait ahead. */
  async #queued<T>(run: () => Promise<T>): Promise<T> {
    await this.#queue.onSizeLessThan(this.#options.concurrency);
    return this.#queue.add(run);
  }

  /** Calls the handler for unchanged pages. @returns What it threw, or that it took too long. Never rejects. */
  async unchanged(page: UnchangedPage): Promise<{ readonly error: unknown } | null> {
    const { handlers, signal } = this.#options;
    const { unchanged } = handlers;
    if (unchanged === null || signal.aborted) return null;
    const failed = (error: unknown) => ({ error });
    return this.#queued(() => this.withTimeout(unchanged, page).then(() => null, failed));
  }

  /** Runs a handler within its time. Rejects with what it threw, or if it takes too long. */
  withTimeout<Input, T>(handler: (input: Input) => T | Promise<T>, input: Input): Promise<T> {
    const { handlerTimeoutMs, clock } = this.#options;
    return new Promise<T>((resolve, reject) => {
      const cancel = clock.after(handlerTimeoutMs, () => reject(timeoutText(handlerTimeoutMs)));
      Promise.resolve(input).then(handler).then(resolve, reject).finally(cancel);
    });
  }

  async #run(page: PageInCrawl, found: FoundHandler, change: PageChange | null): Promise<Handled> {
    const { handlers, isArchived = false, handlerTimeoutMs, clock, signal, onLate } = this.#options;
    if (signal.aborted) return STOPPED;
    handlers.recordRoute(found.route, page.label);
    const { url: pageUrl } = page;
    const abort = new AbortController();
    const stage = new Stage(page, found.item ?? null);
    stage.onLate = (error) => onLate?.(pageUrl, error);
    const tools = { ...this.#options.tools, stage, handlers, isArchived, change, abort };
    const timers: (() => void)[] = [];
    let ignoreAbort = (): void => undefined;
    const ended = new Promise<Handled>((resolve) => {
      const timedOut = (): void => resolve({ kind: 'timed-out', detail: timeoutText(handlerTimeoutMs) });
      timers.push(clock.after(handlerTimeoutMs, timedOut));
      ignoreAbort = onAbort(signal, () => {
        abort.abort(signal.reason);
        // A handler that ends right now has succeeded; others are not waited for.
        timers.push(clock.after(0, () => resolve(STOPPED)));
      });
    });
    const handled = await Promise.race([ended, attempt(page, found, tools, this.#options)]);
    for (const cancel of timers) cancel();
    ignoreAbort();
    stage.seal();
    stage.hasEnded = handled.kind !== 'timed-out' && handled.kind !== 'stopped';
    if (handled.kind !== 'handled') stage.onLate = null;
    page.releaseDocument();
    if (handled.kind === 'timed-out') abort.abort(new DOMException(handled.detail, 'TimeoutError'));
    return handled;
  }
}

function timeoutText(timeoutMs: number): string {
  return `the handler took longer than ${timeoutMs} ms`;
}

/** Never rejects, since a handler may also fail after its time is up. */
async function attempt(
  page: PageInCrawl,
  found: FoundHandler,
  tools: PageTools,
  { stages, onReturned }: Pick<HandlerPoolOptions, 'stages' | 'onReturned'>,
): Promise<Handled> {
  try {
    let userData: unknown = page.userData;
    if (found.userData !== undefined) {
      const checked = await checkValue(found.userData, userData);
      if (checked.kind === 'invalid') return { kind: 'user-data-invalid', detail: issuesText(checked.issues) };
      userData = checked.value;
    }
    const returned = await found.handler(createPageContext(page, tools, userData));
    // `return new StopCrawl('…')` is meant as a `throw`.
    if (isError(returned)) throw returned;
    const staged = await tools.stage.end();
    if (staged.data.length + staged.rejectedCount === 0 && looksLikeItem(returned)) onReturned?.(page.url);
    const processed = page.exclusion.storesItems ? ((await stages?.run(staged.data, page)) ?? null) : null;
    return { kind: 'handled', staged: { ...staged, processed }, route: found.route };
  } catch (error) {
    // A handler may well throw because its signal was aborted.
    if (tools.abort.signal.aborted) return STOPPED;
    const signal = handlerSignal(error);
    return signal === null ? { kind: 'threw', error, detail: textOf(error) } : { kind: 'signal', signal };
  }
}

/**
 * Whether a value is a plain object or a list of them. What a page's methods resolve to has a `kind`, and so has the
 * refusal of a hook, which a handler throws as `RefusePage`.
 */
function looksLikeItem(returned: unknown): boolean {
  const value: unknown = Array.isArray(returned) ? returned[0] : returned;
  const isPlain = isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain && (value['kind'] ?? 'refuse') === 'refuse';
}

/**
 * Starts handlers one after the other: the next one when the last has ended or waits for a file or a server. If they
 * started together, each would hold the document of its page (twenty times its bytes) at its first `await`, and the
 * garbage collector would copy all of them (docs/decisions/0017).
 */
export function createTurns(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  return async (run) => {
    const previous = last;
    let release = (): void => undefined;
    last = new Promise((resolve) => {
      release = resolve;
    });
    await previous;
    const scheduled = setImmediate(release);
    try {
      return await run();
    } finally {
      clearImmediate(scheduled);
      release();
    }
  };
}
