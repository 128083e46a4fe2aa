// The log of a crawl: what the option `log` receives from a run. It turns facts of the journal into entries, and
// reports hosts that only fail. It decides nothing, and what its receiver throws stays out of the crawl.

import type { HostInspection, HostWarning } from '@mannerly/frontier';
import { maxConcurrentRequests } from '../fetch/socket-limit.js';
import type { Handlers } from '../handle/handlers.js';
import { issuesText } from '../handle/schema.js';
import type { RejectedItem } from '../handle/staged.js';
import { keepLatest } from '../keep-latest.js';
import type { FetchedPage } from '../page/page.js';
import { type CodeError, deepStackHint, errorLine, errorText } from '../report/code-error.js';
import type { CrawlReport } from '../report/crawl-report.js';
import type { RequestRecord, UrlDecision } from '../report/decision.js';
import { fetchedPages, whyNothingFetched } from '../report/nothing-fetched.js';
import { iso, plural, printable, sumOf } from '../report/table.js';
import type { CrawlEmitter } from './events.js';
import type { JournalListener } from './journal.js';
import { FAILURES_BEFORE_WARNING, MAX_FAILING_HOSTS, MAX_LOG_CHARS } from './limits.js';
import { type LogEntry, type LogFunction, receivesLevel } from './log-entry.js';

/** Warnings that are not problems, and their levels. */
const WARNING_LEVELS: Readonly<Record<string, LogEntry['level']>> = { 'robots-read': 'debug', comment: 'info' };

/** Messages about orders. Nothing else tells a user why a run that was just started does nothing. */
const ORDERS = {
  pause: ['warn', 'Paused by mannerly pause: no request before mannerly resume'],
  resume: ['info', 'Continued by mannerly resume'],
  stop: ['warn', 'Stopped by mannerly stop'],
} as const;

export class CrawlLog implements JournalListener {
  readonly #write: LogFunction;
  readonly #nowMs: () => number;
  readonly #detach: readonly (() => void)[];
  /** Consecutive failures of hosts whose last request failed. */
  readonly #failures = new Map<string, number>();
  /** Requests and decisions are many, so without debug no entries are created for them. */
  readonly #isDebug: boolean;
  #hasThrown = false;
  /** Codes of which one entry for the run is enough. */
  readonly #logged = new Set<string>();
  /** Whether anything receives emitted items; `null`: it does, or its absence was already reported. */
  #hasItemListener: (() => boolean) | null;

  /** @param keepsItems - Whether the run writes items. */
  constructor(write: LogFunction, events: CrawlEmitter, nowMs: () => number, keepsItems = true) {
    this.#write = write;
    this.#hasItemListener = keepsItems ? null : () => events.hasListener('item');
    this.#isDebug = receivesLevel(write, 'debug');
    this.#nowMs = nowMs;
    this.#detach = [
      // The end of an outage too: a reader of its beginning waits for it.
      events.on('store', ({ message }) => this.#log('warn', 'store', message)),
      events.on('trap', ({ pattern, rule }) => this.#log('info', 'trap', `A trap: ${pattern} (${rule})`)),
      events.on('scope-moved', ({ from, to }) =>
        this.#log('info', 'scope-moved', `The seed ${from} led to ${to}, whose host is in scope too`),
      ),
    ];
  }

  /** @param concurrency - Concurrent requests that the crawl may make. */
  started(name: string, seeds: readonly string[], concurrency: number): void {
    const more = seeds.length > 1 ? ` and ${plural(seeds.length - 1, 'other seed')}` : '';
    this.#log('info', 'run-started', `Crawling ${seeds[0]}${more} as ${name}`);
    if (concurrency === maxConcurrentRequests()) {
      const text = `This process may open few files: ${plural(concurrency, 'request')} at once (ulimit -n lifts it)`;
      this.#log('warn', 'open-files', text);
    }
  }

  /** An operator's order to all processes of the crawl was received. */
  ordered(order: keyof typeof ORDERS): void {
    this.#log(ORDERS[order][0], 'order', ORDERS[order][1]);
  }

  /** The run continues a crawl with another scope. */
  scopeChanged(): void {
    const text = 'The scope has changed since the last run. If it is wider now: links that were dropped are not kept';
    this.#log(
      'warn',
      'scope-changed',
      `${text}. Add their URLs (mannerly add DIR URL), or start over with \`reset: true\` of \`run\` (--reset)`,
    );
  }

