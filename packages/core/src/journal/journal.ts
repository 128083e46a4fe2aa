// Collects the facts of a run: every request, decision and warning passes here once, and goes to the event listeners,
// the logs of the crawl directory and the counts of the report. It ensures that each URL gets one decision per run.

import type {
  AddAnswer,
  FrontierEvent,
  HostWait,
  HostWarning,
  NewUrl,
  PageWork,
  RobotsWork,
  UrlRecord,
  UrlVerdict,
} from '@mannerly/frontier';
import { createRecentSet, parseUrlParts, requestedUrl } from '@mannerly/frontier/internal';
import type { Refusal } from '../admit/admit.js';
import { type FetchOutcome, isSuccess } from '../fetch/outcome.js';
import type { RejectedItem, SkippedLink, Staged } from '../handle/staged.js';
import { keepLatest } from '../keep-latest.js';
import type { Item } from '../output/sink.js';
import type { DatasetFound } from '../page/datasets.js';
import type { FetchedPage } from '../page/page.js';
import type { NotFetched } from '../page/page-fetch.js';
import { redacted } from '../redacted.js';
import { type CodeError, type CodeErrorContext, codeErrorOf } from '../report/code-error.js';
import type { HostClockReading, OutcomeTable, RequestRecord, UrlDecision } from '../report/decision.js';
import { isRetryable, reasonOf } from '../report/reasons.js';
import type { CrawlEmitter, CrawlEventMap } from './events.js';
import { MAX_DECIDED_URLS, MAX_UNDECIDED_REQUESTS } from './limits.js';
import type { PendingDecisions } from './pending-decisions.js';

/** The decision about a requested page. */
export interface PageOutcome
  extends Pick<UrlDecision, 'status' | 'reason' | 'layer' | 'queued' | 'replaces' | 'simhash' | 'similarTo'> {
  readonly httpStatus?: number;
  readonly detail?: string;
  /** Whether it counts against `bounds.pages`. */
  readonly isPage?: boolean;
}

/** Why a URL is still queued: its host waits until `untilMs`, or the run has ended. */
interface HeldReason extends Pick<HostWait, 'host' | 'untilMs'> {
  readonly reason: string;
}

/** Receives the facts of a run: a log, or a count. `run.ts` lists all of them where it creates the journal. */
export interface JournalListener {
  request?(record: RequestRecord): void;
  /** Called before `decision` if there was no request. Returns the earlier decision about a known page. */
  unrequested?(url: NewUrl | UrlRecord, decision: UrlDecision): UrlDecision['replaces'];
  decision?(decision: UrlDecision): void;
  /** Counts of URLs that are decided together, without individual decisions. */
  leftOut?(counts: OutcomeTable): void;
  warning?(warning: HostWarning): void;
  dataset?(found: DatasetFound): void;
  error?(error: CodeError, thrown: unknown): void;
  robots?(authority: string, body: Uint8Array): Promise<void>;
  items?(items: readonly Item[]): void;
  /** `count` includes the items of the page that are not listed. */
  rejected?(items: readonly RejectedItem[], count: number): void;
}

export class Journal {
  readonly #emitter: CrawlEmitter;
  readonly #nowMs: () => number;
  readonly #listeners: JournalListener[];
  readonly #decided = createRecentSet(MAX_DECIDED_URLS);
  /** URLs that robots.txt excluded: it may allow them later, and they may be found again. */
  readonly #exclusions = new Map<string, NonNullable<UrlDecision['replaces']>>();
  readonly #pending: PendingDecisions;
  /** The host clock at the last request for each page that has no decision yet. */
  readonly #hostClocks = new Map<string, HostClockReading>();

  constructor(emitter: CrawlEmitter, listeners: JournalListener[], pending: PendingDecisions, nowMs: () => number) {
    this.#emitter = emitter;
    this.#pending = pending;
    this.#listeners = [...listeners];
    this.#nowMs = nowMs;
  }

  /** Emits an event that is neither logged nor counted. */
  emit<K extends keyof CrawlEventMap>(name: K, event: CrawlEventMap[K]): void {
    this.#emitter.emit(name, event);
  }

  addListener(listener: JournalListener): void {
    this.#listeners.push(listener);
  }

