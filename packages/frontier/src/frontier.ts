// The frontier: what is known, what is next, and when. This file has the public object. The scheduler
// (`flow/scheduler.ts`) does the work, on what all parts share (`flow/context.ts`). The frontier itself never fetches.

import { FrontierError } from './errors.js';
import { checkUrl, checkUrls } from './flow/admission.js';
import { createContext } from './flow/context.js';
import type { OwnAnswer } from './flow/own-requests.js';
import { createScheduler } from './flow/scheduler.js';
import { MAX_URL_CHARS } from './limits.js';
import { checkMovable, type MovedCounts, moveCrawl, refuseMoved } from './move/move-crawl.js';
import { callable, invalid } from './option-value.js';
import { type FrontierOptions, resolveOptions } from './options/options.js';
import { createQuestions, type FrontierQuestions } from './questions/questions.js';
import { endedParts } from './records/account.js';
import type { UsedUp } from './records/budget.js';
import { OWNER_PREFIX } from './records/processes.js';
import { recordOf } from './records/record.js';
import type { FrontierStore, RecordListing } from './store.js';
import { authorityOf, hostKeyOf, namedHostKey } from './url/url.js';
import type { NewUrl } from './url-record.js';
import type { AddAnswer, Exchange, Settlement, StartAnswer, Work } from './work.js';

/** The frontier. Calls before `open` and after `close` reject with `not-open` and `closed`. */
export interface Frontier extends FrontierQuestions {
  /**
   * Opens the store and restores its contents. Call it once, before anything else.
   *
   * @param part - Replaces the option, if it is known only now.
   */
  open(part?: string): Promise<void>;
  /** Adds URLs; the answers are in the same order. Rules of robots.txt that are in memory are checked here. */
  add(urls: readonly NewUrl[]): Promise<AddAnswer[]>;
  /** Returns at most `n` requests that may be made now, without waiting; `[]` when nothing is due. */
  take(n: number): Promise<Work[]>;
  /**
   * A request outside the queue: waits until its host is due and its robots.txt is known, at most until `untilMs`. It
   * goes before the queue of the host and uses up no page. `take` gives it its turn, even with an `n` of 0. It only
   * rejects with `not-open`, `closed` and `option-invalid`.
   *
   * @param signal - Aborted when no caller waits for it any more: `held`, reason `stopping`. @default never
   */
  ask(url: NewUrl, untilMs: number, signal?: AbortSignal): Promise<OwnAnswer>;
  /** Answers every waiting `ask` with `held`: the crawl is stopping. */
  cancelAsks(): void;
  /**
   * Until `resume`, `take` hands out nothing, an `ask` gets no turn, and running time does not count. Work in flight is
   * finished, and leases are renewed. A second call has no effect.
   */
  pause(): void;
  resume(): void;
  isPaused(): boolean;
  /** When `take` may have something, epoch milliseconds; `null` when nothing waits. Work in flight does not count. */
  nextAt(): Promise<number | null>;
  /**
   * Call it when the address of a request is known, before connecting: whether a request to the address may start now
   * (`politeness.perIp`). `wait`: return the work with that time.
   */
  mayConnect(work: Work, address: string): Promise<StartAnswer>;
  /** The last check before the socket: lease, clock and pauses. */
  mayStart(work: Work): StartAnswer;
  /**
   * Call it when an exchange is over (last byte, or failure), once per request, before `settle`: frees the host. If it
   * is not called, the exchange ends with `settle`, and what the site asked for is not known.
   *
   * @throws FrontierError `option-invalid`, `work-unknown`
   */
  exchanged(work: Work, exchange: Exchange): void;
  /** Ends a piece of work and adds its links in one commit. `lost`: another process has the host; links are kept. */
  settle(work: Work, settlement: Settlement): Promise<'ok' | 'lost'>;
  /**
   * Makes a parked host due again, after an operator has checked it: by its name or any URL of it. Other hosts are not
   * changed.
   */
  unpark(hostOrUrl: string): Promise<void>;
  /** Which bound has been reached, if any; `take` hands out nothing any more. */
  reachedBound(): 'pages' | 'minutes' | 'bytes' | null;
  /** What the crawl has used up of its bounds, over all runs and processes. */
  used(): UsedUp;
  /**
   * Restarts the count for the bounds of the crawl and its hosts, until it is closed, for a crawl that starts again
   * with what it knows. Call it once, before `take`.
   *
   * @param sinceMs - When the count began, epoch milliseconds. It differs from that of every earlier count.
   */
  countFrom(used: UsedUp, sinceMs: number): void;
  /** Whether this URL, as spelled, is known to be queued or done. `true` is certain, `false` is not. Cheap. */
  isRecent(url: string): boolean;
  counts(): FrontierCounts;
  /** The same, after reading the present counts of the store and other processes. */
  recount(): Promise<FrontierCounts>;
  /** A small record of yours, kept in the store next to the queue (well-known files, counters); at most 1 MiB. */
  readRecord(key: string): Promise<Uint8Array | null>;
  writeRecord(key: string, value: Uint8Array | null): Promise<void>;
  /**
   * Lists your records by key prefix, page by page; see `FrontierStore.listRecords`. Rejects with `option-invalid` if
   * the store cannot list them.
   */
  listRecords(prefix: string, cursor: string | null, limit: number): Promise<RecordListing>;
  /** A record to which each process of the crawl contributes a part: all parts, by name. */
  readParts(key: string): Promise<Map<string, Uint8Array>>;
  /** Writes this process's part, which only it writes; at most 1 MiB. */
  writePart(key: string, value: Uint8Array): Promise<void>;
  /**
   * By how much the clock of the store's server is ahead of ours, and the possible error, milliseconds; `null`: it has
   * no clock. Informational only.
   */
  compareClock(): Promise<{ readonly aheadMs: number; readonly errorMs: number } | null>;
  /** The name of this process's part of the crawl's account. */
  partName(): string;
  /**
   * Moves the crawl to another, open store. No process may be working on the crawl: settle all work first. From then on
   * this frontier can only be closed. A call of another frontier continues a move that failed; afterwards no process
   * opens the crawl here. It also works on a frontier opened for inspection.
   *
   * @throws FrontierError `option-invalid` while work is in flight; `store-mismatch`, `store-failed`
   */
  moveTo(to: FrontierStore, onProgress: (moved: MovedCounts) => void): Promise<MovedCounts>;
  /**
   * Runs exclusively among the processes of the crawl: to read, compute and write a record that they share. A call from
   * within `act` never ends.
   */
  exclusively<T>(act: () => Promise<T>): Promise<T>;
  /**
   * Releases all hosts and closes the store. Work in flight counts as lost. A host whose request may still be under way
   * is free again when its lease would have ended, so settle everything first. Safe to call twice.
   */
  close(): Promise<void>;
}

