// What the exchange of a robots.txt or of a file next to it leads to. Such a file is retried and redirected as what it
// is, and never goes to a handler.

import type { PageWork, RobotsWork } from '@mannerly/frontier';
import { type FetchOutcome, isRefusedByGuard, toRobotsAnswer } from '../fetch/outcome.js';
import { refusalOf } from '../fetch/refusal.js';
import { redirectTarget } from '../page/redirect.js';
import type { Run } from './run.js';
import { decided, failedResult, redirectResult, retryOf, settled, type WorkResult } from './work-result.js';

export async function robotsResult(run: Run, work: RobotsWork, outcome: FetchOutcome): Promise<WorkResult> {
  // Before its rules are used: a process that is killed now leaves a copy of them.
  await run.journal.robots(work, outcome);
  await run.archive?.keep(outcome);
  // Before the authority's pages are handed out: the files that list them come first.
  await run.offer(run.sitemaps.named(work.authority, outcome));
  const refused = outcome.kind === 'failed' && isRefusedByGuard(outcome) ? outcome.failure : null;
  return settled(
    refused === null ? { kind: 'robots', answer: toRobotsAnswer(outcome) } : { kind: 'refused', reason: refused },
  );
}

/** The result of a companion file. The caller releases the body. */
export async function companionResult(run: Run, work: PageWork, outcome: FetchOutcome): Promise<WorkResult> {
  const retry = retryOf(run, work, outcome);
  if (retry?.kind === 'again') return settled({ kind: 'again', notBeforeMs: retry.notBeforeMs });
  const sitemaps = run.sitemaps.isSitemap(work) ? run.recrawl?.sitemaps : undefined;
  if (outcome.kind === 'failed') {
    await sitemaps?.failed(work);
    return failedResult(run, work, outcome, retry !== null);
  }
  const { status: httpStatus } = outcome;
  const redirect = redirectTarget(outcome);
  if (redirect.kind === 'to') {
    const target = await run.companions.redirected(work, redirect.url);
    return redirectResult(run, work, httpStatus, redirect.url, target);
  }
  const refusal = refusalOf(outcome);
  if (refusal !== null) {
    // It says nothing of what the file would say: rights still count as reserved.
    await sitemaps?.failed(work);
    return decided(run, work, { status: 'failed', ...refusal, layer: 'fetch', httpStatus, isPage: false });
  }
  const known = httpStatus === 304 ? ((await sitemaps?.notModified(work, outcome)) ?? 'unasked') : 'unasked';
  if (known === 'mismatch') return settled({ kind: 'again', notBeforeMs: outcome.timing.endedAtMs });
  if (known === 'known') return decided(run, work, { ...NOT_MODIFIED, httpStatus, isPage: false });
  const {
    links,
    decision,
    rhythm = null,
  } = await run.companions.read(work, outcome, (finds) => {
    sitemaps?.listed(work, finds.candidates);
    return run.offer(finds);
  });
  await (decision.status === 'fetched' ? sitemaps?.read(work, outcome, rhythm) : sitemaps?.failed(work));
  return decided(run, work, { ...decision, httpStatus, isPage: false }, links);
}

/** A sitemap or feed: what it lists is known. */
const NOT_MODIFIED = { status: 'fetched', reason: 'sitemap', layer: 'fetch', detail: 'not modified' } as const;
