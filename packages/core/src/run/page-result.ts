// The result of a page's exchange: a retry, a redirect or an error (`fetchedResult`), or a page that is read, opened in
// a browser, archived and handled (`handledResult`), and whose items are written (`storedResult`). The result is a
// value that `perform-work.ts` commits to the frontier. It holds no part of the page.

import type { NewUrl, PageWork } from '@mannerly/frontier';
import type { NearDuplicate } from '../admit/near-duplicates.js';
import type { ArchivedResponse } from '../archive/crawl-archive.js';
import type { HookVerdict } from '../crawl/hooks.js';
import { type FetchOutcome, headerValue, type ResponseOutcome, releaseBody } from '../fetch/outcome.js';
import { refusalOf } from '../fetch/refusal.js';
import type { UnchangedPage } from '../handle/handled-page.js';
import type { Handled } from '../handle/handler-pool.js';
import type { PageOutcome } from '../journal/journal.js';
import { applyLicense } from '../licensing/licenses.js';
import { itemsOf } from '../output/items.js';
import type { PageExclusion } from '../page/exclusion.js';
import type { PageInCrawl } from '../page/page.js';
import { redirectTarget } from '../page/redirect.js';
import { companionResult } from './companion-result.js';
import { answeredResult, failedHandling, signalResult } from './handler-result.js';
import type { Run } from './run.js';
import { archivedPage } from './run-archive.js';
import {
  type Decided,
  decided,
  failed,
  RETURNED,
  redirected,
  requestAgain,
  retryOf,
  unanswered,
  type WorkResult,
  withoutItems,
} from './work-result.js';

/** Redirect targets go before a host's other pages, since the redirecting URL has already been requested. */
const REDIRECT_PRIORITY = 1;

/** The result of a page or a companion file. Releases the body. */
export async function pageResult(run: Run, work: PageWork, outcome: FetchOutcome): Promise<WorkResult> {
  try {
    return await run.readings.track(work.url, () =>
      work.record.via === 'companion' ? companionResult(run, work, outcome) : fetchedResult(run, work, outcome),
    );
  } finally {
    try {
      // Archives what did not go to a handler; other pages are already in the archive.
      await run.archive?.writeExchange(outcome, null, run.recrawl?.archiveMode(work));
    } finally {
      if (outcome.kind === 'response') {
        releaseBody(outcome);
        await outcome.file?.remove();
      }
    }
  }
}

/** A hook refused the URL, before its request (`outcome` is `null`) or after. That is final. */
export function refusedByHook(verdict: NonNullable<HookVerdict>, outcome: FetchOutcome | null): WorkResult {
  if (verdict.kind === 'stopped') return RETURNED;
  const response = outcome?.kind === 'response' ? outcome : null;
  return decided({
    status: 'dropped',
    reason: 'hook-refused',
    layer: 'hook',
    ...(response === null ? {} : { httpStatus: response.status }),
    detail: verdict.detail,
    isPage: response !== null && redirectTarget(response).kind !== 'to',
  });
}

/** The `afterFetch` hook's refusal of the outcome; `null`: it passes. */
async function refusedByAfterFetch({ hooks }: Run, work: PageWork, outcome: FetchOutcome): Promise<WorkResult | null> {
  const verdict = await hooks?.afterFetch(work, outcome);
  return verdict == null ? null : refusedByHook(verdict, outcome);
}

async function fetchedResult(run: Run, work: PageWork, outcome: FetchOutcome): Promise<WorkResult> {
  const refusal = outcome.kind === 'response' ? refusalOf(outcome) : null;
  if (refusal !== null && outcome.kind === 'response')
    return failed({ ...refusal, layer: 'fetch', httpStatus: outcome.status });
  if (!isForHandler(outcome)) {
    const refused = await refusedByAfterFetch(run, work, outcome);
    if (refused !== null) return refused;
  }
  const retry = retryOf(run, work, outcome);
  if (retry?.kind === 'again') return requestAgain(retry.notBeforeMs);
  if (retry?.kind === 'exhausted') {
    const failureText = outcome.kind === 'failed' ? outcome.detail : `status ${outcome.status}`;
    const detail = `${retry.last}${failureText === '' ? '' : `: ${failureText}`}, ${work.record.tries + 1} times`;
    const failure = { reason: 'retries-exhausted', layer: 'fetch', detail } as const;
    return outcome.kind === 'failed'
      ? failed(failure)
      : answeredResult(run, work, outcome, { ...failure, httpStatus: outcome.status });
  }
  if (outcome.kind === 'failed') return unanswered(work, outcome, retry !== null);
  const { status: httpStatus } = outcome;
  const redirect = redirectTarget(outcome);
  // The target is known, so nothing would be requested, and nothing would say that the page is missing.
  if (redirect.kind === 'to' && redirect.url === work.url) {
    const detail = 'it leads to itself; the site may require cookies';
    return failed({ reason: 'redirect-invalid', layer: 'fetch', httpStatus, detail });
  }
  if (redirect.kind === 'to') {
    await run.knowledge.redirected(work, redirect.url);
    const isVisitedSeparately = (await run.recrawl?.isKnown(work, redirect.url)) ?? false;
    return redirected(httpStatus, redirect, isVisitedSeparately ? null : redirectedUrl(work, redirect.url));
  }
  if (redirect.kind === 'redirect-invalid') {
    const { kind: reason, detail } = redirect;
    return failed({ reason, layer: 'fetch', httpStatus, detail });
  }
  const revalidation =
    httpStatus === 304 ? ((await run.recrawl?.notModified(work, outcome)) ?? 'unconditional') : 'unconditional';
  // The 304 is about another document than the known one: request the URL once more, without conditions.
  if (revalidation === 'mismatch') return requestAgain(outcome.timing.endedAtMs);
  if (revalidation !== 'unconditional') {
    const page = await run.reader.read(work, outcome);
    applyLicense(page, await run.licenses.forPage(work, page, outcome.body));
    return unchanged(run, revalidation, page.exclusion);
  }
  if (httpStatus < 200 || httpStatus > 299) {
    return answeredResult(run, work, outcome, { reason: `status-${httpStatus}`, layer: 'fetch', httpStatus });
  }
  return run.handlerPool.wants(work.record.label, outcome.headers)
    ? handledResult(run, work, outcome)
    : unwantedResult(run, work, outcome);
}

