// One piece of work from its request to its settlement: hooks, the request, its result, and the commit to the frontier.

import { setImmediate } from 'node:timers/promises';
import type { NewUrl, PageWork, Work } from '@mannerly/frontier';
import { forbidsEveryPurpose } from '@mannerly/robots/page';
import type { Refusal } from '../admit/admit.js';
import type { ResponseHead } from '../fetch/fetcher.js';
import { conditionalFields, type EgressOutcome, exchangeOf, isRefusedByGuard, isSuccess } from '../fetch/outcome.js';
import { type LicenseAnswer, licenseText } from '../licensing/licenses.js';
import { MAX_SITEMAP_BYTES } from '../limits.js';
import { tombstone } from '../output/items.js';
import { exchangeResult, refusedByHook, robotsResult } from './exchange-result.js';
import { ADMISSION_BATCH_URLS, LONG_INTERVAL_MS } from './limits.js';
import { type Decided, decided, RETURNED, type WorkResult } from './page-result.js';
import type { Run } from './run.js';

/** The URL leaves the queue, because it is already decided. */
const ALREADY_DECIDED: WorkResult = { kind: 'done', countsAsPage: false, links: [] };

/** Performs a piece of work. The page and its candidates are released before the rest is committed. */
export async function performWork(run: Run, work: Work): Promise<void> {
  const result = await admittedResult(run, work);
  // Only pages have decisions.
  if (result.kind === 'admitted') await commit(run, work as PageWork, result);
  else await run.frontier.settle(work, result);
}

/** What waits for its commit. Few of a page's candidates are new. */
interface Admitted extends Pick<Decided, 'decision' | 'items'> {
  readonly kind: 'admitted';
  readonly links: readonly NewUrl[];
  readonly refused: readonly Refusal[];
}

async function admittedResult(run: Run, work: Work): Promise<Admitted | Exclude<WorkResult, Decided>> {
  const result = await resultOf(run, work);
  if (result.kind !== 'decided') return result;
  const { decision, items, candidates } = result;
  return { kind: 'admitted', decision, items, ...(await admitAll(run, candidates)) };
}

/** Commits the page with its links, then records the decision about it. */
async function commit(run: Run, work: PageWork, { decision, items, links, refused }: Admitted): Promise<void> {
  const { frontier, journal, recrawl, knowledge } = run;
  knowledge.nearDuplicates?.decided(work.url, decision);
  const removed = (await recrawl?.removalReason(work, decision)) ?? null;
  // Written before the visit is kept. A process that is killed in between writes it again, under the same id.
  const gone = { url: work.url, visit: work.record.visit ?? 0, fetchedAtMs: run.nowMs() };
  const written = removed === null ? items : [tombstone(work.lease.host, gone, removed), ...items];
  if ((await run.items.write(written)) === 'stopped') {
    await frontier.settle(work, RETURNED);
    return;
  }
  journal.items(written);
  const replaces = await recrawl?.recordDecision(work, decision);
  const answer = await frontier.settle(work, { kind: 'done', countsAsPage: decision.isPage === true, links });
  for (const refusal of refused) journal.refusal(refusal);
  // The lease was lost, to another process as a rule, which will fetch and report the page.
  if (answer !== 'ok') {
    run.hasLostPages = true;
    return;
  }
  const more = replaces === undefined ? {} : { replaces };
  journal.page(work, { queued: frontier.counts().queued, ...decision, ...more });
}

/** Splits candidates into admitted and refused ones. If there are thousands, other work gets turns in between. */
async function admitAll({ admit, journal }: Run, candidates: readonly NewUrl[]) {
  const links: NewUrl[] = [];
  const refused: Refusal[] = [];
  for (let at = 0; at < candidates.length; at += ADMISSION_BATCH_URLS) {
    if (at > 0) await setImmediate();
    const batch = admit(candidates.slice(at, at + ADMISSION_BATCH_URLS));
    journal.admitted(batch.admitted);
    journal.admitted(batch.known);
    links.push(...batch.admitted);
    refused.push(...batch.refused);
  }
  return { links, refused };
}

async function resultOf(run: Run, work: Work): Promise<WorkResult> {
  const earlyResult = work.kind === 'page' ? await resultBeforeRequest(run, work) : null;
  if (earlyResult !== null) return earlyResult;
  const conditions = await conditionsOf(run, work);
  if (conditions === null) return ALREADY_DECIDED;
  const { outcome, hadTurn } = await run.fetches.add(() => send(run, work, conditions));
  if (outcome.kind === 'not-sent') {
    if (outcome.exchange !== undefined) await run.archive?.writeExchange(outcome.exchange);
    return { kind: 'returned', untilMs: outcome.untilMs };
  }
  if (!hadTurn) await run.scheduler.next();
  // A stop counts neither as a try of the URL nor as a failed robots.txt.
  if (run.stop.signal.aborted && outcome.kind === 'failed' && outcome.failure === 'aborted') return RETURNED;
  return work.kind === 'robots' ? robotsResult(run, work, outcome) : exchangeResult(run, work, outcome);
}