  /** URLs of `mannerly add` were taken. */
  added(answers: readonly { readonly url: string; readonly kind: string; readonly reason: string | null }[]): void {
    for (const { url, kind, reason } of answers)
      if (kind === 'refused') this.#log('warn', 'added', `Added, and refused: ${JSON.stringify(url)} (${reason})`);
    const queued = answers.filter(({ kind }) => kind === 'queued').length;
    if (queued > 0) this.#log('info', 'added', `${plural(queued, 'added URL')} queued`);
  }

  addedUnreadable(path: string, detail: string): void {
    if (!this.#logged.has(path)) this.#log('warn', 'added', `${path} cannot be taken: ${detail}`);
    this.#logged.add(path);
  }

  /** Files of the crawl directory that differ from what the last run left, one sentence each. */
  damaged(files: readonly string[]): void {
    for (const file of files) this.#log('warn', 'directory-damaged', file);
  }

  /** An operator releases a host that is not parked. */
  notParked({ host, isKnown, isParked, wait }: Pick<HostInspection, 'host' | 'isKnown' | 'isParked' | 'wait'>): void {
    if (isParked === null) {
      const text = `Whether ${host} is parked this store cannot say; it is released if it is`;
      this.#log('info', 'not-parked', text, { host });
      return;
    }
    const waits =
      wait?.untilMs == null ? 'nothing keeps it back' : `it waits until ${iso(wait.untilMs)} (${wait.reason})`;
    const explanation = isKnown ? `${waits}, as before` : 'this crawl knows no such host';
    this.#log('warn', 'not-parked', `${host} is not parked: ${explanation}`, { host });
  }

  request({ url, host, status, failure, startedAtMs, endedAtMs }: RequestRecord): void {
    if (this.#isDebug) {
      const duration = `${Math.round(endedAtMs - startedAtMs)} ms`;
      this.#log('debug', 'request', `${status ?? failure} ${url} in ${duration}`, { host, url });
    }
    if (failure === 'aborted') return;
    if (status !== null && status !== 429 && status < 500) {
      this.#failures.delete(host);
      return;
    }
    const failures = (this.#failures.get(host) ?? 0) + 1;
    keepLatest(this.#failures, host, failures, MAX_FAILING_HOSTS);
    if (!/^10*$/.test(String(failures / FAILURES_BEFORE_WARNING))) return;
    const summary = `${failures} requests in a row failed, the last with ${status ?? failure}`;
    this.#log('warn', 'host-failing', `${host}: ${summary}: ${url}`, { host, url });
  }

  /** Items of a page. The first ones show whether anything receives them. */
  items(items: readonly unknown[]): void {
    if (this.#hasItemListener === null || items.length === 0) return;
    const text = 'Items are written nowhere: name a crawl directory, `run({ out })`, or `sinks`';
    if (!this.#hasItemListener()) this.#log('warn', 'items-unkept', text);
    this.#hasItemListener = null;
  }

  /** Sinks of a new crawl had items of its pages, from an earlier crawl. */
  itemsKnown({ sink, items }: { readonly sink: string; readonly items: number }): void {
    const text = `${sink} had ${plural(items, 'item')} of the same pages from an earlier crawl, and keeps them unchanged`;
    this.#log('warn', 'items-known', `${text}. To get the new ones, remove it before the run, or name another`);
  }

  /** A handler returned what is probably meant as an item. */
  returned(url: string): void {
    const instead = 'An item is emitted: await page.emit(object). A page is refused: throw new RefusePage(reason)';
    this.#warnOnce('object-returned', url, `the handler returned an object, which is ignored. ${instead}`);
  }

  /** Items that the schema of their route rejected. The first one shows the mistake. */
  rejected([first]: readonly RejectedItem[]): void {
    if (first === undefined || this.#logged.has('item-rejected')) return;
    const text = `an item does not fit the schema of its route, the first of this run: ${issuesText(first.issues)}`;
    this.#warnOnce('item-rejected', first.url, text);
  }

  /** A body that a limit cut. The first one shows that the limit is too small. */
  truncated({ url, bodyBytes }: Pick<FetchedPage, 'url' | 'bodyBytes'>): void {
    const limits = '`maxBodyBytes` of its handler, or `network.maxBodyBytes`';
    const text = `only ${bodyBytes} bytes of it were read, the first such page of this run. Raise ${limits}`;
    this.#warnOnce('body-truncated', url, text);
  }

  decision({ url, status, reason, from }: UrlDecision): void {
    if (reason === 'user-data-too-large') {
      const text = `left out, the first of this run: its user data is too large. It was found on ${from}`;
      this.#warnOnce(reason, url, text);
    }
    if (this.#isDebug) this.#log('debug', 'decision', `${status} (${reason}) ${url}`, { url });
  }

  warning({ code, host, detail, untilMs }: HostWarning): void {
    const until = untilMs === null ? '' : ` (until ${new Date(untilMs).toISOString()})`;
    this.#log(WARNING_LEVELS[code] ?? 'warn', code, `${host}: ${code}: ${detail}${until}`, { host });
  }

  error(error: CodeError, thrown: unknown): void {
    const { code, url, hook, stack, source } = error;
    const verb = code === 'handler-timeout' ? 'took too long' : 'failed';
    const origin = code === 'sink-failed' ? 'a sink' : hook === undefined ? 'the handler' : `the hook ${hook}`;
    const about = url === null ? '' : `${url}: `;
    const fields = { ...(url === null ? {} : { url }), error: thrown, stack, source };
    this.#log('error', code, `${about}${origin} ${verb}: ${errorLine(error)}${deepStackHint(error)}`, fields);
  }

  /** @param report - `null`: the run failed. @param handlers - Reports routes and selectors that were never used. */
  ended(report: CrawlReport | null, handlers?: Pick<Handlers, 'unusedLabels' | 'selectorsWithoutLinks'>): void {
    // Of one process among several these mean nothing: the others may have fetched.
    if (report !== null && report.part === undefined) {
      // Pages of an earlier run may have reached the routes.
      if (report.state === 'finished' && report.pages > 0 && !report.resumed) this.#unused(handlers);
      const text = nothingFetchedText(report);
      if (text !== null) this.#log('warn', 'nothing-fetched', text);
    }
    const endText =
      report === null ? 'The run failed' : `The run ended (${report.state}): ${plural(report.pages, 'page')}`;
    this.#log('info', 'run-ended', endText);
    for (const detach of this.#detach) detach();
  }

  #unused(handlers?: Pick<Handlers, 'unusedLabels' | 'selectorsWithoutLinks'>): void {
    const { routes = [], unrouted = [] } = handlers?.unusedLabels() ?? {};
    const others = unrouted.length === 0 ? '' : `. These labels have no route: ${unrouted.join(', ')}`;
    for (const route of routes) {
      const text = `No page came to \`${route}\`: no link was followed with this label${others}`;
      this.#log('warn', 'route-unused', text);
    }
    for (const selector of handlers?.selectorsWithoutLinks() ?? [])
      this.#log('warn', 'selector-unused', `No page had a link for \`page.follow(${JSON.stringify(selector)})\``);
  }

  /** A warning about the first page of the run that gives rise to it. */
  #warnOnce(code: string, url: string, text: string): void {
    if (!this.#logged.has(code)) this.#log('warn', code, `${url}: ${text}`, { url });
    this.#logged.add(code);
  }

  #log(level: LogEntry['level'], code: string, text: string, more: Partial<LogEntry> = {}): void {
    if (!receivesLevel(this.#write, level)) return;
    const onThrown = (error: unknown): void => {
      if (!this.#hasThrown) process.emitWarning(`the log of the crawl threw: ${errorText(error)}`, 'MannerlyWarning');
      this.#hasThrown = true;
    };
    try {
      const entry = { level, code, message: printable(text, MAX_LOG_CHARS), atMs: this.#nowMs(), ...more };
      // It may be an async function, whose rejection would end the process.
      const returned: unknown = this.#write(entry);
      if (returned instanceof Promise) returned.catch(onThrown);
    } catch (error) {
      onThrown(error);
    }
  }
}

/** Why a crawl has nothing to show, and what to do; `null` if it has, or needs no warning. */
function nothingFetchedText(report: CrawlReport): string | null {
  const { state, bound, bounds, outcomes, pages, alreadyFinished } = report;
  const explanation = whyNothingFetched(report);
  if (explanation !== null) {
    const isUseless =
      outcomes['dropped']?.['out-of-scope'] !== undefined || outcomes['fetched']?.['no-handler'] !== undefined;
    const isWarning = fetchedPages(report) === 0 || (pages === 1 && isUseless);
    return isWarning ? explanation.replace(/\s*\n\s*/g, ' ').trim() : null;
  }
  if (!alreadyFinished) return null;
  // URLs that were dropped by other bounds, such as the depth, come back only if the crawl starts over.
  const dropped = bounds.map((each) => `\`${each.bound}\``).join(', ');
  const more = bound !== null ? 'Raise `bounds`, or start' : `Change ${dropped} and start`;
  const text = `This crawl had ended before: nothing was requested. ${state === 'bounded' ? more : 'Start'} over`;
  const failedCount = sumOf(outcomes['failed'] ?? {});
  const again = failedCount === 0 ? '' : `. \`run({ retry: {} })\` requests ${plural(failedCount, 'failed URL')} again`;
  return `${text} with \`reset: true\` of \`run\`${again}`;
}
