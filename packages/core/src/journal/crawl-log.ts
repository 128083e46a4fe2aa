// The log of a crawl: what the option `log` receives from a run. It turns facts of the journal into entries, and
// reports hosts that only fail. It decides nothing, and what its receiver throws stays out of the crawl.

import type { HostInspection, HostWarning } from '@mannerly/frontier';
import { maxConcurrentRequests } from '../fetch/socket-limit.js';
import type { Handlers } from '../handle/handlers.js';
import { issuesText } from '../handle/schema.js';
import type { RejectedItem } from '../handle/staged.js';
import { keepLatest } from '../keep-latest.js';
import type { FetchedPage } from '../page/page.js';
import { redacted } from '../redacted.js';
import { type CodeError, deepStackHint, errorLine, errorText } from '../report/code-error.js';
import type { CrawlReport } from '../report/crawl-report.js';
import type { RequestRecord, UrlDecision } from '../report/decision.js';
import { fetchedPages, whyNothingFetched } from '../report/nothing-fetched.js';
import { escapeControls, iso, plural, printable, sumOf } from '../report/table.js';
import type { CrawlEmitter } from './events.js';
import type { JournalListener } from './journal.js';
import { FAILURES_BEFORE_WARNING, MAX_FAILING_HOSTS, MAX_LOG_CHARS } from './limits.js';
import {
  LOG_LEVELS,
  type LogEntry,
  type LogFunction,
  type Logger,
  receivesLevel,
  terminalLog,
  toLogger,
} from './log-entry.js';

/** The option `log`: a level for standard error, `silent` or `false` for nothing, or a receiver of every entry. */
type LogOption = false | 'silent' | LogEntry['level'] | LogFunction | Logger;

export function logFunctionOf(option: LogOption): LogFunction | null {
  if (option === false || option === 'silent') return null;
  if (typeof option === 'function') return option;
  if (typeof option === 'object') return toLogger(option);
  return terminalLog((text) => process.stderr.write(`mannerly: ${escapeControls(redacted(text))}\n`), option);
}

/** Whether a value has a method for each level. @throws Never */
export function isLogger(value: unknown): value is Logger {
  return (
    typeof value === 'object' &&
    value !== null &&
    LOG_LEVELS.every((level) => typeof (value as Readonly<Record<string, unknown>>)[level] === 'function')
  );
}

/** Warnings that are not problems, and their levels. */
const WARNING_LEVELS: Readonly<Record<string, LogEntry['level'] | undefined>> = {
  'robots-read': 'debug',
  comment: 'info',
};

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
  #hasReturned = false;
  #hasRejected = false;
  #hasTruncated = false;
  #hasLargeUserData = false;
  /** Whether anything receives emitted items; `null`: it does, or its absence was already reported. */
  #hasItemListener: (() => boolean) | null;

  /** @param keepsItems - Whether the run writes items. */
  constructor(
    write: LogFunction,
    events: Pick<CrawlEmitter, 'on' | 'hasListener'>,
    nowMs: () => number,
    keepsItems = true,
  ) {
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
    const isFailure = status === null || status === 429 || status >= 500;
    const failures = isFailure ? (this.#failures.get(host) ?? 0) + 1 : 0;
    if (!isFailure) {
      this.#failures.delete(host);
      return;
    }
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
    const text = `${url}: the handler returned an object, which is ignored. ${instead}`;
    if (!this.#hasReturned) this.#log('warn', 'object-returned', text, { url });
    this.#hasReturned = true;
  }

  /** Items that the schema of their route rejected. The first one shows the mistake. */
  rejected([first]: readonly RejectedItem[]): void {
    if (first === undefined || this.#hasRejected) return;
    const { url, issues } = first;
    const text = `${url}: an item does not fit the schema of its route, the first of this run: ${issuesText(issues)}`;
    this.#log('warn', 'item-rejected', text, { url });
    this.#hasRejected = true;
  }

  /** A body that a limit cut. The first one shows that the limit is too small. */
  truncated({ url, bodyBytes }: Pick<FetchedPage, 'url' | 'bodyBytes'>): void {
    const limits = '`maxBodyBytes` of its handler, or `network.maxBodyBytes`';
    const text = `${url}: only ${bodyBytes} bytes of it were read, the first such page of this run. Raise ${limits}`;
    if (!this.#hasTruncated) this.#log('warn', 'body-truncated', text, { url });
    this.#hasTruncated = true;
  }

  decision({ url, status, reason, from }: UrlDecision): void {
    if (reason === 'user-data-too-large' && !this.#hasLargeUserData) {
      const text = `${url}: left out, the first of this run: its user data is too large. It was found on ${from}`;
      this.#log('warn', reason, text, { url });
      this.#hasLargeUserData = true;
    }
    if (!this.#isDebug) return;
    this.#log('debug', 'decision', `${status} (${reason}) ${url}`, { url });
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

  /**
   * The run is over.
   * @param report - `null`: it failed.
   * @param handlers - Of the run: reports routes and selectors that were never used.
   */
  ended(report: CrawlReport | null, handlers?: Pick<Handlers, 'unusedLabels' | 'selectorsWithoutLinks'>): void {
    // Pages of an earlier run, or of another process, may have reached these routes.
    if (report?.state === 'finished' && report.pages > 0 && !report.resumed && report.part === undefined) {
      const { routes = [], unrouted = [] } = handlers?.unusedLabels() ?? {};
      const others = unrouted.length === 0 ? '' : `. These labels have no route: ${unrouted.join(', ')}`;
      for (const route of routes)
        this.#log(
          'warn',
          'route-unused',
          `No page came to \`${route}\`: no link was followed with this label${others}`,
        );
      for (const selector of handlers?.selectorsWithoutLinks() ?? [])
        this.#log('warn', 'selector-unused', `No page had a link for \`page.follow(${JSON.stringify(selector)})\``);
    }
    // For one process among several this means nothing: the others may have fetched.
    const explanation = report === null || report.part !== undefined ? null : whyNothingFetched(report);
    if (report !== null && explanation !== null) {
      const { dropped, fetched } = report.outcomes;
      const isUseless = dropped?.['out-of-scope'] !== undefined || fetched?.['no-handler'] !== undefined;
      if (fetchedPages(report) === 0 || (report.pages === 1 && isUseless))
        this.#log('warn', 'nothing-fetched', explanation.replace(/\s*\n\s*/g, ' ').trim());
    } else if (report?.alreadyFinished === true && report.part === undefined) {
      const { state, bound, bounds } = report;
      // URLs that were dropped by other bounds, such as the depth, come back only if the crawl starts over.
      const dropped = bounds.map(({ bound }) => `\`${bound}\``).join(', ');
      const more =
        state !== 'bounded' ? 'Start' : bound !== null ? 'Raise `bounds`, or start' : `Change ${dropped} and start`;
      const text = `This crawl had ended before: nothing was requested. ${more} over with \`reset: true\` of \`run\``;
      const failedCount = sumOf(report.outcomes['failed'] ?? {});
      const again =
        failedCount === 0 ? '' : `. \`run({ retry: {} })\` requests ${plural(failedCount, 'failed URL')} again`;
      this.#log('warn', 'nothing-fetched', `${text}${again}`);
    }
    const endText =
      report === null ? 'The run failed' : `The run ended (${report.state}): ${plural(report.pages, 'page')}`;
    this.#log('info', 'run-ended', endText);
    for (const detach of this.#detach) detach();
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