/** Why a page is not requested, or not yet; `null`: it is. */
async function resultBeforeRequest(run: Run, work: PageWork): Promise<WorkResult | null> {
  // The page has already been decided, so no hook or rule is consulted again.
  if ((await run.recrawl?.isOver(work)) === true) return ALREADY_DECIDED;
  if (run.readings?.refuses(work.url) === true) {
    const detail = 'the process ended three times while this page was read or handled';
    return decided({ status: 'failed', reason: 'poison', layer: 'page', detail });
  }
  if (run.scope.denies(work.url)) return decided({ status: 'dropped', reason: 'scope-excluded', layer: 'scope' });
  if (work.record.via === 'companion') return run.sitemaps.isRead(work) ? ALREADY_DECIDED : null;
  const untilMs = run.signIn?.before(work) ?? (run.readsTdmRep ? await run.companions.waitsUntil(work.url) : null);
  if (untilMs !== null) return { kind: 'returned', untilMs, waits: 'authority' };
  if (forbidsEveryPurpose(work.signals.preferences, run.options.exclusion.page))
    return decided({ status: 'excluded', reason: 'robots-preferences', layer: 'robots' });
  const licensed = licenseResult(await run.licenses.before(work));
  if (licensed !== null) return licensed;
  const verdict = await run.hooks?.beforeFetch(work);
  return verdict == null ? null : refusedByHook(verdict, null);
}

/** A licence named by robots.txt forbids the request or is still loading; `null`: it does neither. */
function licenseResult(license: LicenseAnswer): WorkResult | null {
  if (license === null || license.effect === 'none') return null;
  if (license.effect === 'wait') return { kind: 'returned', untilMs: license.untilMs, waits: 'authority' };
  const decision =
    license.effect === 'held'
      ? ({ status: 'held', reason: 'license' } as const)
      : ({ status: 'excluded', reason: 'license-prohibits' } as const);
  return decided({ ...decision, layer: 'page', detail: licenseText(license) });
}

/** Sends the request in its host's slot, which is free at the last byte. @returns Also whether it had its turn. */
async function send(
  run: Run,
  work: Work,
  headers: Record<string, string>,
): Promise<{ readonly outcome: EgressOutcome; readonly hadTurn: boolean }> {
  const { egress, frontier, companions, handlerPool, scheduler, wakeup, stop } = run;
  const isPage = work.kind === 'page' && work.record.via !== 'companion';
  const purpose = isPage ? 'page' : work.kind === 'robots' ? 'robots' : companions.purposeOf(work);
  const endExchange = hasLongInterval(work) ? scheduler.exchangeStarted() : null;
  let hadTurn = false;
  // If a host waits long after each exchange, its body can be decoded in the page's turn without any loss.
  const beforeDecoding = (): Promise<void> => {
    endExchange?.();
    hadTurn = true;
    return scheduler.next();
  };
  /** The most bytes of a body that may go to a file, for a sitemap or as the page's handler says. `null`: memory. */
  const largeBody = ({ status, headers }: ResponseHead): number | null => {
    if (!isSuccess(status)) return null;
    if (purpose === 'sitemap') return MAX_SITEMAP_BYTES;
    return isPage ? handlerPool.bodyBytesFor(work.record.label, headers) : null;
  };
  const outcome = await egress.send({
    work,
    purpose,
    headers,
    beforeDecoding: work.kind === 'page' && endExchange !== null ? beforeDecoding : undefined,
    largeBody,
    signal: stop.signal,
  });
  endExchange?.();
  const exchange = outcome.kind === 'not-sent' ? outcome.exchange : outcome;
  if (exchange !== undefined && !isRefusedByGuard(exchange)) frontier.exchanged(work, exchangeOf(exchange));
  wakeup.wake();
  return { outcome, hadTurn };
}

/** Whether the host's next request comes long after this one: its rules say so, or its robots.txt is being read. */
function hasLongInterval({ kind, lease }: Work): boolean {
  const { crawlDelayMs, requestIntervalMs } = lease.requirements;
  return kind === 'robots' || Math.max(crawlDelayMs ?? 0, requestIntervalMs ?? 0) >= LONG_INTERVAL_MS;
}

/**
 * The headers that make a request conditional: for a robots.txt from its last good copy, for a page from its last
 * visit. `null`: a sitemap's visit was queued twice, and is already over.
 */
async function conditionsOf({ recrawl, sitemaps, archive }: Run, work: Work): Promise<Record<string, string> | null> {
  if (work.kind === 'page' && work.record.via !== 'companion') return recrawl === null ? {} : recrawl.prepare(work);
  const isVisit = recrawl !== null && work.kind === 'page' && sitemaps.isSitemap(work);
  const conditions =
    work.kind === 'robots' ? conditionalFields(work) : isVisit ? await recrawl.sitemaps.prepare(work) : {};
  // An archive must not hold a 304 that refers to nothing in it.
  return conditions !== null && archive?.hasPayloadOf(work.url) === false ? {} : conditions;
}
