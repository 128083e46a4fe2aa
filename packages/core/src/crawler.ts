// The crawler as its users see it. Its runs are in `run/run.ts`.

import { type ListRequest, type QueueListing, systemClock } from '@mannerly/frontier';
import { readPatterns, type UrlPattern } from './admit/url-pattern.js';
import { checkOptions } from './call-options.js';
import { fetcherOf, storeFor } from './default-parts.js';
import { readCrawlDirectory } from './directory/crawl-directory.js';
import { invalidOption, MannerlyError } from './errors.js';
import type { HandledPage, JsonItem, UnchangedHandler } from './handle/handled-page.js';
import { type Handler, type HandlerOptions, Handlers, type LoginHandler, type Route } from './handle/handlers.js';
import { streamPages } from './handle/page-stream.js';
import { type Routes, registerRoutes } from './handle/routes.js';
import type { CrawlInspection } from './inspection/inspection.js';
import { CrawlLog } from './journal/crawl-log.js';
import { type CrawlEventMap, createCrawlEmitter, type StoreNotice } from './journal/events.js';
import { logFunctionOf } from './journal/log-entry.js';
import { MAX_WAIT_MS } from './limits.js';
import { crawlSettings } from './options/crawl-settings.js';
import type { CrawlerOptions } from './options/crawler-options.js';
import { resolveOptions } from './options/options.js';
import { errorText } from './report/code-error.js';
import { type CrawlProgress, type CrawlReport, NO_PROGRESS } from './report/crawl-report.js';
import type { Explanation } from './report/explain.js';
import { type ActivityOptions, activityBase, type CrawlActivity, NO_ACTIVITY } from './run/activity.js';
import { type AddedUrl, type AddOptions, candidatesOf } from './run/added-urls.js';
import { findDamage } from './run/directory-damage.js';
import { performRun } from './run/perform-run.js';
import { type RetryAnswer, type RetryFilter, resolveRetryFilter } from './run/retry-failures.js';
import { Run } from './run/run.js';
import { RUN_HINT, RUN_OPTIONS, type RunOptions, type RunSetup } from './run/run-setup.js';
import { RunStop } from './run/run-stop.js';
import { watchedStore } from './run/watched-store.js';

