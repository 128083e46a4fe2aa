// The result of a page, as a value: a decision with candidates for admission. It holds no part of the page. A page that
// a handler takes is opened in a browser, archived and handled (`pageResult`), and its items are written
// (`storedResult`). Also what a handler makes of an answer that is not a page.

import { type NewUrl, type PageWork, retryUrl, type Settlement } from '@mannerly/frontier';
import type { NearDuplicate } from '../admit/near-duplicates.js';
import type { ArchivedResponse } from '../archive/crawl-archive.js';
import { exchangeOf, headerValue, type ResponseOutcome } from '../fetch/outcome.js';
import type { UnchangedPage } from '../handle/handled-page.js';
import type { Handled } from '../handle/handler-pool.js';
import type { HandlerSignal } from '../handle/signals.js';
import type { PageOutcome } from '../journal/journal.js';
import { applyLicense } from '../licensing/licenses.js';
import { itemsOf } from '../output/items.js';
import type { Item } from '../output/sink.js';
import type { ItemsWithheld, PageExclusion } from '../page/exclusion.js';
import type { PageInCrawl } from '../page/page.js';
import { plural } from '../report/table.js';
import type { Run } from './run.js';
import { archivedPage } from './run-archive.js';

/** A page, and what is committed with its decision. */
export interface Decided {
  readonly kind: 'decided';
  readonly decision: PageOutcome;
  /** Links and the like, before admission. */
  readonly candidates: readonly NewUrl[];
  /** Written before the commit, after a tombstone of the page. The items of most pages are already written. */
  readonly items: readonly Item[];
}

/** The result of a piece of work: a decision about a page, or a settlement that only the frontier sees. */
export type WorkResult = Decided | Settlement;

export function decided(
  decision: PageOutcome,
  candidates: readonly NewUrl[] = [],
  items: readonly Item[] = [],
): Decided {
  return { kind: 'decided', decision, candidates, items };
}

/** A page that failed. */
export function failed(failure: Omit<PageOutcome, 'status' | 'isPage'>): Decided {
  return decided({ status: 'failed', ...failure, isPage: true });
}

/** The URL returns to the queue. */
export const RETURNED = { kind: 'returned', untilMs: null } as const satisfies Settlement;

const NOT_RENDERED = { kind: 'not-rendered' } as const;

/**
 * The result of a page that a handler takes.
 * @param fetchedPage - The page as received.
 * @param refused - The result if the `afterFetch` hook refused the page, which is then only archived; else `null`.
 */
export async function pageResult(
  run: Run,
  work: PageWork,
  outcome: ResponseOutcome,
  fetchedPage: PageInCrawl,
  refused: WorkResult | null,
): Promise<WorkResult> {
  const { status: httpStatus } = outcome;
  const rendering = (refused === null && (await run.render?.(work, outcome, fetchedPage))) || NOT_RENDERED;
  if (rendering.kind === 'stopped') return RETURNED;
  const page = rendering.kind === 'rendered' ? await run.reader.read(work, outcome, rendering) : fetchedPage;
  const license = await run.licenses.forPage(work, page, outcome.body);
  applyLicense(page, license);
  await run.knowledge.read(work, page);
  let record: ArchivedResponse | null = null;
  if (run.archive !== null) {
    const tdm = await run.companions.tdmFor(work.url);
    const archivePage = archivedPage(work, page, { tdm, license }, rendering, run.nowMs());
    record = await run.archive.writeExchange(outcome, archivePage, run.recrawl?.archiveMode(work));
  }
  if (refused !== null) return refused;
  if (rendering.kind === 'failed') {
    const detail = `${rendering.failure}: ${rendering.detail}`;
    return failed({ reason: 'render-failed', layer: 'page', httpStatus, detail });
  }
  if (run.fetchRequisites !== null) {
    run.readings?.pause(work.url);
    if ((await run.fetchRequisites(work, page)) === 'stopped') return RETURNED;
    run.readings?.resume(work.url);
  }
  const licenses = run.licenses.namedBy(page);
  const visit = await run.recrawl?.read(work, { page, sent: fetchedPage, outcome, record, licenses });
  if (visit !== undefined && visit.unchanged !== null) return unchanged(run, visit.unchanged, page.exclusion);
  const nearDuplicate = await run.knowledge.findNearDuplicate(page);
  page.similarTo = nearDuplicate?.similarTo ?? null;
  if (page.similarTo !== null && run.options.nearDuplicates === 'drop') {
    const decision = { status: 'dropped', reason: 'duplicate-text', layer: 'page', detail: page.similarTo } as const;
    return decided({ ...decision, ...similarityOf(run, nearDuplicate), httpStatus, isPage: true });
  }
  if (page.truncated === 'limit') run.setup.log?.truncated(page);
  const handled = await run.handlerPool.handle(page, visit?.change ?? null);
  if (handled.kind === 'stopped') return RETURNED;
  if (handled.kind === 'signal') return signalResult(run, work, outcome, handled.signal);
  if (handled.kind !== 'handled') return failedHandling(run, work, outcome, handled);
  return storedResult(run, work, page, handled, nearDuplicate);
}