/** No handler takes this kind of content. The body was not read, and it does not count as a page. */
async function unwantedResult(run: Run, work: PageWork, outcome: ResponseOutcome): Promise<WorkResult> {
  const refused = await refusedByAfterFetch(run, work, outcome);
  if (refused !== null) return refused;
  const detail = headerValue(outcome.headers, 'content-type') ?? '';
  return decided({ status: 'dropped', reason: 'unwanted', layer: 'page', httpStatus: outcome.status, detail });
}

/** The target of a redirect as a new URL. Scope, bounds, robots, spacing and the address guard apply to every hop. */
function redirectedUrl(work: PageWork, url: string): NewUrl {
  const { depth, hops, label, userData, visit } = work.record;
  return {
    url,
    depth,
    priority: REDIRECT_PRIORITY,
    via: 'redirect',
    from: work.url,
    hops: hops + 1,
    ...(label === null ? {} : { label }),
    ...(userData === null ? {} : { userData }),
    ...(visit === undefined ? {} : { visit }),
  };
}

const NOT_RENDERED = { kind: 'not-rendered' } as const;

/** A page that was fetched: it is read, opened in a browser if wanted, archived and handled. */
async function handledResult(run: Run, work: PageWork, outcome: ResponseOutcome): Promise<WorkResult> {
  const { status: httpStatus } = outcome;
  const fetchedPage = await run.reader.read(work, outcome);
  const refused = await refusedByAfterFetch(run, work, outcome);
  // Before a browser sends more requests for the page.
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
  const { fetchRequisites } = run;
  if (fetchRequisites !== null) {
    const fetched = await run.readings.untracked(work.url, () => fetchRequisites(work, page));
    if (fetched === 'stopped') return RETURNED;
  }
  const visit = await run.recrawl?.read(work, { page, sent: fetchedPage, outcome, record });
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

/** The part of a page's decision that is about its text. */
function similarityOf(
  { knowledge }: Run,
  nearDuplicate: NearDuplicate | null,
): Pick<PageOutcome, 'simhash' | 'similarTo'> {
  if (nearDuplicate === null) return {};
  const { simhash, similarTo } = nearDuplicate;
  if (similarTo === null) return { simhash };
  knowledge.nearDuplicates?.count(similarTo);
  return { simhash, similarTo };
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
  const write = () => run.items.write(items);
  // A sink may wait for its server. If the process dies meanwhile, the page is not to blame.
  const written = run.setup.sinks.length === 0 ? write() : run.readings.untracked(work.url, write);
  if ((await written) === 'stopped') return RETURNED;
  journal.items(items);
  journal.staged(work, page, staged);
  if (page.truncated === 'limit') run.totals.truncatedCount += 1;
  const decision: PageOutcome = exclusion.storesItems
    ? { status: 'fetched', reason: route === null ? 'no-handler' : 'fetched', layer: 'page', ...detailOf(page, route) }
    : withoutItems(httpStatus, exclusion);
  return decided({ httpStatus, isPage: true, ...decision, ...similarityOf(run, nearDuplicate) }, candidates);
}

/**
 * A known page that has not changed: its items and links stay, unless the page now forbids keeping them. A 304 can
 * forbid this too, but nothing that it leaves out becomes allowed.
 */
async function unchanged(run: Run, page: UnchangedPage, exclusion: PageExclusion): Promise<Decided> {
  const { status: httpStatus, url } = page;
  if (!exclusion.storesItems) return decided(withoutItems(httpStatus, exclusion));
  const thrown = await run.handlerPool.unchanged(page);
  if (thrown !== null) run.journal.handlerError(url, thrown.error);
  return decided({ status: 'fetched', reason: 'unchanged', layer: 'page', httpStatus, isPage: true });
}

/** The detail for a page that no handler takes, or that limits cut. */
function detailOf(
  { kind, headers, truncated, linksDropped }: PageInCrawl,
  route: string | null,
): { readonly detail?: string } {
  const details: string[] = [];
  if (route === null)
    details.push(`its bytes are ${kind}, and it is served as ${headerValue(headers, 'content-type') ?? 'nothing'}`);
  if (truncated === 'limit')
    details.push('the body was cut: it is longer than `network.maxBodyBytes`, or than its handler takes');
  if (linksDropped > 0) details.push(`${linksDropped} links left out: the page has more than are read`);
  return details.length === 0 ? {} : { detail: details.join('; ') };
}

/** Whether a handler may get the page. */
function isForHandler(outcome: FetchOutcome): outcome is ResponseOutcome {
  return (
    outcome.kind === 'response' && outcome.status >= 200 && outcome.status <= 299 && outcome.truncated !== 'connection'
  );
}