  request(record: RequestRecord): void {
    const { url, purpose, host, startedAtMs, gapMs, crawlDelayMs, requestIntervalMs } = record;
    if (!WITHOUT_DECISION.has(purpose)) {
      const clock = { host, startedAtMs, gapMs, crawlDelayMs, requestIntervalMs, untilMs: null };
      keepLatest(this.#hostClocks, url, clock, MAX_UNDECIDED_REQUESTS);
    }
    for (const listener of this.#listeners) listener.request?.(record);
    this.#emitter.emit('request', record);
  }

  page(work: PageWork, outcome: PageOutcome): void {
    if (isCompanionHop(work.record)) return;
    const clock = this.#hostClocks.get(work.url);
    this.#hostClocks.delete(work.url);
    this.#decide(fromPage(work, outcome, this.#nowMs(), clock));
  }

  /** These URLs go on to the frontier, so pending decisions about them are dropped. */
  admitted(candidates: readonly NewUrl[]): void {
    for (const { url } of candidates) this.#pending.delete(url);
  }

  /** A candidate that was not admitted. It is reported once per URL. */
  refusal({ candidate, reason, detail }: Refusal): void {
    // Another path to the same URL may be shorter, or begin outside the trap.
    const isPending = reason === 'bound-depth' || reason === 'redirect-limit' || reason === 'trap';
    if (!isPending && !this.#decided.add(candidate.url)) return;
    const decision = this.#dropped(candidate, reason, DROPPING_LAYERS[reason] ?? 'scope', detail);
    if (isPending) this.#deferDecision(decision);
    else this.#decideUnrequested(candidate, decision);
  }

  /** The frontier's answer to an offered URL. The frontier itself reports which links of pages it drops. */
  added(url: NewUrl, answer: AddAnswer): void {
    if (answer.kind === 'full') this.#deferDecision(this.#dropped(url, 'frontier-full', 'frontier'));
    if (answer.kind === 'dropped') this.#decide(this.#dropped(url, answer.reason, 'frontier'));
  }

  /** Links that a page does not want followed. They are reported at the end, unless another link led to them. */
  skippedLinks({ url: from, record }: PageWork, links: readonly SkippedLink[]): void {
    const [depth, atMs] = [record.depth + 1, this.#nowMs()];
    for (const { url, reason } of links) {
      const status = reason === 'unwanted' ? 'dropped' : 'excluded';
      this.#deferDecision(createDecision({ url, status, reason, layer: 'page', depth, from, atMs }));
    }
  }

  /** What a handler staged besides items and links. */
  staged(work: PageWork, { exclusion }: Pick<FetchedPage, 'exclusion'>, staged: Staged): void {
    // Rejected items are kept only where items may be kept.
    if (staged.rejectedCount > 0 && exclusion.storesItems) {
      for (const listener of this.#listeners) listener.rejected?.(staged.rejected, staged.rejectedCount);
      for (const item of staged.rejected) this.emit('item-rejected', item);
    }
    this.skippedLinks(work, staged.skipped);
    for (const url of staged.nofollow) this.emit('nofollow-overridden', { url, from: work.url });
  }

  /** A file that a page needs but did not get. It is reported at the end, unless another link led to it. */
  notLoaded({ url: from, record }: PageWork, notFetched: NotFetched, detail: string): void {
    const { kind: status, url, reason } = notFetched;
    const layer = reasonOf(reason)?.layer ?? 'frontier';
    const { line, pattern, dialect } = notFetched.kind === 'excluded' ? notFetched : NO_RULE;
    const known = { url, status, reason, layer, line, pattern, dialect, depth: record.depth, from };
    this.#deferDecision(createDecision({ ...known, atMs: this.#nowMs(), detail }));
  }

  /** Resolves when a copy of the robots.txt is stored: requests rely only on rules that can be read again. */
  async robots({ authority }: RobotsWork, outcome: FetchOutcome): Promise<void> {
    if (outcome.kind === 'failed' || outcome.truncated === 'connection' || !isSuccess(outcome.status)) return;
    for (const listener of this.#listeners) await listener.robots?.(authority, outcome.body);
  }

  /** Items that every sink has written. */
  items(items: readonly Item[]): void {
    for (const listener of this.#listeners) listener.items?.(items);
    for (const item of items) this.#emitter.emit('item', item);
  }

  /** The user's own code threw, or took too long. */
  codeError(thrown: unknown, context: Omit<CodeErrorContext, 'atMs'>): void {
    const error = codeErrorOf(thrown, { ...context, atMs: this.#nowMs() });
    for (const listener of this.#listeners) listener.error?.(error, thrown);
  }

  /** A handler threw, took too long, or continued after its end. */
  handlerError(url: string, error: unknown, code: 'handler-error' | 'handler-timeout' = 'handler-error'): void {
    this.codeError(error, { code, url });
    this.emit('handler-error', { url, error });
  }

  /** A hook, or `scope.allows`, threw or returned an invalid answer. */
  hookError(hook: string, url: string, error: unknown): void {
    this.codeError(error, { code: 'hook-error', url, hook });
    this.emit('hook-error', { hook, url, error });
  }

  dataset(found: DatasetFound): void {
    for (const listener of this.#listeners) listener.dataset?.(found);
    this.#emitter.emit('dataset', found);
  }

  /** Events of the frontier: verdicts become decisions, warnings stay warnings. */
  frontierEvent(event: FrontierEvent): void {
    if (event.kind === 'host') {
      for (const listener of this.#listeners) listener.warning?.(event);
      this.#emitter.emit('host-warning', event);
      return;
    }
    if (event.record !== null && isCompanionHop(event.record)) return;
    // The queue may have space when another page links to it again.
    if (event.reason === 'frontier-full') this.#deferDecision(fromVerdict(event));
    // The frontier does not keep what it drops, so every page may offer it again.
    else if (event.status !== 'dropped' || !this.#decided.has(event.url))
      this.#decideUnrequested(event.record, fromVerdict(event));
  }

  /** A warning about a host from a page or its answer. */
  warning(code: HostWarning['code'], url: string, detail: string, atMs = this.#nowMs()): void {
    const host = new URL(url).hostname;
    this.frontierEvent({ kind: 'host', code, host, authority: null, untilMs: null, detail, atMs });
  }

  /** @param atMs - When it was queued, not after another process's decision. @returns Whether it gets a decision. */
  held(record: UrlRecord, { host, reason, untilMs }: HeldReason, atMs: number): boolean {
    if (isCompanionHop(record)) return false;
    const { url, depth, from } = record;
    const detail = untilMs === null ? null : `until ${new Date(untilMs).toISOString()}`;
    const layer = reasonOf(reason)?.layer ?? 'frontier';
    const decision = createDecision({ url, status: 'held', reason, layer, depth, from, atMs, detail });
    decision.clock = { host, startedAtMs: null, gapMs: null, crawlDelayMs: null, requestIntervalMs: null, untilMs };
    this.#decide(decision);
    return true;
  }

  /** URLs that are still queued, too many for individual decisions. */
  heldCounts(counts: Readonly<Record<string, number>>): void {
    for (const listener of this.#listeners) listener.leftOut?.({ held: counts });
  }

  /** Reports the decisions that were pending until the end of the run. */
  end(): void {
    for (const decision of this.#pending.end()) this.#decide(decision);
  }

  #dropped({ url, depth, from }: NewUrl, reason: string, layer: UrlDecision['layer'], detail?: string | null) {
    const known = { url, status: 'dropped', reason, layer, depth, from: from ?? null } as const;
    return createDecision({ ...known, atMs: this.#nowMs(), detail: detail ?? null });
  }

  #decide(found: UrlDecision): void {
    const { url, status, reason, layer } = found;
    const exclusion = this.#exclusions.get(url);
    this.#exclusions.delete(url);
    if (status === 'excluded' && layer === 'robots')
      keepLatest(this.#exclusions, url, { status, reason }, MAX_DECIDED_URLS);
    // A URL counts once: its decision after robots.txt allows it replaces the exclusion.
    const decision =
      exclusion === undefined || found.replaces !== undefined ? found : { ...found, replaces: exclusion };
    this.#decided.add(url);
    for (const listener of this.#listeners) listener.decision?.(decision);
    // After the line of the decision: a kill in between reports it twice, but loses none.
    this.#pending.delete(url);
    this.#emitter.emit('decision', decision);
  }

  /** Keeps the first decision about a URL. A further link to a decided URL adds nothing. */
  #deferDecision(decision: UrlDecision): void {
    if (this.#decided.has(decision.url)) return;
    const oldest = this.#pending.add(decision);
    if (oldest !== null) this.#decide(oldest);
  }

  #decideUnrequested(url: NewUrl | UrlRecord | null, decision: UrlDecision): void {
    let replaces: UrlDecision['replaces'];
    if (url !== null && url.via !== 'companion')
      for (const listener of this.#listeners) replaces ??= listener.unrequested?.(url, decision);
    this.#decide(replaces === undefined ? decision : { ...decision, replaces });
  }
}

/** Requests whose URLs get no decision of their own. */
const WITHOUT_DECISION = new Set(['robots', 'handler', 'subresource', 'requisite', 'license', 'login']);

/** Whether this is a redirect target of a companion file. The decision is about the file as first requested. */
function isCompanionHop({ via, hops }: UrlRecord): boolean {
  return via === 'companion' && hops > 0;
}

/** The decision about a requested page. Optional fields are set one by one: V8 is slow to copy and extend it. */
function fromPage(
  { url, record, decision, robots }: PageWork,
  outcome: PageOutcome,
  atMs: number,
  clock: HostClockReading | undefined,
): UrlDecision {
  const { line, pattern, dialect } = decision;
  const { depth, from } = record;
  const { status, reason, layer, httpStatus = null, detail = null } = outcome;
  const { queued, isPage, replaces, simhash, similarTo } = outcome;
  const known = { url, status, reason, layer, httpStatus, line, pattern, dialect, robots, depth, from, atMs, detail };
  const page = createDecision(known);
  if (queued !== undefined) page.queued = queued;
  if (isPage === true) page.isPage = isPage;
  if (replaces !== undefined) page.replaces = replaces;
  if (simhash !== undefined) page.simhash = simhash;
  if (similarTo !== undefined) page.similarTo = similarTo;
  if (isRetryable(page)) page.carried = carriedData(record);
  if (clock !== undefined) page.clock = clock;
  return page;
}

/** The layer that drops for a reason; `undefined`: the one that reports it. */
const DROPPING_LAYERS: Readonly<Record<string, UrlDecision['layer'] | undefined>> = {
  trap: 'scope',
  'out-of-scope': 'scope',
  'scope-excluded': 'scope',
  'hook-refused': 'hook',
  'bound-depth': 'bounds',
  'redirect-limit': 'bounds',
};

function fromVerdict(verdict: UrlVerdict): UrlDecision {
  const { url, status, reason, line, pattern, dialect, robots, record, atMs, detail } = verdict;
  const { depth = null, from = null } = record ?? {};
  const layer = status === 'excluded' ? 'robots' : (DROPPING_LAYERS[reason] ?? 'frontier');
  const known = { url, status, reason, layer, line, pattern, dialect, robots, depth, from, atMs, detail };
  const decision = createDecision(known);
  // The frontier itself ends a page that was returned too often.
  if (reason === 'retries-exhausted') decision.isPage = true;
  if (isRetryable(decision) && record !== null) decision.carried = carriedData(record);
  return decision;
}

const NO_RULE = { line: null, pattern: null, dialect: null };

/** A decision with every field, written out because links are decided by the million. */
function createDecision(
  known: Pick<UrlDecision, 'url' | 'status' | 'reason' | 'layer' | 'depth' | 'from' | 'atMs'> & Partial<UrlDecision>,
): { -readonly [Name in keyof UrlDecision]: UrlDecision[Name] } {
  // A refused URL is logged as it would have been requested. A text that cannot be parsed is redacted.
  const parts = known.url.includes('@') ? parseUrlParts(known.url) : undefined;
  const url = parts == null ? (parts === null ? redacted(known.url) : known.url) : requestedUrl(parts);
  return {
    url,
    host: /^[a-z]+:\/\/(\[[^\]]*\]|[^/?#:]+)/.exec(url)?.[1] ?? null,
    status: known.status,
    reason: known.reason,
    layer: known.layer,
    httpStatus: known.httpStatus ?? null,
    line: known.line ?? null,
    pattern: known.pattern ?? null,
    dialect: known.dialect ?? null,
    robots: known.robots ?? null,
    depth: known.depth,
    from: known.from,
    atMs: known.atMs,
    detail: known.detail ?? null,
  };
}

/** What a failure keeps for a retry. */
function carriedData({ via, label, userData }: UrlRecord): NonNullable<UrlDecision['carried']> {
  return { via, ...(label === null ? {} : { label }), ...(userData === null ? {} : { userData }) };
}
