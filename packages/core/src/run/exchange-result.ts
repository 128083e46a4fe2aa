// The result of an exchange, as a value that `perform-work.ts` commits to the frontier. A retry, a redirect or an error
// is decided here, and so is a robots.txt or a companion file. Such a file is retried and redirected as the same kind
// of file, and never goes to a handler. `page-result.ts` has the result of a page that does.

import { type NewUrl, type PageWork, type RobotsWork, retryUrl } from '@mannerly/frontier';
import type { HookVerdict } from '../crawl/hooks.js';
import {
  exchangeOf,
  type FailedOutcome,
  type FetchOutcome,
  headerValue,
  isRefusedByGuard,
  isSuccess,
  type ResponseOutcome,
  refusalOf,
  releaseBody,
  toRobotsAnswer,
} from '../fetch/outcome.js';
import { applyLicense } from '../licensing/licenses.js';
import { redirectTarget } from '../page/redirect.js';
import { present } from '../present.js';
import { plural } from '../report/table.js';
import { answeredResult, decided, failed, pageResult, RETURNED, unchanged, type WorkResult } from './page-result.js';
import type { Run } from './run.js';

export async function robotsResult(run: Run, work: RobotsWork, outcome: FetchOutcome): Promise<WorkResult> {
  // Before its rules are used, so that a copy of them exists even if the process is killed now.
  await run.journal.robots(work, outcome);
  await run.archive?.writeExchange(outcome);
  // Before the authority's pages are handed out, because the files that list them come first.
  await run.offer(run.sitemaps.fromRobots(work.authority, outcome));
  return outcome.kind === 'failed' && isRefusedByGuard(outcome)
    ? { kind: 'refused', reason: outcome.failure, detail: outcome.detail }
    : { kind: 'robots', answer: toRobotsAnswer(outcome) };
}