/** A page that was handled. Its items go to the sinks, its links to admission. */
async function storedResult(
  run: Run,
  work: PageWork,
  page: PageInCrawl,
  { staged, route }: Extract<Handled, { kind: 'handled' }>,
  nearDuplicate: NearDuplicate | null,
): Promise<WorkResult> {
  const { journal } = run;
  const { status: httpStatus, exclusion } = page;
  if (run.options.feeds) await run.offer(run.sitemaps.feeds(page));
  const found = [...exclusion.links, ...staged.links];
  const candidates = run.recrawl?.knownPages.revisitGone(found) ?? found;
  const unchangedPage = (await run.recrawl?.compareItems(work, staged.data)) ?? null;
  if (unchangedPage !== null) return { ...(await unchanged(run, unchangedPage, exclusion)), candidates };
  const items = exclusion.storesItems ? itemsOf(work.lease.host, page, staged.data, staged.processed) : [];
  // A sink may wait for its server. If the process dies meanwhile, the page is not to blame.
  if (run.setup.sinks.length > 0) run.readings?.pause(work.url);
  if ((await run.items.write(items)) === 'stopped') return RETURNED;
  journal.items(items);
  journal.staged(work, page, staged);
  if (page.truncated === 'limit') run.totals.truncatedCount += 1;
  const decision: PageOutcome = exclusion.storesItems
    ? { status: 'fetched', reason: route === null ? 'no-handler' : 'fetched', layer: 'page', ...detailOf(page, route) }
    : withoutItems(httpStatus, exclusion);
  return decided({ httpStatus, isPage: true, ...decision, ...similarityOf(run, nearDuplicate) }, candidates);
}

/** The part of a page's decision that is about its text. */
function similarityOf({ knowledge }: Run, nearDuplicate: NearDuplicate | null) {
  if (nearDuplicate === null) return {};
  const { simhash, similarTo } = nearDuplicate;
  if (similarTo === null) return { simhash };
  knowledge.nearDuplicates?.count(similarTo);
  return { simhash, similarTo };
}

/** The detail for a page that no handler takes, or that limits cut. */
function detailOf({ kind, headers, truncated, linksDropped }: PageInCrawl, route: string | null): { detail?: string } {
  const details: string[] = [];
  if (route === null)
    details.push(`its bytes are ${kind}, and it is served as ${headerValue(headers, 'content-type') ?? 'nothing'}`);
  if (truncated === 'limit')
    details.push('the body was cut: it is longer than `network.maxBodyBytes`, or than its handler takes');
  if (linksDropped > 0) details.push(`${plural(linksDropped, 'link')} left out: the page has more than are read`);
  return details.length === 0 ? {} : { detail: details.join('; ') };
}

/** Items and links stay, unless the page now forbids keeping them. A 304 can forbid too, but allow nothing. */
export async function unchanged(run: Run, page: UnchangedPage, exclusion: PageExclusion): Promise<Decided> {
  const { status: httpStatus, url } = page;
  if (!exclusion.storesItems) return decided(withoutItems(httpStatus, exclusion));
  const thrown = await run.handlerPool.unchanged(page);
  if (thrown !== null) run.journal.handlerError(url, thrown.error);
  return decided({ status: 'fetched', reason: 'unchanged', layer: 'page', httpStatus, isPage: true });
}