/** A crawl. It has one run at a time; register handlers before it. */
export interface Crawler {
  /**
   * For pages of a content kind, a MIME type, a label (`label:news`) or `any`.
   * @throws MannerlyError `route-invalid` for a route that cannot match, `already-running` during a run.
   */
  on(route: Route, handler: Handler, options?: HandlerOptions): Crawler;
  /**
   * For known pages that a recrawl finds unchanged. The handler gets what is kept of the page, without a body, and
   * writes no items: those of the last visit stay. An error is logged.
   * @throws MannerlyError `already-running` during a run.
   */
  on(route: 'unchanged', handler: UnchangedHandler): Crawler;
  /**
   * For the login page of `signIn.form`. Its result is sent with the form: a token of the page, such as
   * `{ csrf: page.$('[name=csrf]').attr('value') ?? '' }`. None of it is recorded. If it throws, the run ends.
   * @throws MannerlyError `already-running` during a run.
   */
  on(route: 'login', handler: LoginHandler): Crawler;
  /**
   * Registers every route of an object, with the schemas given for user data and items. Labels in `page.add`, `follow`
   * and `revisit` must be routes of this object, with the user data that they require.
   * @throws MannerlyError `route-invalid`, `option-invalid`, `option-unknown`; `already-running` during a run.
   */
  route<UserData, Items, Names extends string>(routes: Routes<UserData, Items, Names>): Crawler;
  /**
   * Crawls until nothing is left, a bound is reached, only long waits remain, or `stop` is called. A crawl that is
   * finished, or whose bounds are used up, ends at once without a request: `report.alreadyFinished`.
   * @throws MannerlyError `already-running`, `directory-taken`, `directory-format`, `directory-in-use`, `sink-failed`,
   *   `log-failed`, `store-failed`, `crawl-differs`, `option-invalid` for `reset` without `out`.
   */
  run(options?: RunOptions): Promise<CrawlReport>;
  /**
   * Runs the crawl and yields each page, in place of the registered handlers. Leaving the loop ends the run at once;
   * pages that the loop has not seen go back into the queue.
   */
  pages(options?: RunOptions): AsyncIterable<HandledPage>;
  /**
   * Adds URLs to the run, from anywhere in the program. Scope, bounds, robots.txt and spacing apply as usual. A run
   * that is still opening takes them when it is open. To make a run wait for more, use `run({ keepOpen: true })`.
   * @param urls - Absolute; one, or up to 100,000.
   * @returns The result for each URL, in order.
   * @throws MannerlyError (rejects) `not-running` if no run is open; `option-invalid`; `item-invalid`.
   */
  add<T>(urls: string | readonly string[], options?: AddOptions<T & JsonItem<T>>): Promise<readonly AddedUrl[]>;
  /**
   * Excludes URLs from now on, like `scope.exclude`: URLs found later, queued URLs, and requests of handlers and
   * browsers. It applies to this crawler, in this run and later ones.
   * @param patterns - As in `scope.exclude`; they cannot be removed. @throws MannerlyError `option-invalid`
   */
  exclude(patterns: UrlPattern | readonly UrlPattern[]): void;
  /** Starts no more work; requests in flight get ten seconds to finish. A second call ends the run at once. */
  stop(): void;
  /**
   * Starts no more work until `resume`; requests in flight are completed. The pause does not count towards
   * `bounds.minutes`. A `page.fetch` waits too, and is `held` if its wait ends first.
   */
  pause(): void;
  /** Continues after `pause`. */
  resume(): void;
  /** The progress in numbers; zeros before the first run. */
  progress(): CrawlProgress;
  /** The progress in detail: which requests are in flight, which hosts wait, until when and why. */
  activity(options?: ActivityOptions): CrawlActivity;
  /**
   * Explains why a URL was, was not or is not yet fetched. For a host name (`example.org`), `host` says what is queued,
   * when the next request is due, why not earlier, and what its robots.txt requires. Between runs it reads the crawl
   * directory.
   * @param where - The crawl directory. @default that of the latest run
   * @throws MannerlyError `not-running` before the first run without `out`; `directory-taken`, `directory-format`.
   */
  explain(urlOrHost: string, where?: Pick<RunOptions, 'out'>): Promise<Explanation>;
  /**
   * Lists the queue, of all hosts, a host or an authority. Between runs it reads the crawl directory.
   * @throws MannerlyError `not-running` between runs without a directory; `directory-in-use`.
   */
  queued(request?: ListRequest, where?: Pick<RunOptions, 'out'>): Promise<QueueListing>;
  /**
   * Queues the URLs whose last decision is a failure that matches the filter. Without a crawl directory it knows the
   * latest ten thousand.
   * @throws MannerlyError `option-invalid`; `not-running` between runs: give the filter to `run`.
   */
  retry(filter: RetryFilter): Promise<RetryAnswer>;
  /** Makes a parked host due again (`host-parked`), in the next run if none is open. @param host - Its name. */
  unpark(host: string): Promise<void>;
  /** Its type is written out here, so that a program that exports it needs no name for it. */
  readonly events: {
    /**
     * Adds a listener and returns a function that removes it. An error that a listener throws becomes a process
     * warning; the listener stays.
     * @throws MannerlyError `option-invalid` for an unknown event, or a listener that is not a function.
     */
    on<K extends keyof CrawlEventMap>(name: K, listener: (event: CrawlEventMap[K]) => void): () => void;
  };
}

/**
 * Creates a crawler. Nothing is opened or requested before `run`.
 *
 * @example
 * ```ts
 * const crawler = createCrawler({
 *   identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
 *   scope: { seeds: ['https://docs.example.org/'] },
 *   bounds: { pages: 200 },
 * });
 * ```
 * @throws MannerlyError `option-unknown`, `option-invalid`, `identity-name`, `identity-contact`, `seed-invalid`,
 *   `bounds-missing`.
 */
