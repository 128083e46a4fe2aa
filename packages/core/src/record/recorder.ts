// Where the facts of a run come together: every request, final word and notice passes here once,
// and goes to the listeners, the logs of the crawl directory and the ledger of the report.

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
import { createRecentSet } from '@mannerly/frontier/internal';
import type { Refusal } from '../admit/admit.js';
import type { ScopeMove } from '../admit/scope.js';
import type { TrapFinding } from '../admit/trap-options.js';
import type { FetchOutcome } from '../fetch/outcome.js';
import type { RejectedItem } from '../handle/rejected-item.js';
import type { LeftAloneLink } from '../handle/staged.js';
import type { HandlerSignal } from '../handle/words.js';
import type { Item } from '../output/sink.js';
import type { DatasetFound } from '../page/datasets.js';
import type { NotFetched } from '../page/own-fetch.js';
import type { RequestRecord, UrlDecision } from '../report/decision.js';
import type { CrawlEmitter } from './events.js';
import { createHostClocks } from './host-clocks.js';
import { createLeftAlone } from './left-alone.js';
import { MAX_LEFT_ALONE, MAX_TOLD_URLS } from './limits.js';
import {
  fromDrop,
  fromHeld,
  fromLeftAlone,
  fromPage,
  fromRefusal,
  fromSubresource,
  fromVerdict,
  type PageOutcome,
} from './url-decisions.js';

/** A place that keeps the facts of a run: a log, the ledger. */
export interface Book {
  request?(record: RequestRecord): void;
  decision?(decision: UrlDecision): void;
  warning?(warning: HostWarning): void;
  dataset?(found: DatasetFound): void;
  /** The body of a robots.txt that was read. */
  robots?(authority: string, body: Uint8Array): Promise<void>;
  items?(items: readonly Item[]): void;
  /** `count`: with those of the page that are not told one by one. */
  rejected?(items: readonly RejectedItem[], count: number): void;
}

/** Takes the facts of a run. */
export interface Recorder {
  request(record: RequestRecord): void;
  /** The final word about a page that was taken. */
  page(work: PageWork, word: PageOutcome): void;
  /** Candidates that went through the door, so that whatever was said of them before is void. */
  admitted(candidates: readonly NewUrl[]): void;
  /** A candidate that the door turned away; told once per URL. */
  refusal(refusal: Refusal): void;
  /** What the frontier said to a seed: of links it tells by itself what it does not queue. */
  seedAnswered(seed: NewUrl, answer: AddAnswer): void;
  /** Links that a page asks to leave alone; told at the end, unless another road led to them. */
  leftAlone(work: PageWork, links: readonly LeftAloneLink[]): void;
  /** The robots.txt that came, whatever it was; resolves when it is kept, so that nothing is asked for by rules that nobody can read again. */
  robots(work: RobotsWork, outcome: FetchOutcome): Promise<void>;
  /** What a page in a browser asked for and was not given; told at the end, unless another road led to it. */
  subresourceLeft(work: PageWork, left: NotFetched): void;
  /** Links that a handler took by itself although the page asks to leave them alone. */
  nofollowTaken(work: PageWork, urls: readonly string[]): void;
  /** Items that every sink has taken. */
  items(items: readonly Item[]): void;
  /** Items that their schema did not take; `count`: with those that are not told one by one. */
  rejected(items: readonly RejectedItem[], count: number): void;
  dataset(found: DatasetFound): void;
  scopeMoved(move: ScopeMove): void;
  /** A space that turned out to be endless. */
  trap(found: TrapFinding): void;
  handlerFailed(url: string, error: unknown): void;
  /** A handler threw a word. */
  handlerSaid(url: string, word: HandlerSignal): void;
  /** A hook threw, took too long, or answered what is no answer. */
  hookFailed(hook: string, url: string, error: unknown): void;
  /** What the frontier tells: verdicts become decisions, notices stay notices. */
  frontierEvent(event: FrontierEvent): void;
  /** A URL that is still queued at the end of the run, and why its host waits. */
  held(record: UrlRecord, wait: HostWait): void;
  /** Tells what had to wait for the end of the run. */
  end(): void;
}