/** Counts of the frontier. `queued` includes URLs in flight. */
export interface FrontierCounts {
  readonly queued: number;
  readonly known: number;
  readonly hosts: number;
  readonly inFlight: number;
  readonly pages: number;
  readonly runningMs: number;
}

/**
 * Creates a frontier. It opens its store with `open()` and closes it with `close()`.
 *
 * @throws FrontierError `option-invalid`.
 */
export function createFrontier(options: FrontierOptions): Frontier {
  const settings = resolveOptions(options);
  const context = createContext(settings);
  const scheduler = createScheduler(context);
  const { flow, ownRequests } = scheduler;
  const { clock, store, guard, counts, budget, labelBudgets, records, lock, seen, waits } = context;
  const questions = createQuestions(context, flow.schedule);
  let phase: 'new' | 'open' | 'closing' | 'closed' = 'new';
  let isMoving = false;
  let taking: Promise<unknown> = Promise.resolve();

  const checkOpen = () => {
    guard.check();
    if (phase === 'new') throw new FrontierError('not-open', 'call `open()` first');
    if (phase !== 'open') throw new FrontierError('closed', 'the frontier is closed');
    // What it added or requested from now on would be missing from the other store.
    if (isMoving) throw new FrontierError('closed', 'the crawl moves to another store', { hint: 'Open it there.' });
  };
  /** Rejects before `open` and after `close`. */
  const whenOpen = <Args extends unknown[], T>(act: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      checkOpen();
      return act(...args);
    };
  };
  const allCounts = (): FrontierCounts => ({
    queued: counts.queued,
    known: counts.known,
    hosts: counts.hosts,
    inFlight: flow.flights.count(),
    pages: budget.pages(),
    runningMs: budget.runningMs(clock.nowMs()),
  });

  return {
    waits: questions.waits,
    ready: questions.ready,
    list: whenOpen(questions.list),
    inspectUrl: whenOpen(questions.inspectUrl),
    inspectHost: whenOpen(questions.inspectHost),
    async open(part = settings.part ?? undefined) {
      if (phase !== 'new') throw new FrontierError('closed', 'a frontier is opened once');
      await store.open({ crawl: settings.crawl, create: settings.create });
      phase = 'open';
      if (settings.part === null) await seen.open(store, lock);
      else {
        await refuseMoved(store);
        await lock.exclusively(async () => {
          await records.join(part ?? null, (parts) => endedParts(records, parts));
          await seen.open(store, null);
        });
      }
      if (await records.isShared()) counts.noteLockHost();
      await budget.open(clock.nowMs());
      await waits.open();
      await counts.read();
      if (counts.known > 0) context.addresses.restAll(clock.nowMs());
      scheduler.open();
    },
    add: whenOpen((urls) => {
      checkUrls('urls', urls);
      return scheduler.add(urls);
    }),
    take(n) {
      const taken = taking.then(() => {
        checkOpen();
        if (typeof n !== 'number' || Number.isNaN(n)) throw invalid('n', 'a number of requests', n);
        return budget.isPaused ? [] : scheduler.take(n);
      });
      taking = taken.catch(() => undefined);
      return taken.finally(() => flow.leases.commitSoon());
    },
    ask: whenOpen(async (input, untilMs, signal) => {
      checkUrl('url', input);
      if (typeof untilMs !== 'number' || Number.isNaN(untilMs)) throw invalid('untilMs', 'epoch milliseconds', untilMs);
      if (signal && typeof signal.addEventListener !== 'function') throw invalid('signal', 'an AbortSignal', signal);
      const host = hostKeyOf(input.url, settings.hostKeyBy);
      const authority = authorityOf(input.url);
      if (host === null || authority === null) return { kind: 'dropped', reason: 'url-invalid' };
      if (input.url.length > MAX_URL_CHARS) return { kind: 'dropped', reason: 'url-too-long' };
      return ownRequests.add({ record: recordOf(input, input.url), host, authority, untilMs }, signal);
    }),
    cancelAsks: () => ownRequests.cancelAll(),
    pause: () => budget.pause(clock.nowMs()),
    resume: () => budget.resume(clock.nowMs()),
    isPaused: () => budget.isPaused,
    nextAt: whenOpen(() => scheduler.nextAt()),
    mayConnect: flow.flights.mayConnect,
    mayStart: flow.flights.mayStart,
    exchanged: flow.flights.exchanged,
    settle: scheduler.settle,
    unpark: whenOpen((hostOrUrl) => scheduler.unpark(namedHostKey(hostOrUrl, settings.hostKeyBy))),
    reachedBound: () => budget.reachedBound(clock.nowMs()),
    used: () => budget.used(clock.nowMs()),
    countFrom: (used, sinceMs) => budget.countFrom(used, sinceMs),
    isRecent: seen.isRecent,
    counts: allCounts,
    recount: whenOpen(async () => {
      if (store.capabilities.shared) await Promise.all([budget.saveTime(clock.nowMs()), counts.read()]);
      return allCounts();
    }),
    readRecord: whenOpen((key) => store.readRecord(OWNER_PREFIX + key)),
    writeRecord: whenOpen(async (key, value) => {
      checkRecord(key, value);
      return store.writeRecord(OWNER_PREFIX + key, value);
    }),
    listRecords: whenOpen(async (prefix, cursor, limit) => {
      if (typeof prefix !== 'string') throw invalid('prefix', 'text', prefix);
      if (!(limit >= 1)) throw invalid('limit', 'a number of records from 1', limit);
      if (store.listRecords === undefined)
        throw new FrontierError('option-invalid', 'this store cannot list its records', {
          hint: 'Crawling again needs a store with `listRecords`, as all stores of this package are.',
        });
      const listing = await store.listRecords(OWNER_PREFIX + prefix, cursor, limit);
      return {
        ...listing,
        items: listing.items.map(({ key, value }) => ({ key: key.slice(OWNER_PREFIX.length), value })),
      };
    }),
    readParts: whenOpen((key) => records.readAll(OWNER_PREFIX + key)),
    writePart: whenOpen(async (key, value) => {
      checkRecord(key, value);
      return records.write(OWNER_PREFIX + key, value);
    }),
    compareClock: whenOpen(async () => {
      const sentMs = clock.nowMs();
      const serverMs = (await store.clockMs?.()) ?? null;
      const halfMs = (clock.nowMs() - sentMs) / 2;
      // Our clock has whole milliseconds.
      return serverMs === null ? null : { aheadMs: serverMs - sentMs - halfMs, errorMs: halfMs + 1 };
    }),
    partName: () => records.name(),
    moveTo: whenOpen(async (to, onProgress) => {
      checkMovable(settings.store, to);
      isMoving = true;
      await taking;
      if (flow.flights.count() > 0) {
        isMoving = false;
        throw new FrontierError('option-invalid', 'settle all work before `moveTo`');
      }
      scheduler.stop();
      await scheduler.releaseAll();
      return moveCrawl({
        from: settings.store,
        to,
        hostKeyBy: settings.hostKeyBy,
        shared: settings.politeness,
        clock,
        onProgress,
      });
    }),
    async exclusively(act) {
      checkOpen();
      return lock.exclusively(callable('act', act));
    },
    async close() {
      if (phase === 'closed' || phase === 'closing') return;
      const wasOpen = phase === 'open';
      phase = 'closing';
      scheduler.stop();
      if (wasOpen && guard.isWorking) {
        await taking;
        await scheduler.releaseAll();
        await waits.save();
        await Promise.all(Array.from(labelBudgets.opened.values(), (each) => each.close(clock.nowMs())));
        await budget.close(clock.nowMs());
      }
      phase = 'closed';
      await store.close();
    },
  };
}

function checkRecord(key: string, value: Uint8Array | null): void {
  if (typeof key !== 'string') throw invalid('key', 'text', key);
  if (value !== null && !(value instanceof Uint8Array)) throw invalid('value', 'a Uint8Array', value);
}