export function createCrawler(options: CrawlerOptions): Crawler {
  const resolved = resolveOptions(options, createCrawler);
  const handlers = new Handlers();
  const emitter = createCrawlEmitter((error) => {
    // A listener that fails must not fail the crawl.
    process.emitWarning(`a listener of the crawl threw: ${errorText(error)}`, 'MannerlyWarning');
  });
  const nowMs = (): number => (options.clock ?? systemClock()).nowMs();
  const base = activityBase(resolved);
  /** The latest run that was opened. */
  let run: Run | null = null;
  /** The run that is opening or running; `null`: none is. `startsPaused`: it has to start paused. */
  let active: { readonly stop: RunStop; isOpening: boolean; startsPaused: boolean } | null = null;
  /** Resolves when the run takes URLs, or has ended. */
  let opened: Promise<void> = Promise.resolve();
  /** URLs that were added while the run was opening: they are queued before the run can end. */
  const pendingAdds = new Set<Promise<unknown>>();
  const excluded: UrlPattern[] = [];
  let ended: CrawlActivity['ended'] = null;
  let latestOut: string | undefined;
  let toUnpark: string[] = [];
  let storeProblem: string | null = null;

  const onStoreNotice = (notice: StoreNotice): void => {
    emitter.emit('store', notice);
    if (notice.kind === 'holding') storeProblem = notice.message;
    if (notice.kind === 'resumed') storeProblem = null;
  };

  const start = async (runOptions: RunOptions, parts: Pick<RunSetup, 'options' | 'handlers'>): Promise<CrawlReport> => {
    checkOptions('run', runOptions, RUN_OPTIONS, RUN_HINT);
    const { out, reset = false, again = false, retry, shared = false, keepOpen = false, signal } = runOptions;
    if (active !== null) throw alreadyRunning('Wait for the first run to end, or make a second crawler.');
    if (reset && out === undefined)
      throw new MannerlyError('option-invalid', '`reset` needs `out`: the directory to reset');
    const toRetry = retry === undefined ? null : resolveRetryFilter(retry);
    const clock = options.clock ?? systemClock();
    const stop = new RunStop(clock);
    const onAbort = (): void => stop.request();
    const opening = { stop, isOpening: true, startsPaused: false };
    active = opening;
    let resolveOpened = (): void => undefined;
    opened = new Promise((resolve) => {
      resolveOpened = resolve;
    });
    latestOut = out;
    ended = null;
    storeProblem = null;
    let log: CrawlLog | undefined;
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const write = logFunctionOf(resolved.log);
      // A test with its own clock may check only requests.
      const keepsItems = out !== undefined || (options.sinks ?? []).length > 0 || options.clock !== undefined;
      log = write === null ? undefined : new CrawlLog(write, emitter, () => clock.nowMs(), keepsItems);
      log?.started(resolved.identity.name, resolved.scope.seeds, resolved.network.concurrency);
      // With several processes, each would read what the others are writing.
      const damage = out === undefined || reset || shared ? [] : await findDamage(out);
      log?.damaged(damage);
      const given = typeof options.store === 'function' ? options.store(onStoreNotice, stop.signal) : options.store;
      run = await Run.open({
        ...parts,
        emitter,
        stop,
        store:
          given === undefined
            ? storeFor(out, options, resolved)
            : watchedStore(given, {
                notify: onStoreNotice,
                isHolding: () => storeProblem !== null,
                stopped: stop.signal,
              }),
        storeProblem: () => storeProblem,
        isShared: shared,
        isOwnStore: options.store === undefined,
        fetcher: fetcherOf(options, clock),
        sinks: options.sinks ?? [],
        clock,
        out: out ?? null,
        damage,
        reset,
        again,
        takesAdded: true,
        keepOpen,
        async opened() {
          resolveOpened();
          await Promise.allSettled(pendingAdds);
        },
        unpark: toUnpark,
        retry: toRetry,
        ...(log === undefined ? {} : { log }),
      });
      toUnpark = [];
      run.scope.exclude(excluded);
      opening.isOpening = false;
      if (opening.startsPaused) run.pause();
      const report = await performRun(run);
      ended = report.state;
      log?.ended(report, parts.handlers);
      log = undefined;
      return report;
    } finally {
      log?.ended(null);
      signal?.removeEventListener('abort', onAbort);
      ended ??= 'failed';
      resolveOpened();
      active = null;
    }
  };

  /** Answers from a directory that no run of this crawler has open. */
  const inspect = async <T>(out: string | undefined, answer: (crawl: CrawlInspection) => Promise<T>): Promise<T> => {
    if (out === undefined) {
      throw new MannerlyError('not-running', 'this crawl is not running, and no directory was given', {
        hint: 'Call it during `run`, or name the directory: { out }.',
      });
    }
    const { manifest: _, ...paths } = await readCrawlDirectory(out);
    // Loaded on first use, since a run does not need it.
    const { openInspection } = await import('./inspection/inspection.js');
    const inspection = await openInspection({
      paths,
      store: options.store === undefined ? storeFor(out, options, resolved) : null,
      settings: crawlSettings(resolved),
      clock: options.clock ?? systemClock(),
    });
    return answer(inspection).finally(() => inspection.close());
  };

  const assertNotRunning = (): void => {
    if (active !== null) throw alreadyRunning('Register handlers before `run`.');
  };
  /** The run that is open and not over. */
  const openRun = (): Run | null => (active === null || active.isOpening ? null : run);

  const crawler: Crawler = {
    events: { on: emitter.on },
    on(
      route: Route | 'unchanged' | 'login',
      handler: Handler | UnchangedHandler | LoginHandler,
      handlerOptions: HandlerOptions = {},
    ) {
      assertNotRunning();
      handlers.on(route, handler as Handler, handlerOptions);
      return crawler;
    },
    route(routes) {
      assertNotRunning();
      registerRoutes(handlers, routes);
      return crawler;
    },
    run: (runOptions = {}) => start(runOptions, { options: resolved, handlers }),
    pages: (runOptions = {}) =>
      streamPages({
        run: (handler) => {
          const only = new Handlers();
          only.on('any', handler);
          only.login = handlers.login;
          // A slow loop is no reason to fail a page.
          return start(runOptions, { options: { ...resolved, handlerTimeoutMs: MAX_WAIT_MS }, handlers: only });
        },
        stop() {
          crawler.stop();
          crawler.stop();
        },
      }),
    async add(urls, addOptions: AddOptions<unknown> = {}) {
      const candidates = candidatesOf(urls, addOptions, nowMs());
      const added = opened.then(() => {
        if (run !== null && active !== null) return run.add(candidates);
        throw new MannerlyError('not-running', 'URLs can only be added during a run, and none is open', {
          hint: 'Call `add` during `run`, or `run({ keepOpen: true })`, which waits for them.',
        });
      });
      pendingAdds.add(added);
      return added.finally(() => pendingAdds.delete(added));
    },
    exclude(patterns) {
      const list = typeof patterns === 'string' || patterns instanceof RegExp ? [patterns] : patterns;
      // Together they have the limit of `scope.exclude`.
      readPatterns('patterns', Array.isArray(list) ? [...excluded, ...list] : (list as readonly UrlPattern[]));
      excluded.push(...list);
      openRun()?.scope.exclude(list);
    },
    stop: () => active?.stop.request(),
    pause() {
      if (active?.isOpening === true) active.startsPaused = true;
      else openRun()?.pause();
    },
    resume() {
      if (active !== null) active.startsPaused = false;
      openRun()?.resume();
    },
    progress: () => run?.progress() ?? NO_PROGRESS,
    activity(activityOptions = {}) {
      checkOptions('activity', activityOptions, { limit: 'number' });
      const isOpening = active?.isOpening === true;
      if (run !== null && !isOpening) return { ...run.activity(activityOptions), ended, nowMs: nowMs(), ...base };
      const phase = isOpening ? 'opening' : ended === null ? 'idle' : 'over';
      return { phase, ended, nowMs: nowMs(), ...base, ...NO_ACTIVITY };
    },
    async explain(urlOrHost, where = {}) {
      if (typeof urlOrHost !== 'string') throw invalidOption('explain', 'a URL or a host name', urlOrHost);
      checkOptions('where', where, { out: 'string' });
      const { out = latestOut } = where;
      if (run !== null && (active !== null || out === undefined)) return run.explain(urlOrHost);
      return inspect(out, (inspection) => inspection.explain(urlOrHost));
    },
    async queued(request = {}, where = {}) {
      checkOptions('queued', request, { cursor: 'any', limit: 'number', host: 'string', authority: 'string' });
      checkOptions('where', where, { out: 'string' });
      const { out = latestOut } = where;
      if (run !== null && active !== null) return run.queued(request);
      return inspect(out, (inspection) => inspection.queued(request));
    },
    async retry(filter) {
      const failures = resolveRetryFilter(filter);
      if (run !== null && active !== null) return run.retry(failures);
      throw new MannerlyError('not-running', 'only a run can queue failures again', {
        hint: 'Call `run({ retry })` with the same filter.',
      });
    },
    async unpark(host) {
      const open = openRun();
      if (open === null) toUnpark.push(host);
      else await open.unpark(host);
    },
  };
  return crawler;
}

function alreadyRunning(hint: string): MannerlyError {
  return new MannerlyError('already-running', 'this crawler is running', { hint });
}
