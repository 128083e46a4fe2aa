// The result of an exchange for a robots.txt or a companion file. Such a file is retried and redirected as the same
// kind of file, and never goes to a handler.

import type { PageWork, RobotsWork } from '@mannerly/frontier';
import { type FetchOutcome, isRefusedByGuard, toRobotsAnswer } from '../fetch/outcome.js';
import { refusalOf } from '../fetch/refusal.js';
import { redirectTarget } from '../page/redirect.js';
import type { Run } from './run.js';
import { decided, redirected, requestAgain, retryOf, settled, unanswered, type WorkResult } from './work-result.js';

export async function robotsResult(run: Run, work: RobotsWork, outcome: FetchOutcome): Promise<WorkResult> {
  // Before its rules are used, so that a copy of them exists even if the process is killed now.
  await run.journal.robots(work, outcome);
  await run.archive?.writeExchange(outcome);
  // Before the authority's pages are handed out, because the files that list them come first.
  await run.offer(run.sitemaps.fromRobots(work.authority, outcome));
  return settled(
    outcome.kind === 'failed' && isRefusedByGuard(outcome)
      ? { kind: 'refused', reason: outcome.failure }
      : { kind: 'robots', answer: toRobotsAnswer(outcome) },
  );
}

/** The result of a companion file. The caller releases the body. */
export async function companionResult(run: Run, work: PageWork, outcome: FetchOutcome): Promise<WorkResult> {
  const retry = retryOf(run, work, outcome);
  if (retry?.kind === 'again') return requestAgain(retry.notBeforeMs);
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
  const revalidation =
    httpStatus === 304 ? ((await sitemaps?.notModified(work, outcome)) ?? 'unconditional') : 'unconditional';
  if (revalidation === 'mismatch') return requestAgain(outcome.timing.endedAtMs);
  if (revalidation === 'known') return decided({ ...NOT_MODIFIED, httpStatus });
  const { links, decision, frequency } = await run.companions.read(work, outcome, (finds) => {
    sitemaps?.addEntries(work, finds.candidates);
    return run.offer(finds);
  });
  await (decision.status === 'fetched'
    ? sitemaps?.read(work, outcome, frequency ?? null)
    : sitemaps?.recordFailure(work));
  return decided({ ...decision, httpStatus }, links);
}

/** A sitemap or feed that has not changed: what it lists is known. */
const NOT_MODIFIED = { status: 'fetched', reason: 'sitemap', layer: 'fetch', detail: 'not modified' } as const;
