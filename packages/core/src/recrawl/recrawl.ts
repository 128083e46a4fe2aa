// The steps of a visit, as one run sees them: what is known about a page before its request, what the answer says about
// it, and what is kept for the next visit. It is one file because each step completes what the one before began.

import type { JsonValue, PageWork } from '@mannerly/frontier';
import type { ArchivedResponse } from '../archive/crawl-archive.js';
import { type HeaderLines, matchesTag, type ResponseOutcome } from '../fetch/outcome.js';
import type { PageChange, UnchangedPage } from '../handle/handled-page.js';
import type { Journal } from '../journal/journal.js';
import type { FetchedPage } from '../page/page.js';
import { present } from '../present.js';
import type { RecrawlCounts } from '../report/crawl-report.js';
import { afterChange, afterUnchanged, FIRST_ESTIMATE } from './change-estimate.js';
import {
  conditionsOf,
  freshUntilMs,
  NO_VALIDATORS,
  validatorsAfter,
  validatorsAfterMismatch,
  validatorsOf,
} from './conditions.js';
import {
  type Claim,
  changeAgeDays,
  createLastmodTrust,
  createValidatorTrust,
  type LastmodTrust,
  type ValidatorTrust,
} from './host-trust.js';
import { KnownPages } from './known-pages.js';
import {
  type ArchiveMode,
  archivedPlace,
  archiveMode,
  BegunVisits,
  decodeVisit,
  earlierDigests,
  failedAttempt,
  firstAttempt,
  isAlternating,
  isRevisitNumber,
  lastAttemptMs,
  type OriginalFinder,
  type PageVisit,
  unchangedPage,
  visitKey,
  withOneMoreRevisit,
} from './page-visit.js';
import type { ResolvedRecrawlOptions } from './recrawl-options.js';
import { SitemapVisits } from './sitemap-visits.js';
import { digestOf, isSameText, jsonDigest, payloadDigest } from './text-digest.js';
import { type Decided, lastDecision, UnrequestedVisits } from './unrequested-visits.js';
import { type AnsweredDecision, daysSince, missingAfter, movedTo, type VisitStore } from './visit-choice.js';

/** A page in flight: what was known, and what will be known once it is settled. */
interface InFlight {
  /** `null`: it was never fetched. */
  readonly before: PageVisit | null;
  /** The same as stored, without its group's expectation, and also if it was only attempted. */
  readonly stored: PageVisit | null;
  /** Whether a recrawl visits it. Otherwise a handler requested the visit, and gets the page whatever its changes. */
  readonly isRevisit: boolean;
  /** The conditions sent; `isProbe`: none were sent, to check whether the validators are honest. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly isProbe: boolean;
  readonly archiveMode: ArchiveMode;
  /** What sitemaps and feeds say about it. */
  readonly claim: Claim | null;
  after: PageVisit | null;
  /** Counted when the visit is kept. `cosmetic`: its body has changed, but nothing that counts. */
  found: 'notModified' | 'sameContent' | 'cosmetic' | 'changed' | null;
  /** The received page, until its items show whether it has changed. */
  received: ReceivedPage | null;
}

interface ReceivedPage {
  readonly page: FetchedPage;
  /** Before a browser opened it; the page itself if none did. */
  readonly sent: FetchedPage;
  readonly outcome: ResponseOutcome;
  readonly record: ArchivedResponse | null;
  /** The documents that the response names as its licences. */
  readonly licenses: readonly string[];
}

interface Comparison {
  readonly unchanged: UnchangedPage | null;
  /** For its handler; `null`: nothing is known. */
  readonly change: PageChange | null;
}

const UNREAD = { after: null, found: null, received: null };
const NOT_COMPARED: Comparison = { unchanged: null, change: null };

interface RecrawlingRun {
  readonly frontier: VisitStore;
  /** Where exchanges are kept, after `open`; `null`: nowhere. */
  readonly archive: OriginalFinder | null;
  readonly journal: Pick<Journal, 'warning' | 'codeError'>;
  readonly nowMs: () => number;
}