/** The decision about a page whose items may not be kept. If a licence is not met, it is held (licensing C13). */
function withoutItems(httpStatus: number, { reason, detail }: ItemsWithheld): PageOutcome {
  const status = reason === 'license' ? 'held' : 'excluded';
  return { status, reason, layer: 'page', detail, httpStatus, isPage: true };
}

type FailedHandling = Exclude<Handled, { readonly kind: 'handled' | 'stopped' | 'signal' }>;

const HANDLING_FAILURES: Readonly<Record<FailedHandling['kind'], string>> = {
  threw: 'handler-error',
  'timed-out': 'handler-timeout',
  'user-data-invalid': 'user-data-invalid',
};

/** The handler threw, timed out or was not called. A handler that threw may be called once more, after a while. */
function failedHandling(
  { journal, options }: Run,
  { url, record }: PageWork,
  { status: httpStatus, timing }: ResponseOutcome,
  handled: FailedHandling,
): WorkResult {
  logFailure(journal, url, handled);
  const { handler, failureWaitsMs } = options.retries;
  const waitMs = failureWaitsMs[Math.min(record.tries, failureWaitsMs.length - 1)] ?? 0;
  if (handled.kind === 'threw' && record.tries < handler)
    return { kind: 'again', notBeforeMs: timing.endedAtMs + waitMs };
  return failed({ reason: HANDLING_FAILURES[handled.kind], layer: 'hook', httpStatus, detail: handled.detail });
}

function logFailure(journal: Run['journal'], url: string, handled: FailedHandling): void {
  const isInvalidUserData = handled.kind === 'user-data-invalid';
  const detail = isInvalidUserData
    ? `the user data does not fit the schema of the route: ${handled.detail}`
    : handled.detail;
  const error = handled.kind === 'threw' ? handled.error : detail;
  journal.handlerError(url, error, handled.kind === 'timed-out' ? 'handler-timeout' : 'handler-error');
}

/** The handler threw `RetryPage`, `RefusePage` or `StopCrawl`. Nothing that it staged is kept. */
function signalResult(run: Run, work: PageWork, outcome: ResponseOutcome, signal: HandlerSignal): WorkResult {
  const { status: httpStatus } = outcome;
  const { reason } = signal;
  run.journal.emit('handler-signal', { url: work.url, signal: signal.kind, reason });
  if (signal.kind === 'refuse') {
    const decision = { status: 'dropped', reason: 'handler-refused', layer: 'hook', httpStatus } as const;
    return decided({ ...decision, detail: reason, isPage: true });
  }
  if (signal.kind === 'stop') run.stop.requestFor(reason);
  // Retried as often as a failed answer, and counted with them, whatever the reasons.
  const failure = { ...exchangeOf(outcome), status: 500, retryAfter: null, failure: null };
  const retry = retryUrl(failure, work.record.tries, run.options.retries);
  if (retry.kind === 'again') {
    const afterMs = signal.kind === 'stop' ? 0 : signal.afterMs;
    return afterMs === null ? retry : { kind: 'again', notBeforeMs: outcome.timing.endedAtMs + afterMs };
  }
  const detail = `handler-${signal.kind}: ${reason}, ${plural(work.record.tries + 1, 'time')}`;
  return failed({ reason: 'retries-exhausted', layer: 'hook', httpStatus, detail });
}

/** The result of an answer that is not a page, such as a 404. Its URL has failed, whatever its handler makes of it. */
export async function answeredResult(
  run: Run,
  work: PageWork,
  outcome: ResponseOutcome,
  failure: Parameters<typeof failed>[0],
): Promise<WorkResult> {
  const result = failed(failure);
  if (!run.handlerPool.takesStatus(outcome.status)) return result;
  const page = await run.reader.read(work, outcome);
  applyLicense(page, await run.licenses.forPage(work, page, outcome.body));
  const handled = await run.handlerPool.handleStatus(page);
  if (handled.kind === 'stopped') return RETURNED;
  if (handled.kind === 'signal') return signalResult(run, work, outcome, handled.signal);
  if (handled.kind !== 'handled') {
    logFailure(run.journal, work.url, handled);
    return result;
  }
  const { staged } = handled;
  run.journal.staged(work, page, staged);
  const items = page.exclusion.storesItems ? itemsOf(work.lease.host, page, staged.data, staged.processed) : [];
  return decided(result.decision, staged.links, items);
}