/** The result of a page or a companion file. Releases the body. */
export async function exchangeResult(run: Run, work: PageWork, outcome: FetchOutcome): Promise<WorkResult> {
  try {
    const resultOf = work.record.via === 'companion' ? companionResult : fetchedResult;
    if (run.readings === null) return await resultOf(run, work, outcome);
    return await run.readings.track(work.url, () => resultOf(run, work, outcome));
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

async function companionResult(run: Run, work: PageWork, outcome: FetchOutcome): Promise<WorkResult> {
  const retry = retryOf(run, work, outcome);
  run.companions.ended(work, retry?.kind === 'again' ? retry.notBeforeMs : null);
  if (retry?.kind === 'again') return retry;
  const sitemaps = run.sitemaps.isSitemap(work) ? run.recrawl?.sitemaps : undefined;
  if (outcome.kind === 'failed') {
    await sitemaps?.recordFailure(work);
    return unanswered(work, outcome, retry !== null);
  }
  const { status: httpStatus } = outcome;
  const redirect = redirectTarget(outcome);
  if (redirect.kind === 'to')
    return redirected(httpStatus, redirect, await run.companions.redirected(work, redirect.url));
  const refusal = refusalOf(outcome);
  if (refusal !== null) {
    // The refusal does not say what the file would say, so rights still count as reserved.
    await sitemaps?.recordFailure(work);
    return decided({ status: 'failed', ...refusal, layer: 'fetch', httpStatus });
  }
  const known = httpStatus === 304 ? await sitemaps?.notModified(work, outcome) : 'unconditional';
  if (known === 'mismatch') return { kind: 'again', notBeforeMs: outcome.timing.endedAtMs };
  // What it lists is known.
  if (known === 'known')
    return decided({ status: 'fetched', reason: 'sitemap', layer: 'fetch', detail: 'not modified', httpStatus });
  const { links, decision, frequency } = await run.companions.read(work, outcome, (finds) => {
    sitemaps?.addEntries(work, finds.candidates);
    return run.offer(finds);
  });
  await (decision.status === 'fetched'
    ? sitemaps?.read(work, outcome, frequency ?? null)
    : sitemaps?.recordFailure(work));
  return decided({ ...decision, httpStatus }, links);
}

async function fetchedResult(run: Run, work: PageWork, outcome: FetchOutcome): Promise<WorkResult> {
  const refusal = outcome.kind === 'response' ? refusalOf(outcome) : null;
  if (refusal !== null && outcome.kind === 'response')
    return failed({ ...refusal, layer: 'fetch', httpStatus: outcome.status });
  const isHandled = outcome.kind === 'response' && isForHandler(run, work, outcome);
  // Read in the page's turn, and not whenever a hook has answered.
  const page = isHandled ? await run.reader.read(work, outcome) : null;
  const verdict = await run.hooks?.afterFetch(work, outcome);
  const refused = verdict == null ? null : refusedByHook(verdict, outcome);
  if (isHandled && page !== null) return pageResult(run, work, outcome, page, refused);
  if (refused !== null) return refused;
  const retry = retryOf(run, work, outcome);
  if (retry?.kind === 'again') return retry;
  if (retry?.kind === 'exhausted') return exhaustedResult(run, work, outcome, retry.last);
  return outcome.kind === 'failed'
    ? unanswered(work, outcome, retry !== null)
    : ((await redirectResult(run, work, outcome)) ?? unhandledResult(run, work, outcome));
}

/** The last retry has failed too. */
function exhaustedResult(run: Run, work: PageWork, outcome: FetchOutcome, last: string) {
  const failureText = outcome.kind === 'failed' ? outcome.detail : `status ${outcome.status}`;
  const detail = `${last}${failureText === '' ? '' : `: ${failureText}`}, ${plural(work.record.tries + 1, 'time')}`;
  const failure = { reason: 'retries-exhausted', layer: 'fetch', detail } as const;
  return outcome.kind === 'failed'
    ? failed(failure)
    : answeredResult(run, work, outcome, { ...failure, httpStatus: outcome.status });
}

/** `null`: the answer is no redirect. */
async function redirectResult(run: Run, work: PageWork, outcome: ResponseOutcome): Promise<WorkResult | null> {
  const { status: httpStatus } = outcome;
  const redirect = redirectTarget(outcome);
  if (redirect.kind === 'none') return null;
  const invalid = { reason: 'redirect-invalid', layer: 'fetch', httpStatus } as const;
  if (redirect.kind === 'redirect-invalid') return failed({ ...invalid, detail: redirect.detail });
  // The target is known, so nothing would be requested, and nothing would say that the page is missing.
  if (redirect.url === work.url)
    return failed({ ...invalid, detail: 'it leads to itself; the site may require cookies' });
  await run.knowledge.redirected(work, redirect.url);
  const isVisitedSeparately = (await run.recrawl?.isKnown(work, redirect.url)) ?? false;
  return redirected(httpStatus, redirect, isVisitedSeparately ? null : redirectedUrl(work, redirect.url));
}

/** An answer without a page for a handler: a 304, an error, or content that no handler takes. */
async function unhandledResult(run: Run, work: PageWork, outcome: ResponseOutcome): Promise<WorkResult> {
  const { status: httpStatus } = outcome;
  const known = httpStatus === 304 ? ((await run.recrawl?.notModified(work, outcome)) ?? null) : null;
  // The 304 is about another document than the known one: request the URL once more, without conditions.
  if (known === 'mismatch') return { kind: 'again', notBeforeMs: outcome.timing.endedAtMs };
  if (known !== null && known !== 'unconditional') {
    const page = await run.reader.read(work, outcome);
    applyLicense(page, await run.licenses.forPage(work, page, outcome.body, run.recrawl?.licensesOf(work)));
    return unchanged(run, known, page.exclusion);
  }
  if (!isSuccess(httpStatus))
    return answeredResult(run, work, outcome, { reason: `status-${httpStatus}`, layer: 'fetch', httpStatus });
  // No handler takes this kind of content. The body was not read, and it does not count as a page.
  const detail = headerValue(outcome.headers, 'content-type') ?? '';
  return decided({ status: 'dropped', reason: 'unwanted', layer: 'page', httpStatus, detail });
}

/** Whether it is a page that a handler takes. */
function isForHandler({ handlerPool }: Run, { record }: PageWork, outcome: ResponseOutcome): boolean {
  if (!isSuccess(outcome.status) || outcome.truncated === 'connection') return false;
  return redirectTarget(outcome).kind === 'none' && handlerPool.bodyBytesFor(record.label, outcome.headers) !== 0;
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

/** Whether an exchange is retried; `null`: our own guard refused it, so the host was not requested. */
function retryOf({ options }: Run, work: PageWork, outcome: FetchOutcome): ReturnType<typeof retryUrl> | null {
  return isRefusedByGuard(outcome) ? null : retryUrl(exchangeOf(outcome), work.record.tries, options.retries);
}

/** No response was received. @param wasRequested - `false`: our own guard refused the request. */
function unanswered({ record }: PageWork, outcome: FailedOutcome, wasRequested: boolean): WorkResult {
  const { failure: reason, detail } = outcome;
  const status = wasRequested ? 'failed' : 'dropped';
  return decided({ status, reason, layer: 'fetch', detail, isPage: wasRequested && record.via !== 'companion' });
}

/** A target waits for the time that the answer names (access §10). @param target - `null`: it is not followed here. */
function redirected(
  httpStatus: number,
  { url: detail, notBeforeMs }: { readonly url: string; readonly notBeforeMs: number | null },
  target: NewUrl | null,
): WorkResult {
  const decision = { status: 'fetched', reason: 'redirect', layer: 'fetch', httpStatus, detail } as const;
  if (target === null) return decided(decision);
  return decided(decision, [notBeforeMs === null ? target : { ...target, notBeforeMs }]);
}

/** Redirect targets go before a host's other pages, since the redirecting URL has already been requested. */
const REDIRECT_PRIORITY = 1;

/** The target of a redirect as a new URL. Scope, bounds, robots, spacing and the address guard apply to every hop. */
function redirectedUrl({ url: from, record }: PageWork, url: string): NewUrl {
  const { depth, hops, label, userData, visit } = record;
  const carried = present({ label, userData, visit });
  return { url, depth, priority: REDIRECT_PRIORITY, via: 'redirect', from, hops: hops + 1, ...carried };
}