/** The visits of one run. Promises reject with what the store throws. */
export class Recrawl {
  readonly #store: VisitStore;
  readonly #options: ResolvedRecrawlOptions;
  readonly #run: RecrawlingRun;
  readonly #sentAs: (url: string) => string;
  readonly #trust: ValidatorTrust;
  readonly #lastmodTrust: LastmodTrust;
  readonly sitemaps: SitemapVisits;
  readonly knownPages: KnownPages;
  readonly unrequested: UnrequestedVisits;
  readonly #begun = new BegunVisits();
  readonly #inFlight = new WeakMap<PageWork, InFlight>();
  readonly #counts = { visits: 0, notModified: 0, sameContent: 0, cosmetic: 0, changed: 0, gone: 0, bytesSaved: 0 };

  /** @param sentAs - What the request for a URL accepts, and under which name. */
  constructor(run: RecrawlingRun, options: ResolvedRecrawlOptions, sentAs: (url: string) => string) {
    const { frontier: store, journal, nowMs } = run;
    const { trustFreshnessDays, verify } = options;
    const warn = journal.warning.bind(journal);
    this.#store = store;
    this.#options = options;
    this.#run = run;
    this.#sentAs = sentAs;
    this.#trust = createValidatorTrust(store, verify, warn);
    this.#lastmodTrust = createLastmodTrust(store);
    this.sitemaps = new SitemapVisits(store, { sentAs, trustFreshnessDays, nowMs, warn });
    const { sitemaps } = this;
    this.knownPages = new KnownPages({ store, options, sitemaps, lastmodTrust: this.#lastmodTrust, nowMs });
    this.unrequested = new UnrequestedVisits(store, this.knownPages, nowMs);
  }

  counts(): RecrawlCounts {
    return { ...this.#counts, ...this.knownPages.counts() };
  }

  async close(): Promise<void> {
    await this.unrequested.close();
    await this.#trust.close();
    await this.knownPages.close();
  }

  /** Reads what is known about a page. @returns Whether the visit is already over, because it was queued twice. */
  async isOver({ url, record: { visit = 0 } }: PageWork): Promise<boolean> {
    const stored = visit === 0 ? null : decodeVisit(await this.#store.readRecord(visitKey(url)));
    return stored !== null && this.#begun.isOver(url, visit, stored.againAs, lastAttemptMs(stored), this.#run.nowMs());
  }

  /** @returns The conditions of its request. */
  async prepare(work: PageWork): Promise<Record<string, string>> {
    const stored = decodeVisit(await this.#store.readRecord(visitKey(work.url)));
    const before = stored === null || stored.visits === 0 ? null : this.knownPages.priors.withExpectedEstimate(stored);
    const nowMs = this.#run.nowMs();
    const { visit = 0 } = work.record;
    // A killed process stored this visit and did not settle it. A page that had changed still has links to add.
    const isUnsettled = this.#options.change !== 'items' && before?.againAs === visit && before.reason === 'unchanged';
    const isRevisit = stored !== null && (isUnsettled || isRevisitNumber(visit, lastAttemptMs(stored), nowMs));
    const visited = isRevisit ? before : null;
    const possibleConditions =
      visited !== null && this.#isHandled(visited) ? conditionsOf(visited, this.#sentAs(work.url)) : {};
    const mode = await archiveMode(this.#run.archive, before, Object.keys(possibleConditions).length > 0, {
      nowMs,
      maxChain: this.#options.maxChain,
      onLost: (file) =>
        this.#run.journal.warning('revisit-without-original', work.url, `${file} does not hold it any more`, nowMs),
    });
    const allowedConditions = mode.original === null ? {} : possibleConditions;
    const { conditions, isProbe } = await this.#trust.selectConditions(work.url, allowedConditions, nowMs);
    if (visited !== null) await this.sitemaps.readDates();
    const claim = visited && (await this.#lastmodTrust.claim(work.url, this.sitemaps.dates, visited.atMs, nowMs));
    this.#inFlight.set(work, { before, stored, isRevisit, conditions, isProbe, archiveMode: mode, claim, ...UNREAD });
    return conditions;
  }

  /** Whether a known page redirects to another known page, which is visited when it is worth it. */
  async isKnown(work: PageWork, target: string): Promise<boolean> {
    const isRevisit = this.#inFlight.get(work)?.isRevisit ?? false;
    return isRevisit && (await this.#store.readRecord(visitKey(target))) !== null;
  }

  /** How the exchange of a page is archived; `undefined`: the visit is not kept. */
  archiveMode(work: PageWork): ArchiveMode | undefined {
    return this.#inFlight.get(work)?.archiveMode;
  }

  /** The documents that the last whole response of a page named as its licences. */
  licensesOf(work: PageWork): readonly string[] {
    return this.#inFlight.get(work)?.before?.licenses ?? [];
  }

  /**
   * A 304 was received. Returns the page: it is unchanged. `mismatch`: it is about another document, and the next
   * request has no conditions. `unconditional`: no conditions were sent, so it means nothing.
   */
  async notModified(
    work: PageWork,
    { headers, timing }: ResponseOutcome,
  ): Promise<UnchangedPage | 'mismatch' | 'unconditional'> {
    const flight = this.#inFlight.get(work);
    const before = flight?.before ?? null;
    if (flight === undefined || before === null || Object.keys(flight.conditions).length === 0) return 'unconditional';
    if (!matchesTag(headers, flight.conditions['if-none-match'] ?? null)) {
      await this.knownPages.write({ ...before, ...validatorsAfterMismatch(timing.endedAtMs) });
      return 'mismatch';
    }
    flight.found = 'notModified';
    const { archived = null } = before;
    flight.after = {
      ...this.#unchanged(before, timing.endedAtMs, headers),
      ...validatorsAfter(before, headers, timing.endedAtMs),
      archived: archived !== null && this.#run.archive !== null ? withOneMoreRevisit(archived) : archived,
    };
    return unchangedPage(before, flight.after, 304);
  }

  /**
   * A page was received. Returns whether it is unchanged, so that its handler has already seen it, or how it has
   * changed. If its items count as its content, neither is known before `compareItems`.
   */
  async read(work: PageWork, received: ReceivedPage): Promise<Comparison> {
    const flight = this.#inFlight.get(work);
    if (flight === undefined) return NOT_COMPARED;
    const { change } = this.#options;
    if (change === 'items') {
      flight.received = received;
      return NOT_COMPARED;
    }
    let digest: string | null = null;
    try {
      digest = received.outcome.file === undefined ? await digestOf(received.page, change) : null;
    } catch (thrown) {
      if (typeof change !== 'function') throw thrown;
      this.#run.journal.codeError(thrown, { code: 'handler-error', url: work.url });
    }
    return this.#compare(work, flight, received, digest);
  }

  /** The handler has ended. @returns The page if its items count as its content and are unchanged. */
  async compareItems(work: PageWork, data: readonly JsonValue[]): Promise<UnchangedPage | null> {
    const flight = this.#inFlight.get(work);
    if (flight === undefined || flight.received === null) return null;
    return (await this.#compare(work, flight, flight.received, jsonDigest(data))).unchanged;
  }

  async #compare(
    { record: { url, depth, from, label, userData } }: PageWork,
    flight: InFlight,
    { page, sent, outcome, record, licenses }: ReceivedPage,
    digest: string | null,
  ): Promise<Comparison> {
    const { status: httpStatus, headers, body, file, truncated, timing } = outcome;
    const { before, isProbe, isRevisit } = flight;
    const { change, trustFreshnessDays, version } = this.#options;
    const atMs = timing.endedAtMs;
    const same = this.#sameVisit(before, digest, url, atMs);
    // Items that were removed are written again with the page, even if it is unchanged.
    const isUnchanged = same !== null && same.isRemoved !== true && this.#isHandled(same);
    if (before !== null && before.digest !== null && digest !== null)
      await this.#trust.addComparison(before, { headers, isProbe, hasChanged: same === null, atMs });
    const base = same === null ? await this.#changed(flight, headers, atMs) : this.#unchanged(same, atMs, headers);
    const payload = file === undefined && change !== 'payload' ? payloadDigest(body) : undefined;
    const after: PageVisit = {
      ...base,
      ...{ url, depth, from, label, userData, digest, kind: page.kind, version: version ?? undefined },
      ...earlierDigests(before, digest),
      ...(payload === undefined ? {} : { payload }),
      // Until it is decided.
      ...{ status: 'fetched', reason: 'fetched' },
      // Validators are about the document, not about a page that a browser also built from other requests.
      ...(truncated === null && (await isSameText(sent, page)) ? validatorsOf(headers, before, atMs) : NO_VALIDATORS),
      archived: record === null ? null : archivedPlace(record, before, timing.startedAtMs),
      freshUntilMs: freshUntilMs(headers, atMs, trustFreshnessDays),
      licenses: licenses.length === 0 ? undefined : licenses,
      sentAs: this.#sentAs(url),
      bytes: file?.bytes ?? body.length,
    };
    flight.after = after;
    if (isRevisit && before !== null) {
      const isCosmetic = isUnchanged && before.payload !== undefined && before.payload !== payload;
      flight.found = isCosmetic ? 'cosmetic' : same === null ? 'changed' : 'sameContent';
    }
    if (isUnchanged && isRevisit) return { unchanged: unchangedPage(same, after, httpStatus), change: null };
    const kind = before === null ? 'new' : isUnchanged ? 'unchanged' : 'changed';
    const lastVisit = { lastVisitMs: before?.atMs ?? null, lastDigest: before?.digest ?? null };
    return { unchanged: null, change: { kind, ...lastVisit, digest } };
  }

  /** The last visit if it had the same content. A page that alternates between two contents counts as the same. */
  #sameVisit(before: PageVisit | null, digest: string | null, url: string, atMs: number): PageVisit | null {
    if (before === null) return null;
    const isFlapping = isAlternating(before, digest);
    if (isFlapping) this.#run.journal.warning('change-flapping', url, `${url} alternates between two contents`, atMs);
    return isFlapping || (digest !== null && digest === before.digest) ? before : null;
  }

  /** Why a page's items may no longer be kept: `gone`, or what now excludes them. `null`: nothing has changed. */
  async removalReason(work: PageWork, decision: AnsweredDecision): Promise<string | null> {
    const before = this.#inFlight.get(work)?.before ?? (await this.unrequested.visitBefore(work.url, decision));
    if (before === null || before.isRemoved === true) return null;
    if (decision.status === 'excluded') return decision.reason;
    if (movedTo(decision) !== null) return 'moved';
    return missingAfter(before, decision.httpStatus) === 2 ? 'gone' : null;
  }

  /**
   * The page is decided. Stored before it is settled: a process that is killed in between visits it again.
   * @returns The decision of its last visit, if that counted as more than a failure.
   */
  async recordDecision(work: PageWork, decision: AnsweredDecision): Promise<Decided | undefined> {
    const { status, reason } = decision;
    const flight = this.#inFlight.get(work);
    this.#inFlight.delete(work);
    const tried = { ...work.record, url: work.url };
    if (flight === undefined) {
      return work.record.via === 'companion'
        ? this.sitemaps.earlierDecision(work)
        : this.unrequested.unrequested(tried, decision);
    }
    this.knownPages.takeLastDecision(work.url);
    const { before, stored, isRevisit, after } = flight;
    const decided = { ...(isRevisit ? present({ againAs: work.record.visit }) : {}), status, reason };
    // While a licence holds a page, its last visit before that is remembered, since those items are still kept.
    const isVisit = status === 'fetched' || status === 'excluded' || (status === 'held' && before === null);
    // A later recrawl tries a page that has failed, and follows a seed or a redirect for now to where it leads by then.
    const isFollowed = reason === 'redirect' && (work.record.depth === 0 || movedTo(decision) === null);
    if (after !== null && isVisit)
      await this.#writeVisit(work.url, flight, { ...after, ...decided, isRemoved: status !== 'fetched' });
    else {
      const nowMs = this.#run.nowMs();
      const attempted = before ?? stored ?? (status === 'failed' || isFollowed ? firstAttempt(tried, nowMs) : null);
      if (attempted !== null) await this.#writeAttempt(flight, { ...attempted, ...decided }, decision, nowMs);
    }
    return isRevisit ? lastDecision(stored) : undefined;
  }

  /** A visit with a result. */
  async #writeVisit(url: string, { before, stored, claim, found }: InFlight, visit: PageVisit): Promise<void> {
    await this.knownPages.write({ ...visit, triedAtMs: undefined, failures: undefined });
    this.knownPages.updateCopy(stored);
    if (before === null || found === null) return;
    this.knownPages.priors.add(before, -1);
    this.knownPages.priors.add(visit);
    if (claim !== null) await this.#lastmodTrust.addComparison(url, claim, found === 'changed');
    this.#counts.visits += 1;
    this.#counts[found] += 1;
    if (found === 'cosmetic') this.#counts.sameContent += 1;
    if (found === 'notModified') this.#counts.bytesSaved += before.bytes;
  }

  /** An attempt without one: a failure, or a redirect. */
  async #writeAttempt(
    { before, stored }: InFlight,
    attempted: PageVisit,
    decision: AnsweredDecision,
    nowMs: number,
  ): Promise<void> {
    const { status, reason, httpStatus } = decision;
    const target = movedTo(decision);
    const isFoundRedirect = reason === 'redirect' && target === null && before === null && attempted.depth > 0;
    if (target !== null && before !== null) await this.knownPages.move(before, target);
    const missing = target === null ? missingAfter(attempted, httpStatus) : 2;
    await this.knownPages.write({
      ...attempted,
      // A site that requires other conditions, or refuses ours, gets none (RFC 9110 13.1, RFC 6585 3).
      ...(httpStatus === 412 || httpStatus === 428 ? NO_VALIDATORS : {}),
      // Nothing is learned from a failure: the next observation counts from the last visit with a result.
      ...(status === 'failed' || isFoundRedirect
        ? failedAttempt(attempted, nowMs)
        : { atMs: nowMs, triedAtMs: undefined, failures: undefined }),
      visits: before === null ? 0 : before.visits + 1,
      missing,
      ...(missing === 2 ? { isRemoved: true } : {}),
    });
    if (before === null) return;
    if (missing > 1) this.knownPages.updateCopy(stored, true);
    this.#counts.visits += 1;
    if (missing === 2 && before.missing < 2 && target === null) this.#counts.gone += 1;
  }

  /** Whether these handlers have handled it; others need the page again. */
  #isHandled({ version }: PageVisit): boolean {
    return version === (this.#options.version ?? undefined);
  }

  #unchanged(before: PageVisit, atMs: number, headers: HeaderLines): PageVisit {
    const estimate = afterUnchanged(before.estimate, daysSince(before, atMs));
    const freshUntil = freshUntilMs(headers, atMs, this.#options.trustFreshnessDays);
    return { ...before, atMs, estimate, visits: before.visits + 1, missing: 0, freshUntilMs: freshUntil };
  }

  async #changed(
    { before, claim }: InFlight,
    headers: HeaderLines,
    atMs: number,
  ): Promise<Pick<PageVisit, 'atMs' | 'changedAtMs' | 'estimate' | 'visits' | 'changes' | 'missing'>> {
    if (before === null)
      return { atMs, changedAtMs: atMs, estimate: FIRST_ESTIMATE, visits: 1, changes: 0, missing: 0 };
    const sinceDays = daysSince(before, atMs);
    const ageDays =
      changeAgeDays(claim, before.atMs, atMs) ?? (await this.#trust.changeAgeDays(before.url, headers, sinceDays));
    const estimate = afterChange(before.estimate, sinceDays, ageDays);
    return { atMs, changedAtMs: atMs, estimate, visits: before.visits + 1, changes: before.changes + 1, missing: 0 };
  }
}
