// One piece of work from its request to its settlement: hooks, the request, its result, and the commit to the frontier.

import type { PageWork, Work } from '@mannerly/frontier';
import type { ResponseHead } from '../fetch/fetcher.js';
import {
  conditionalFields,
  type EgressOutcome,
  exchangeOf,
  type FetchOutcome,
  isRefusedByGuard,
} from '../fetch/outcome.js';
import { type LicenseAnswer, licenseText } from '../licensing/licenses.js';
import { MAX_SITEMAP_BYTES } from '../limits.js';
import { tombstone } from '../output/items.js';
import type { Item } from '../output/sink.js';
import { robotsResult } from './companion-result.js';
import { LONG_INTERVAL_MS } from './limits.js';
import { pageResult, refusedByHook } from './page-result.js';
import type { Run } from './run.js';
import { decided, OVER, RETURNED, settled, type WorkResult } from './work-result.js';

/** Performs a piece of work. Pages are large, so that one is released before the commit of its result. */
export async function performWork(run: Run, work: Work): Promise<void> {
  const { frontier, journal } = run;
  const result = await resultOf(run, work);
  if (result.kind === 'settlement') {
    await frontier.settle(work, result.settlement);
    return;
  }
  // One commit with the page's links, then the decision about it.
  const { decision, links, refused } = result;
  const removed = run.recrawl?.removal(result.work, decision) ?? null;
  const tombstones = removed === null ? [] : [tombstoneOf(run, result.work, removed)];
  const written = [...tombstones, ...(result.items ?? [])];
  if ((await run.items.write(written)) === 'stopped') {
    await frontier.settle(work, { kind: 'returned', untilMs: null });
    return;
  }
  journal.items(written);
  const replaces = await run.recrawl?.ended(result.work, decision);
  const answer = await frontier.settle(result.work, { kind: 'done', countsAsPage: decision.isPage, links });
  for (const refusal of refused) journal.refusal(refusal);
  // Lost: another process holds the host by now. It will fetch and report the page.
  if (answer === 'ok') {
    const more = replaces === undefined ? {} : { replaces };
    journal.page(result.work, { queued: frontier.counts().queued, ...decision, ...more });
  }
}

/** Written before the visit is kept: a process that is killed in between says so once more, under the same id. */
function tombstoneOf(run: Run, { lease, url, record }: PageWork, why: string): Item {
  return tombstone(lease.host, { url, visit: record.visit ?? 0, fetchedAtMs: run.nowMs() }, why);
}

async function resultOf(run: Run, work: Work): Promise<WorkResult> {
  // Its page has been decided: no hook or rule is asked once more.
  if (work.kind === 'page' && (await run.recrawl?.isOver(work)) === true) return OVER;
  if (work.kind === 'page' && run.readings.refuses(work.url)) return poisonResult(run, work);
  if (work.kind === 'page' && run.scope.denies(work.url)) {
    return decided(run, work, { status: 'dropped', reason: 'scope-excluded', layer: 'scope', isPage: false });
  }
  if (work.kind === 'page' && work.record.via !== 'companion') {
    const untilMs = run.signIn?.before(work) ?? null;
    if (untilMs !== null) return settled({ kind: 'returned', untilMs, waits: 'authority' });
    const licensed = licenseResult(run, work, await run.licenses.before(work));
    if (licensed !== null) return licensed;
    const verdict = await run.hooks.beforeFetch(work);
    if (verdict !== null) return refusedByHook(run, work, verdict, null);
  }
  const conditions = await conditionsOf(run, work);
  if (conditions === null) return OVER;
  const { outcome, hadTurn } = await run.fetches.add(() => send(run, work, conditions));
  if (outcome.kind === 'not-sent') {
    if (outcome.exchange !== undefined) await run.archive?.keep(outcome.exchange);
    return settled({ kind: 'returned', untilMs: outcome.untilMs });
  }
  if (!hadTurn) await run.scheduler.next();
  if (isAborted(run, outcome)) return RETURNED;
  return work.kind === 'robots' ? robotsResult(run, work, outcome) : pageResult(run, work, outcome);
}

/** The process died twice while the page was read: it is not requested any more. */
function poisonResult(run: Run, work: PageWork): WorkResult {
  const detail = 'the process ended twice while this page was read or handled';
  return decided(run, work, { status: 'failed', reason: 'poison', layer: 'page', detail, isPage: false });
}

