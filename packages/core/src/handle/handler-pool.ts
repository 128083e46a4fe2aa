// Runs handlers, a bounded number at a time and each for a bounded time, and answers with a value whatever they do.
// The pool is pulled: whoever has a page waits here until its handler could start soon, so that no backlog builds up.

import PQueue from 'p-queue';
import { onAbort } from '../on-abort.js';
import { contentOf } from '../page/content-kind.js';
import type { OwnFetcher } from '../page/own-fetch.js';
import type { FetchedPage, PageInCrawl } from '../page/page.js';
import { createPageContext, type PageTools } from './context.js';
import type { FoundHandler, Handlers, Route } from './handlers.js';
import { ItemCheck } from './item-check.js';
import { checkValue, issuesText } from './schema.js';
import { createStage, NOTHING_STAGED, type Stage, type Staged } from './staged.js';
import { createStartInTurn } from './start-in-turn.js';
import { type HandlerSignal, handlerSignal } from './words.js';

/** What came of handling a page. */
export type Handled =
  /** `route`: which handler it was; `null`: none fits the page, or the page asks that none runs. */
  | { readonly kind: 'handled'; readonly staged: Staged; readonly route: Route | 'default' | null }
  | { readonly kind: 'threw'; readonly error: unknown; readonly detail: string }
  /** The handler threw a word that says what becomes of the page. */
  | { readonly kind: 'said'; readonly word: HandlerSignal }
  /** What was handed along with the URL does not meet the schema of the route; the handler did not run. */
  | { readonly kind: 'user-data-invalid'; readonly detail: string }
  /** Its signal was aborted. It may still be running: nothing it does counts any more. */
  | { readonly kind: 'timed-out'; readonly detail: string }
  /** The crawl was stopped at once before the handler had ended well: nothing it did counts, and the page is nobody's fault. */
  | { readonly kind: 'stopped' };

/** The pool. */
export interface HandlerPool {
  /** Never rejects. */
  handle(page: PageInCrawl): Promise<Handled>;
  /** Whether a handler is going to get the page. */
  handles(page: FetchedPage): boolean;
  /** Bytes that the body of a page with these header lines may have, where its handler says so; `null`: it does not. */
  bodyBytesFor(label: string | null, headers: FetchedPage['headers']): number | null;
}

/** What a pool is made of. */
export interface HandlerPoolOptions {
  readonly handlers: Handlers;
  /** Handlers at the same time, 1 or more. */
  readonly concurrency: number;
  /** Longest time of one handler, from its start, milliseconds. */
  readonly handlerTimeoutMs: number;
  /** Calls `fn` once after `ms`; the answer cancels it. */
  readonly after: (ms: number, fn: () => void) => () => void;
  /** Aborted when the crawl stops at once: running handlers are told. */
  readonly signal: AbortSignal;
  /** Where files go that a handler saves; `null`: nowhere by default. */
  readonly filesPath?: string | null;
  /** What handlers ask for by themselves. @default nothing is asked for: `dropped` */
  readonly ownFetch?: OwnFetcher;
}

const NO_OWN_FETCH: OwnFetcher = async (_page, url) => ({ kind: 'dropped', url, reason: 'hook-refused' });
const NO_BYTES = new Uint8Array(0);
const STOPPED: Handled = Object.freeze({ kind: 'stopped' });
const NOT_HANDLED: Handled = Object.freeze({ kind: 'handled', staged: NOTHING_STAGED, route: null });

/** Makes the pool of one run. */
export function createHandlerPool(options: HandlerPoolOptions): HandlerPool {
  const queue = new PQueue({ concurrency: options.concurrency });
  const startInTurn = createStartInTurn();
  return {
    handles: (page) => page.exclusion.runsHandler && options.handlers.find(page) !== null,
    bodyBytesFor(label, headers) {
      const { kind, mime } = contentOf(headers, NO_BYTES);
      return options.handlers.bodyBytesFor({ kind, mime, label });
    },
    async handle(page) {
      const found = page.exclusion.runsHandler ? options.handlers.find(page) : null;
      if (found === null) return NOT_HANDLED;
      await queue.onSizeLessThan(options.concurrency);
      return queue.add(() => startInTurn(() => run(page, found, options)));
    },
  };
}

async function run(
  page: PageInCrawl,
  found: FoundHandler,
  { handlerTimeoutMs, after, signal, filesPath = null, ownFetch = NO_OWN_FETCH }: HandlerPoolOptions,
): Promise<Handled> {
  if (signal.aborted) return STOPPED;
  const tools = new HandlerTools(createStage(page.url), filesPath, ownFetch);
  const timers: (() => void)[] = [];
  let ignoreAbort = (): void => undefined;
  const ended = new Promise<Handled>((resolve) => {
    timers.push(
      after(handlerTimeoutMs, () =>
        resolve({ kind: 'timed-out', detail: `the handler took longer than ${handlerTimeoutMs} ms` }),
      ),
    );
    ignoreAbort = onAbort(signal, () => {
      tools.abort(signal.reason);
      // One that ends when it is told has ended well; one that does not hear is not waited for.
      timers.push(after(0, () => resolve(STOPPED)));
    });
  });
  const handled = await Promise.race([ended, attempt(page, found, tools)]);
  for (const cancel of timers) cancel();
  ignoreAbort();
  tools.stage.seal();
  page.letDocumentGo();
  if (handled.kind === 'timed-out') tools.abort(new DOMException(handled.detail, 'TimeoutError'));
  return handled;
}

/** What one handler has at hand. Its signal is made when it is asked for, which few do: it costs more than all the rest. */
class HandlerTools implements PageTools {
  readonly stage: Stage;
  readonly filesPath: string | null;
  readonly ownFetch: OwnFetcher;
  check: ItemCheck | null = null;
  given: PageTools['given'] = null;
  isAborted = false;
  #reason: unknown;
  #controller: AbortController | null = null;

  constructor(stage: Stage, filesPath: string | null, ownFetch: OwnFetcher) {
    this.stage = stage;
    this.filesPath = filesPath;
    this.ownFetch = ownFetch;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isAborted) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.isAborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** Never rejects, so that a handler that fails after its time is over disturbs nobody. */
async function attempt(
  page: FetchedPage,
  { route, handler, schemas }: FoundHandler,
  tools: HandlerTools,
): Promise<Handled> {
  try {
    if (schemas?.item !== undefined) tools.check = new ItemCheck(schemas.item, page, tools.stage);
    if (schemas?.userData !== undefined) {
      const checked = await checkValue(schemas.userData, page.userData);
      if (checked.kind === 'invalid') return { kind: 'user-data-invalid', detail: issuesText(checked.issues) };
      tools.given = { userData: checked.value };
    }
    await handler(createPageContext(page, tools));
    if (tools.check !== null) await tools.check.settled();
    return { kind: 'handled', staged: tools.stage.seal(), route };
  } catch (error) {
    // What it was told to give up may well have thrown.
    if (tools.isAborted) return STOPPED;
    const word = handlerSignal(error);
    return word === null ? { kind: 'threw', error, detail: String(error) } : { kind: 'said', word };
  }
}
