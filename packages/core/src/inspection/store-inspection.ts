// Questions about a crawl whose frontier is on a server: progress, processes and queue, with reasons; and orders of an
// operator. It makes no request and changes nothing else, even while the crawl runs.

import {
  createFrontier,
  type Frontier,
  type FrontierCounts,
  type FrontierOptions,
  type FrontierStore,
  systemClock,
} from '@mannerly/frontier';
import { isError, MannerlyError } from '../errors.js';
import { readJson } from '../json-record.js';
import { type CrawlSettings, frontierSettings } from '../options/crawl-settings.js';
import { type CrawlTerms, TERMS_KEY } from '../options/crawl-terms.js';
import { present } from '../present.js';
import { sums } from '../report/combined-counts.js';
import { splitOutcomes, sumOutcomes, wholeOutcomes } from '../report/outcome-counts.js';
import { type CrawlOrder, ORDER_KEY, orderBytes } from '../run/crawl-orders.js';
import { isAtWork, type ProcessTotals, readTotals, TOTALS_KEY } from '../run/crawl-totals.js';
import { countFromRecrawl } from '../run/recrawl-run.js';
import { asMannerlyError } from '../store-error.js';
import { type CrawlInspection, createReadOnlyStore, openInspection } from './inspection.js';

const CRAWL = 'crawl';

/**
 * The numbers of a crawl on a server, over all its processes. `seeds`: only some if there are very many. `outcomes`: a
 * URL that several processes excluded or dropped counts for each of them.
 */
export interface StoreReport
  extends Pick<CrawlTerms, 'name' | 'tokens' | 'seeds' | 'seedCount' | 'createdAtMs'>,
    Omit<FrontierCounts, 'inFlight'>,
    Pick<ProcessTotals, 'requests' | 'items' | 'bytes' | 'outcomes'> {
  readonly bounds: CrawlSettings['bounds'];
  /** The bound that is used up; `null` if none. */
  readonly bound: 'pages' | 'minutes' | 'bytes' | null;
  readonly processes: readonly ProcessReport[];
}

/** One process of a crawl over all its runs. The next process on the same directory continues its name. */
export type ProcessReport = ReturnType<typeof processReport>;

/** A crawl on a server that is open for questions. The caller closes it. */
export interface StoreInspection extends CrawlInspection {
  report(): Promise<StoreReport>;
  /** Sends an order to all processes of the crawl. They obey within seconds, and report that. */
  order(order: CrawlOrder): Promise<void>;
}

/**
 * Opens a crawl on a server for questions, with the settings of its processes. @param createStore - Called twice.
 * @throws MannerlyError `not-running` if there is no crawl; `store-failed`.
 */
export async function inspectStore(createStore: () => FrontierStore): Promise<StoreInspection> {
  const terms = await readTerms(createStore());
  const store = createStore();
  const { settings } = terms;
  const inspection = await openInspection({
    paths: null,
    store,
    settings,
    clock: systemClock(),
    writableKey: ORDER_KEY,
  });
  const { frontier, ...questions } = inspection;
  if (frontier === null) throw noCrawlError(inspection.logsOnlyReason ?? 'there is no frontier');
  return {
    ...questions,
    report: () => reportOf(frontier, terms),
    order: (order) => frontier.writeRecord(ORDER_KEY, orderBytes(order)),
  };
}

/** The record that closes a store whose crawl has moved. */
const MOVED_KEY = 'moved';

/**
 * Moves a crawl to another store.
 * @param createSource - Makes its store, not opened yet; called twice.
 * @param to - Not opened yet; closed at the end.
 * @throws MannerlyError `not-running` if there is no crawl, `directory-in-use` while a process works on it; a
 *   FrontierError of the move.
 */
export async function moveStore(
  createSource: () => FrontierStore,
  to: FrontierStore,
  onProgress: Parameters<Frontier['moveTo']>[1],
): ReturnType<Frontier['moveTo']> {
  try {
    const { settings } = await readTerms(createSource());
    const store = createReadOnlyStore(createSource(), MOVED_KEY);
    return await withFrontier({ ...frontierSettings(settings), store }, async (frontier) => {
      await refuseRunning(frontier);
      await to.open({ crawl: CRAWL, create: true });
      return frontier.moveTo(to, onProgress);
    });
  } finally {
    await to.close();
  }
}

/** @throws MannerlyError `directory-in-use` */
async function refuseRunning(frontier: Frontier): Promise<void> {
  const parts = readTotals(await frontier.readParts(TOTALS_KEY));
  const atWork = [...parts.values()].filter((totals) => isAtWork(totals, Date.now())).length;
  if (atWork === 0) return;
  throw new MannerlyError('directory-in-use', `${atWork} of its processes are running, or were killed just now`, {
    hint: 'Stop them first, with mannerly stop. A killed process counts as dead after 30 seconds.',
  });
}

