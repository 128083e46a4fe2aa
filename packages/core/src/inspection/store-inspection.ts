// Questions about a crawl whose frontier is on a server: what is done, which processes work on it, what is queued and
// why. It makes no request and changes nothing, also while the crawl runs.

import {
  createFrontier,
  type Frontier,
  type FrontierCounts,
  type FrontierStore,
  systemClock,
} from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { readJson } from '../json-record.js';
import { type CrawlTerms, TERMS_KEY } from '../options/crawl-terms.js';
import { sums } from '../report/added-numbers.js';
import { OutcomeCounts } from '../report/outcome-counts.js';
import { isAtWork, type ProcessTotals, readTotals, TOTALS_KEY } from '../run/crawl-totals.js';
import { asMannerlyError } from '../store-error.js';
import { type CrawlInspection, openInspection, readOnly } from './inspection.js';

/** One process of a crawl, under a name that the next one on the same directory continues; over all its runs. */
export interface ProcessReport extends Pick<ProcessTotals, 'requests' | 'items' | 'bytes'> {
  readonly part: string;
  readonly machine: string | null;
  readonly pid: number | null;
  /** `silent`: it has neither ended by itself nor reported lately. */
  readonly state: 'at-work' | 'over' | 'silent';
  /** When it reported its numbers last, by the clock of its machine, epoch milliseconds; `null`: not known. */
  readonly toldAtMs: number | null;
  /** Requests of its last run that were earlier than allowed; `null` while it runs. Zero, or it is a bug. */
  readonly early: number | null;
}

/** The numbers of a crawl on a server, all its processes together. `seeds`: some of them where there are very many. */
export interface StoreReport
  extends Pick<CrawlTerms, 'name' | 'tokens' | 'seeds' | 'seedCount' | 'createdAtMs'>,
    Omit<FrontierCounts, 'inFlight'>,
    Pick<ProcessTotals, 'requests' | 'items' | 'bytes' | 'outcomes'> {
  /** The bound that is used up; `null`: none. */
  readonly bound: 'pages' | 'minutes' | 'bytes' | null;
  readonly processes: readonly ProcessReport[];
}

/** A crawl on a server that is open for questions. The caller closes it. */
export interface StoreInspection extends CrawlInspection {
  report(): Promise<StoreReport>;
}

/**
 * Opens a crawl on a server for questions, by the settings of its processes. @param makeStore - Called twice.
 * @throws MannerlyError `not-running` where there is no crawl; `store-failed`.
 */
export async function inspectStore(makeStore: () => FrontierStore): Promise<StoreInspection> {
  const terms = await termsIn(makeStore());
  const store = makeStore();
  const inspection = await openInspection({ paths: null, store, settings: terms.settings, clock: systemClock() });
  const { frontier, ...questions } = inspection;
  if (frontier === null) throw noCrawl(inspection.whyLogsOnly ?? 'there is no frontier');
  return { ...questions, report: () => reportOf(frontier, terms) };
}

async function termsIn(store: FrontierStore): Promise<CrawlTerms> {
  const frontier = createFrontier({
    store: readOnly(store),
    robots: { tokens: ['mannerly'] },
    create: false,
    part: null,
  });
  try {
    await frontier.open();
    const terms = await readJson<CrawlTerms>(frontier, TERMS_KEY);
    if (terms === null) throw noCrawl('no process of it has begun');
    return terms;
  } catch (error) {
    const known = asMannerlyError(error, null);
    throw known instanceof MannerlyError || !(error instanceof Error) ? known : noCrawl(error.message, error);
  } finally {
    await frontier.close();
  }
}

async function reportOf(frontier: Frontier, terms: CrawlTerms): Promise<StoreReport> {
  const { name, tokens, seeds, seedCount, createdAtMs } = terms;
  const { pages, queued, known, hosts, runningMs } = frontier.counts();
  const parts = [...readTotals(await frontier.readParts(TOTALS_KEY))];
  const nowMs = Date.now();
  const outcomes = new OutcomeCounts();
  const processes = parts.map(([part, totals]): ProcessReport => {
    const { process: last, requests, items, bytes } = totals;
    outcomes.leftOut(totals.outcomes);
    const state = isAtWork(totals, nowMs) ? 'at-work' : last?.isOver === false ? 'silent' : 'over';
    const who = { machine: last?.machine ?? null, pid: last?.pid ?? null, toldAtMs: last?.atMs ?? null };
    return { part, ...who, state, requests, items, bytes, early: last?.early ?? null };
  });
  return {
    ...{ name, tokens, seeds, seedCount, createdAtMs },
    ...{ pages, queued, known, hosts, runningMs, bound: frontier.reachedBound() },
    ...sums(processes, 'requests', 'items', 'bytes'),
    outcomes: outcomes.outcomes(),
    processes,
  };
}

function noCrawl(why: string, cause?: unknown): MannerlyError {
  return new MannerlyError('not-running', `the store holds no crawl: ${why}`, {
    hint: 'Give the same URL as to the crawl, with its ?crawl=<name> where it had one.',
    ...(cause === undefined ? {} : { cause }),
  });
}