/** A licence that robots.txt names keeps a page from being requested, or is on its way; `null`: it does not. */
function licenseResult(run: Run, work: PageWork, license: LicenseAnswer): WorkResult | null {
  if (license === null || license.effect === 'none') return null;
  if (license.effect === 'wait') return settled({ kind: 'returned', untilMs: license.untilMs, waits: 'authority' });
  const word =
    license.effect === 'held'
      ? ({ status: 'held', reason: 'license' } as const)
      : ({ status: 'excluded', reason: 'license-prohibits' } as const);
  return decided(run, work, { ...word, layer: 'page', detail: licenseText(license), isPage: false });
}

/** A stop aborted the exchange: that is no try of the URL, and nothing that robots.txt failed to answer. */
function isAborted({ stop }: Run, outcome: FetchOutcome): boolean {
  return stop.signal.aborted && outcome.kind === 'failed' && outcome.failure === 'aborted';
}

/** The request, in its host's slot, which is free again at the last byte. @returns Also whether it had its turn. */
async function send(
  run: Run,
  work: Work,
  headers: Record<string, string>,
): Promise<{ readonly outcome: EgressOutcome; readonly hadTurn: boolean }> {
  const { egress, frontier, companions, scheduler, wakeup, stop } = run;
  const exchangeOver = countsFromEnd(work) ? scheduler.exchangeStarted() : null;
  let hadTurn = false;
  // A host that waits long after each exchange loses nothing when its body is decoded in the page's turn.
  const beforeDecoding = (): Promise<void> => {
    exchangeOver?.();
    hadTurn = true;
    return scheduler.next();
  };
  const outcome = await egress.send({
    url: work.url,
    purpose: work.kind === 'robots' ? 'robots' : companions.purposeOf(work),
    largeBody: (head) => largeBody(run, work, head),
    headers,
    host: work.lease.host,
    requirements: work.lease.requirements,
    beforeDecoding: work.kind === 'page' && exchangeOver !== null ? beforeDecoding : undefined,
    mayConnect: (address) => frontier.mayConnect(work, address),
    mayStart: () => frontier.mayStart(work),
    signal: stop.signal,
    ...(work.kind === 'robots' ? { robotsOf: work.authority } : { robots: work.robots }),
  });
  exchangeOver?.();
  const came = outcome.kind === 'not-sent' ? outcome.exchange : outcome;
  if (came !== undefined && !isRefusedByGuard(came)) frontier.exchanged(work, exchangeOf(came));
  wakeup.wake();
  return { outcome, hadTurn };
}

/** Whether the host's next request comes long after this one: its rules say so, or its robots.txt is still read. */
function countsFromEnd({ kind, lease: { requirements } }: Work): boolean {
  return (
    kind === 'robots' ||
    Math.max(requirements.crawlDelayMs ?? 0, requirements.requestIntervalMs ?? 0) >= LONG_INTERVAL_MS
  );
}

/** Bytes of a body that may go to a file: a sitemap's, or as the page's handler says. `null`: it is kept in memory. */
function largeBody({ companions, handlers }: Run, work: Work, { status, headers }: ResponseHead): number | null {
  if (work.kind === 'robots' || status < 200 || status > 299) return null;
  const purpose = companions.purposeOf(work);
  if (purpose === 'sitemap') return MAX_SITEMAP_BYTES;
  if (purpose !== 'page') return null;
  return handlers.wants(work.record.label, headers) ? handlers.bodyBytesFor(work.record.label, headers) : 0;
}

/**
 * What makes a request conditional: of a robots.txt its last good copy, of a page its last visit. `null`: the visit of
 * a sitemap was queued twice, and is over.
 */
async function conditionsOf({ recrawl, sitemaps, archive }: Run, work: Work): Promise<Record<string, string> | null> {
  if (work.kind === 'page' && work.record.via !== 'companion') return recrawl === null ? {} : recrawl.before(work);
  const isVisit = recrawl !== null && work.kind === 'page' && sitemaps.isSitemap(work);
  const conditions =
    work.kind === 'robots' ? conditionalFields(work) : isVisit ? await recrawl.sitemaps.before(work) : {};
  // An archive holds no answer 304 to nothing.
  return conditions !== null && archive?.knows(work.url) === false ? {} : conditions;
}