/**
 * Removes a crawl from its store.
 * @param createStore - Makes a store that is not opened yet.
 * @param confirm - Called once, with how many URLs are known and queued.
 * @returns Whether it was removed: `confirm` may refuse.
 * @throws MannerlyError `not-running` if there is no crawl, `directory-in-use` while a process works on it.
 */
export async function removeCrawl(
  createStore: () => FrontierStore,
  confirm: (crawl: Pick<StoreReport, 'known' | 'queued'>) => Promise<boolean>,
): Promise<boolean> {
  const store = createStore();
  return withFrontier({ store: createReadOnlyStore(store), robots: ANY_TOKENS }, async (frontier) => {
    await refuseRunning(frontier);
    if (!(await confirm(frontier.counts()))) return false;
    if (store.destroy === undefined) throw new MannerlyError('store-failed', 'this store removes no crawl');
    await store.destroy();
    return true;
  });
}

/** No rule is read for these tokens. */
const ANY_TOKENS = { tokens: ['mannerly'] };

/** Acts on the frontier of an existing crawl. @throws MannerlyError `not-running`, `store-failed` */
async function withFrontier<T>(options: FrontierOptions, action: (frontier: Frontier) => Promise<T>): Promise<T> {
  const frontier = createFrontier({ ...options, create: false, part: null });
  try {
    await frontier.open().catch((error: unknown) => {
      const known = asMannerlyError(error, null);
      throw known instanceof MannerlyError || !isError(error) ? known : noCrawlError(error.message, error);
    });
    await countFromRecrawl(frontier, false, Date.now());
    return await action(frontier);
  } catch (error) {
    throw asMannerlyError(error, null);
  } finally {
    await frontier.close();
  }
}

function readTerms(store: FrontierStore): Promise<CrawlTerms> {
  return withFrontier({ store: createReadOnlyStore(store), robots: ANY_TOKENS }, async (frontier) => {
    const terms = await readJson<CrawlTerms>(frontier, TERMS_KEY);
    if (terms === null) throw noCrawlError('no process of it has begun');
    return terms;
  });
}

async function reportOf(frontier: Frontier, terms: CrawlTerms): Promise<StoreReport> {
  const { name, tokens, seeds, seedCount, createdAtMs, settings } = terms;
  const { pages, queued, known, hosts, runningMs } = await frontier.recount();
  const parts = [...readTotals(await frontier.readParts(TOTALS_KEY))];
  const nowMs = Date.now();
  const processes = parts.map(([part, totals]) => processReport(part, totals, nowMs));
  const decided = parts.map(([, totals]) => splitOutcomes(totals.outcomes).decided);
  const open = lastOpenOutcomes(parts.map(([, totals]) => totals));
  return {
    ...{ name, tokens, seeds, seedCount, createdAtMs, bounds: settings.bounds },
    ...{ pages, queued, known, hosts, runningMs, bound: frontier.reachedBound() },
    ...sums(processes, 'requests', 'items', 'bytes'),
    outcomes: wholeOutcomes(sumOutcomes([...decided, open])),
    processes,
  };
}

function processReport(part: string, totals: ProcessTotals, nowMs: number) {
  const { process: last, requests, items, bytes } = totals;
  const ended = last?.isOver === false ? ('silent' as const) : ('over' as const);
  return {
    part,
    machine: last?.machine ?? null,
    pid: last?.pid ?? null,
    /** `silent`: it has neither ended by itself nor reported recently. */
    state: isAtWork(totals, nowMs) ? ('at-work' as const) : ended,
    /** When it last reported its numbers, by the clock of its machine, epoch milliseconds; `null` if not known. */
    toldAtMs: last?.atMs ?? null,
    requests,
    items,
    bytes,
    /** Requests of its last run that were too early; `null` while it runs. Anything but zero is a bug. */
    early: last?.early ?? null,
    /** Its phase at that time; `null` if not known. */
    phase: last?.phase ?? null,
    underway: last?.underway ?? 0,
  };
}

/** The open URLs when no process is working: each counts the whole queue when it ends, so the last one counts. */
function lastOpenOutcomes(all: readonly ProcessTotals[]): ProcessTotals['outcomes'] {
  const [last] = all.toSorted((a, b) => (b.process?.atMs ?? 0) - (a.process?.atMs ?? 0));
  return last?.process?.isOver === true ? splitOutcomes(last.outcomes).open : {};
}

function noCrawlError(reason: string, cause?: unknown): MannerlyError {
  return new MannerlyError('not-running', `the store holds no crawl: ${reason}`, {
    hint: 'Give the same URL as to the crawl, or its several in the same order, each with its ?crawl=<name> where it had one.',
    ...present({ cause }),
  });
}
