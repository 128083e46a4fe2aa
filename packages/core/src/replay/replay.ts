// Runs handlers again over the archive of a crawl, without the network: with the same page reader, the crawl's own
// options and clock for exclusion, and the same item ids. Pages come one at a time in the order of the archive, so
// every replay is the same.

import { systemClock } from '@mannerly/frontier';
import { archiveFolders } from '../archive/package-archive.js';
import { type ReadExchange, readExchanges } from '../archive/read-archive.js';
import type { ArchivedSettings, ArchivedVisit } from '../archive/visit.js';
import { listOpenWarcs } from '../archive/warc-files.js';
import { checkOptions } from '../call-options.js';
import { readCrawlDirectory } from '../directory/crawl-directory.js';
import { invalidOption, textOf } from '../errors.js';
import type { ResponseOutcome } from '../fetch/outcome.js';
import { Spool } from '../fetch/spool.js';
import { HandlerPool } from '../handle/handler-pool.js';
import { type Handler, type HandlerOptions, Handlers, type Route } from '../handle/handlers.js';
import { checkStages, type ItemStage, ItemStages, type StageCounts } from '../handle/item-stages.js';
import { type Routes, registerRoutes } from '../handle/routes.js';
import { applyLicense, type FoundLicense } from '../licensing/licenses.js';
import { MAX_WAIT_MS } from '../limits.js';
import { NEVER_ABORTED } from '../on-abort.js';
import { ItemWriter, itemsOf } from '../output/items.js';
import { isSink, SINK_MEMBERS, type Sink } from '../output/sink.js';
import type { ResolvedExclusionOptions } from '../page/exclusion.js';
import type { PageInCrawl } from '../page/page.js';
import { PageReader } from '../page/read-page.js';
import { plural } from '../report/table.js';
import { archivedOutcome, createArchivedFetcher, type ReplayedBodies } from './archived-answers.js';
import { replayedWork } from './replayed-work.js';

/** Where handlers are registered, as on a crawler. */
export interface ReplayRoutes {
  /** @throws MannerlyError `route-invalid`, `option-invalid`. */
  on(route: Route, handler: Handler, options?: HandlerOptions): ReplayRoutes;
  /** Registers every route of an object. @throws MannerlyError `route-invalid`, `option-invalid`. */
  route<UserData, Items, Names extends string>(routes: Routes<UserData, Items, Names>): ReplayRoutes;
}

interface ReplayOptions {
  /** The crawl directory. The last WARC file of a running crawl is incomplete and left out. */
  readonly from: string;
  /** Registers handlers, synchronously or not. */
  readonly handlers: (routes: ReplayRoutes) => unknown;
  /** The stages that items pass before they go to the sinks, as in a crawl. @default [] */
  readonly items?: readonly ItemStage[];
  /** Where items go; the crawl's own `items.jsonl` is not changed. @default [] */
  readonly sinks?: readonly Sink[];
  /** The folder for `page.save`; if it is absent, each call must name its own folder. */
  readonly filesPath?: string;
  /** Ends the replay after the current page. Sinks then have five seconds. */
  readonly signal?: AbortSignal;
  /** Called with the number of pages that handlers have seen. */
  readonly onPages?: (pages: number) => void;
}

interface ReplayReport {
  /** Pages that handlers saw, or would have seen if one had matched. */
  readonly pages: number;
  readonly items: number;
  /** Pages whose signals exclude their items, as in the crawl. */
  readonly excluded: number;
  /** Pages that their handler refused, or wanted to retry: the archive has a later attempt, if there was one. */
  readonly refused: number;
  readonly rejected: number;
  /** What each stage of `items` did; empty if there are none. */
  readonly stages: readonly StageCounts[];
  /** The reason that a handler gave for ending it (`StopCrawl`); `null` if none did. */
  readonly stopReason: string | null;
  /** Pages that forbid archiving: their handlers cannot run again. */
  readonly withheld: number;
  /**
   * Pages whose handler failed, or emitted or followed something after it ended, or that the archive does not describe
   * as a crawl does; the first hundred of them.
   */
  readonly failed: readonly { readonly url: string; readonly detail: string }[];
  readonly failures: number;
  /** WARC files that are not complete, or cannot be read to their end, one sentence each: pages are missing. */
  readonly incomplete: readonly string[];
}