/** Makes the recorder of one run. @throws Never; what a book throws passes through. */
export function createRecorder(emitter: CrawlEmitter, books: readonly Book[], nowMs: () => number): Recorder {
  const told = createRecentSet(MAX_TOLD_URLS);
  const clocks = createHostClocks();
  const decide = (decision: UrlDecision): void => {
    told.add(decision.url);
    waiting.admitted(decision.url);
    for (const book of books) book.decision?.(decision);
    emitter.emit('decision', decision);
  };
  const waiting = createLeftAlone(MAX_LEFT_ALONE, decide);
  // A link to what has its word already says nothing new, however deep it lies and whatever it asks.
  const note = (decision: UrlDecision): void => {
    if (!told.has(decision.url)) waiting.note(decision);
  };
  const verdict = (said: UrlVerdict): void => {
    // There may be room again when another page leads there.
    if (said.reason === 'frontier-full') note(fromVerdict(said));
    // What the frontier does not keep it may be offered by every page.
    else if (said.status !== 'dropped' || !told.has(said.url)) decide(fromVerdict(said));
  };
  return {
    request(record) {
      clocks.request(record);
      for (const book of books) book.request?.(record);
      emitter.emit('request', record);
    },
    page(work, word) {
      if (!isCompanionHop(work.record)) decide({ ...fromPage(work, word, nowMs()), ...clocks.take(work.url) });
    },
    admitted(candidates) {
      for (const { url } of candidates) waiting.admitted(url);
    },
    refusal(refusal) {
      const { candidate, reason } = refusal;
      // Another path to the same URL may be shorter, or begin outside the trap.
      if (reason === 'bound-depth' || reason === 'redirect-limit' || reason === 'trap')
        note(fromRefusal(refusal, nowMs()));
      else if (told.add(candidate.url)) decide(fromRefusal(refusal, nowMs()));
    },
    seedAnswered(seed, answer) {
      if (answer.kind === 'full') note(fromDrop(seed, 'frontier-full', 'frontier', nowMs()));
      if (answer.kind === 'dropped') decide(fromDrop(seed, answer.reason, 'frontier', nowMs()));
    },
    leftAlone(work, links) {
      for (const link of links) note(fromLeftAlone(work, link, nowMs()));
    },
    async robots(work, outcome) {
      if (
        outcome.kind === 'failed' ||
        outcome.truncated === 'connection' ||
        outcome.status < 200 ||
        outcome.status > 299
      )
        return;
      for (const book of books) await book.robots?.(work.authority, outcome.body);
    },
    subresourceLeft(work, left) {
      note(fromSubresource(work, left, nowMs()));
    },
    nofollowTaken(work, urls) {
      for (const url of urls) emitter.emit('nofollow-overridden', { url, from: work.url });
    },
    items(items) {
      for (const book of books) book.items?.(items);
      for (const item of items) emitter.emit('item', item);
    },
    rejected(items, count) {
      for (const book of books) book.rejected?.(items, count);
      for (const item of items) emitter.emit('item-rejected', item);
    },
    dataset(found) {
      for (const book of books) book.dataset?.(found);
      emitter.emit('dataset', found);
    },
    scopeMoved(move) {
      emitter.emit('scope-moved', move);
    },
    trap(found) {
      emitter.emit('trap', found);
    },
    handlerFailed(url, error) {
      emitter.emit('handler-error', { url, error });
    },
    handlerSaid(url, { kind, reason }) {
      emitter.emit('handler-signal', { url, signal: kind, reason });
    },
    hookFailed(hook, url, error) {
      emitter.emit('hook-error', { hook, url, error });
    },
    frontierEvent(event) {
      if (event.kind === 'url') {
        if (event.record === null || !isCompanionHop(event.record)) verdict(event);
        return;
      }
      for (const book of books) book.warning?.(event);
      emitter.emit('host-warning', event);
    },
    held(record, wait) {
      if (!isCompanionHop(record)) decide(fromHeld(record, wait, nowMs()));
    },
    end() {
      waiting.tellAll();
    },
  };
}

/**
 * Where a companion file's redirect led. It has its word as the file first asked for; the URL it came by may be a page
 * with a word of its own.
 */
function isCompanionHop({ via, hops }: UrlRecord): boolean {
  return via === 'companion' && hops > 0;
}