/**
 * Replays a crawl.
 *
 * Links that a handler follows or adds go nowhere: there is no queue. The archive answers what it fetches itself, with
 * `dropped` as `not-archived` if the crawl did not fetch it.
 *
 * @example
 * const report = await replay({ from: 'tidepools', handlers: (routes) => routes.on('html', readPage), sinks: [csvSink({
 * path })] });
 * @throws MannerlyError `option-invalid`, `option-unknown`; `directory-taken`, `directory-format`; `archive-missing`
 *   when the crawl kept no archive; `sink-failed`; `archive-failed` when the archive cannot be read.
 */
export async function replay(options: ReplayOptions): Promise<ReplayReport> {
  checkOptions('replay', options, {
    from: 'string!',
    handlers: 'any',
    items: 'list',
    sinks: 'list',
    filesPath: 'string',
    signal: 'signal',
    onPages: 'function',
  });
  if (typeof options.handlers !== 'function') {
    const hint = 'For an object of handlers: `handlers: (routes) => routes.route({ html: readPage })`.';
    throw invalidOption('replay.handlers', 'a function', options.handlers, hint);
  }
  const { sinks = [] } = options;
  const invalidIndex = sinks.findIndex((sink) => !isSink(sink));
  if (invalidIndex >= 0)
    throw invalidOption(
      `replay.sinks[${invalidIndex}]`,
      `an object with ${SINK_MEMBERS.join(', ')}`,
      sinks[invalidIndex],
    );
  const { parts } = await readCrawlDirectory(options.from);
  const folders = await archiveFolders(options.from, parts);
  const handlers = new Handlers();
  await options.handlers(createReplayRoutes(handlers));
  const { signal = NEVER_ABORTED } = options;
  const writer = new ItemWriter(sinks, { stop: { signal, clock: systemClock() } });
  await writer.open();
  const run = new Replay(folders, handlers, options, (items) => writer.write(items));
  const incomplete: string[] = [];
  const addDamaged = (path: string, records: number): void => {
    incomplete.push(`${path} cannot be read after its first ${plural(records, 'record')}: the rest is left out`);
  };
  try {
    for (const folder of folders) {
      for (const path of await listOpenWarcs(folder))
        incomplete.push(
          `${path} is left out: a run is writing it, or was killed (its next run or mannerly wacz completes it)`,
        );
      for await (const exchange of readExchanges(folder, addDamaged)) {
        if (signal.aborted || run.stopReason !== null) break;
        await run.exchange(exchange);
        options.onPages?.(run.counts.pages);
      }
    }
  } finally {
    await run.spool.close();
    await writer.close();
  }
  const { counts, stages, failed, stopReason } = run;
  return { ...counts, stages: stages.counts(), failed, stopReason, incomplete };
}

function createReplayRoutes(handlers: Handlers): ReplayRoutes {
  const routes: ReplayRoutes = {
    on(route, handler, handlerOptions = {}) {
      handlers.on(route, handler, handlerOptions);
      return routes;
    },
    route(all) {
      registerRoutes(handlers, all);
      return routes;
    },
  };
  return routes;
}

const MAX_LISTED_FAILURES = 100;

/** The page whose handler runs. */
interface CurrentPage {
  readonly exchange: ReadExchange;
  readonly visit: ArchivedVisit;
  readonly settings: ArchivedSettings;
}

class Replay {
  readonly counts = { pages: 0, items: 0, excluded: 0, refused: 0, rejected: 0, withheld: 0, failures: 0 };
  readonly failed: ReplayReport['failed'][number][] = [];
  /** The reason of the handler that ended the replay. */
  stopReason: string | null = null;
  readonly stages: ItemStages;
  readonly spool = new Spool();
  readonly #write: ItemWriter['write'];
  readonly #pool: HandlerPool;
  readonly #readers = new Map<ArchivedSettings, PageReader>();
  #current: CurrentPage | null = null;

  constructor(folders: readonly string[], handlers: Handlers, options: ReplayOptions, write: ItemWriter['write']) {
    this.#write = write;
    this.stages = new ItemStages(checkStages('items', options.items ?? []));
    this.#pool = new HandlerPool({
      handlers,
      stages: this.stages,
      concurrency: 1,
      // Only the author of the handler waits for it.
      handlerTimeoutMs: MAX_WAIT_MS,
      clock: systemClock(),
      signal: NEVER_ABORTED,
      tools: {
        filesPath: options.filesPath ?? null,
        fetch: createArchivedFetcher(
          folders,
          () => this.#bodies(),
          () => this.#current?.exchange.startedAtMs ?? 0,
        ),
        read: async (answer) => {
          if (this.#current === null) throw new Error('no page is being read');
          return this.#readerFor(this.#current.settings).read(replayedWork(answer.url, null), answer);
        },
      },
      onLate: (url, error) => this.#fail(url, textOf(error)),
    });
  }

  async exchange(exchange: ReadExchange): Promise<void> {
    const { url, visit, settings, response, withheld } = exchange;
    if (visit === null) return;
    if (response === null) {
      if (withheld !== null) this.counts.withheld += 1;
      return;
    }
    if (visit === 'unreadable' || settings === null) {
      this.#fail(url, `the archive's ${settings === null ? 'settings' : 'fields of this page'} cannot be read`);
      return;
    }
    const current = { exchange, visit, settings };
    this.#current = current;
    const outcome = await archivedOutcome(exchange, this.#bodies());
    if (outcome.kind !== 'response') return;
    try {
      await this.#page(current, outcome);
    } finally {
      await outcome.file?.remove();
    }
  }

  async #page({ exchange, visit, settings }: CurrentPage, outcome: ResponseOutcome): Promise<void> {
    const { url, rendered } = exchange;
    if (visit.isRendered === true && rendered === null) {
      // No handler saw the page.
      this.#fail(url, 'it was opened in a browser, and the archive does not hold what the browser made of it');
      return;
    }
    const reader = this.#readerFor(settings);
    const renderedPage = rendered === null ? undefined : ({ kind: 'rendered', ...rendered } as const);
    let page: PageInCrawl;
    try {
      page = await reader.read(replayedWork(url, visit), outcome, renderedPage);
      applyLicense(page, (visit.license ?? null) as FoundLicense | null);
    } catch (error) {
      // The archive says something about the page that no crawl writes.
      this.#fail(url, `what the archive says about it cannot be read: ${textOf(error)}`);
      return;
    }
    const handled = await this.#pool.handle(page);
    const { counts } = this;
    counts.pages += 1;
    if (handled.kind === 'signal') {
      if (handled.signal.kind === 'stop') this.stopReason = handled.signal.reason;
      else counts.refused += 1;
    } else if (handled.kind !== 'handled') {
      this.#fail(url, handled.kind === 'stopped' ? 'stopped' : handled.detail);
    } else if (!page.exclusion.storesItems) {
      counts.excluded += 1;
    } else {
      const items = itemsOf(visit.host, page, handled.staged.data, handled.staged.processed);
      counts.rejected += handled.staged.rejectedCount;
      if ((await this.#write(items)) === 'written') counts.items += items.length;
    }
  }

  #fail(url: string, detail: string): void {
    this.counts.failures += 1;
    if (this.failed.length < MAX_LISTED_FAILURES) this.failed.push({ url, detail });
  }

  #bodies(): ReplayedBodies {
    const { settings, visit } = this.#current ?? {};
    return {
      maxBodyBytes: settings?.maxBodyBytes ?? 0,
      largeBody: ({ headers }) => this.#pool.bodyBytesFor(visit?.label ?? null, headers) || null,
      spool: this.spool,
    };
  }

  /** A file of the archive has one set of settings, and so one reader. */
  #readerFor(settings: ArchivedSettings): PageReader {
    const known = this.#readers.get(settings);
    if (known !== undefined) return known;
    const reader = new PageReader({
      tdmFor: async () => this.#current?.visit.tdm ?? { reserved: null, policy: null },
      joinsHeaders: settings.joinsHeaders,
      tokens: settings.tokens,
      options: settings.exclusion as unknown as ResolvedExclusionOptions,
      nowMs: () => this.#current?.visit.judgedAtMs ?? 0,
    });
    this.#readers.set(settings, reader);
    return reader;
  }
}
