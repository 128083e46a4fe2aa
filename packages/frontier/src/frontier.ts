// The frontier: what is known, what is next, and when. This file holds the public object and puts its parts together:
//
//   add ──▶ admission ──▶ store ──▶ lease ──▶ dispatch ──▶ host-queue + robots-gate ──▶ take
//                                     ▲                                                  │
//                                   commit ◀── hands: settle ◀── exchanged ◀── mayStart ◀┘
//
// Politeness holds because only the holder of a host's lease asks it for anything, one request at a time, and no page is
// handed out before its authority's robots.txt has been answered. The frontier itself never fetches.

import { FrontierError } from './errors.js';
import { linksOf } from './flow/admission.js';
import { createHeartbeat } from './flow/heartbeat.js';
import { nextInstant } from './flow/next-time.js';
import type { OwnAnswer } from './flow/own-requests.js';
import type { FrontierEvent } from './frontier-event.js';
import { assemble } from './frontier-parts.js';
import { URL_MAX_CHARS } from './limits.js';
import { type FrontierOptions, resolveOptions } from './options/options.js';
import type { FrontierCounts } from './questions/frontier-counts.js';
import { createQuestions, type FrontierQuestions } from './questions/questions.js';
import { partsOver } from './records/budget.js';
import { guardStore } from './records/guarded-store.js';
import { keptSecret } from './records/kept-secret.js';
import { createOwnerRecords, type OwnerRecords } from './records/owner-records.js';
import { recordOf } from './records/record.js';
import type { AddAnswer, Exchange, Settlement } from './settlement.js';
import { createFingerprinter, type Fingerprinter } from './url/fingerprint.js';
import { authorityOf } from './url/host-key.js';
import { parseUrlParts } from './url/url-parts.js';
import type { NewUrl } from './url-record.js';
import type { StartAnswer, Work } from './work.js';

/** The frontier. Calls before `open` and after `close` reject with `not-open` and `closed`. */
export interface Frontier extends OwnerRecords, FrontierQuestions {
  /**
   * Opens the store, restores what it holds. Once, before anything else.
   *
   * @param part - In the place of the option, for whoever knows it only now.
   */
  open(part?: string): Promise<void>;
  /** Adds URLs; the answers stand in the order of the URLs. Robots' first look is made here, with rules at hand only. */
  add(urls: readonly NewUrl[]): Promise<AddAnswer[]>;
  /** At most `n` requests that may be made now. Returns at once, `[]` when nothing is due. */
  take(n: number): Promise<Work[]>;
  /**
   * A request of the owner's own, outside the queue: waits for the turn of its host and its robots.txt, until `untilMs` at
   * most. It goes before what is queued for the host and uses up no page. `take` gives it its turn, with `n` of 0 too.
   * Never rejects but with `not-open` and `closed`.
   *
   * @param signal - Aborted when nobody waits for it any more: `held`, reason `stopping`. @default never
   */
  ask(url: NewUrl, untilMs: number, signal?: AbortSignal): Promise<OwnAnswer>;
  /** Answers every `ask` that still waits with `held`: the crawl stops. */
  endAsks(): void;
  /**
   * `take` hands out nothing until `resume`, and an `ask` gets no turn; running time stands still. What is in hand comes to its
   * end, and leases are renewed as ever. A second call changes nothing.
   */
  pause(): void;
  resume(): void;
  isPaused(): boolean;
  /** The earliest time at which `take` may have something, epoch milliseconds; `null` when nothing waits. Work in hand is not counted. */
  nextAt(): Promise<number | null>;
  /**
   * Asked when the address of the request is known, before a connection is made: whether the address may be talked to now
   * (`politeness.perIp`). `wait`: give the work back with that time.
   */
  mayConnect(work: Work, address: string): Promise<StartAnswer>;
  /** The last question before the socket: lease, clock and pauses once more. */
  mayStart(work: Work): StartAnswer;
  /** The exchange is over (last byte, or failure): the host's clock starts, its slot is free. Exactly once per request made, before `settle`. */
  exchanged(work: Work, exchange: Exchange): void;
  /** Ends a piece of work. Links go in with the same commit. `lost`: another holder has the host by now; nothing but the links was kept. */
  settle(work: Work, settlement: Settlement): Promise<'ok' | 'lost'>;
  /** A parked host is due again: an operator has looked at it. Any other host is left alone. */
  unpark(host: string): Promise<void>;
  /** Which bound has been reached, if any; `take` hands out nothing any more. */
  reachedBound(): 'pages' | 'minutes' | 'bytes' | null;
  /** Whether this very spelling is known to be queued or done: `true` is never wrong, `false` says nothing. Costs a look into a set. */
  isRecent(url: string): boolean;
  counts(): FrontierCounts;
  /** The same, after a look at what the store and other processes have by now. */
  recount(): Promise<FrontierCounts>;
  /** The name of this process's part of the crawl's account. */
  partName(): string;
  /** Does something while no other process of the crawl does: to read, think over and write a record that is everybody's. */
  exclusively<T>(act: () => Promise<T>): Promise<T>;
  /** Gives back what is in hand and closes the store. Safe to call twice. */
  close(): Promise<void>;
}

/** Told of everything the frontier has to say. */
export type OnFrontierEvent = (event: FrontierEvent) => void;

/**
 * Makes a frontier. It opens its store with `open()` and closes it with `close()`.
 *
 * @throws FrontierError `option-invalid`.
 */
export function createFrontier(options: FrontierOptions): Frontier {
  const settings = resolveOptions(options);
  const { store, failure } = guardStore(settings.store);
  const { clock } = settings;
  let phase: 'new' | 'open' | 'closing' | 'closed' = 'new';
  let broken: unknown = null;
  let fingerprinter: Fingerprinter = () => new Uint8Array(store.capabilities.fingerprintBytes);
  let isPaused = false;
  let taking: Promise<unknown> = Promise.resolve();

  const stats = { queued: 0, known: 0, hosts: 0 };
  /** The lock of the crawl is a host of the store, and no host of anybody's. */
  let lockHosts = 0;
  /** Broken machinery met where nobody waits for an answer: the next call tells. */
  const fail = (error: unknown) => {
    broken ??= error;
  };
  const checkWorks = () => {
    if (failure() !== null) throw failure();
    if (broken !== null) throw broken;
  };
  const {
    admission,
    budget,
    dispatch,
    gate,
    hands,
    hostBounds,
    leases,
    lock,
    own,
    pace,
    records,
    seen,
    waits,
    keptWaits,
    hostOf,
    commitSoon,
  } = assemble(
    { ...settings, store },
    {
      isOpen: () => phase === 'open',
      isClosing: () => phase === 'closing',
      lagMs: () => heartbeat.lagMs(),
      fingerprint: (canonical) => fingerprinter(canonical),
      fail,
      stats,
    },
  );

  const checkOpen = () => {
    checkWorks();
    if (phase === 'new') throw new FrontierError('not-open', 'call `open()` first');
    if (phase !== 'open') throw new FrontierError('closed', 'the frontier is closed');
  };
  const readStats = async () => {
    const { queued, inFlight, known, hosts } = await store.stats();
    Object.assign(stats, { queued: queued + inFlight, known, hosts: Math.max(0, hosts - lockHosts) });
  };

  const heartbeat = createHeartbeat({ clock, leaseTtlMs: settings.leaseTtlMs, leases, budget, store, readStats, fail });
  const nextParts = { clock, store, budget, dispatch, own, pace };
  const counts = (): FrontierCounts => ({
    queued: stats.queued,
    known: stats.known,
    hosts: stats.hosts,
    inFlight: hands.count(),
    pages: budget.pages(),
    runningMs: budget.runningMs(clock.nowMs()),
  });
  const questions = createQuestions({
    store,
    clock,
    politeness: settings.politeness,
    gate,
    seen,
    leases,
    dispatch,
    waits,
    budget,
    hostBounds,
    hostOf,
    checkOpen,
  });
  const owners = createOwnerRecords(store, records, checkOpen);

  return {
    async open(part = settings.part ?? undefined) {
      if (phase !== 'new') throw new FrontierError('closed', 'a frontier is opened once');
      await store.open({ crawl: settings.crawl, owner: settings.owner, create: settings.create });
      phase = 'open';
      if (settings.part !== null) await records.join(part ?? null, (parts) => partsOver(records, parts));
      if (await records.isMet()) lockHosts = 1;
      fingerprinter = createFingerprinter(settings.secret ?? (await keptSecret(store, lock)));
      await budget.open(clock.nowMs());
      await keptWaits.open();
      await readStats();
      heartbeat.start();
    },
    async add(urls) {
      checkOpen();
      const candidates = admission.consider(urls, clock.nowMs());
      const outcomes = await leases.add(linksOf(candidates));
      const answers = admission.conclude(candidates, outcomes, false);
      commitSoon();
      return answers;
    },
    take(n) {
      const taken = taking.then(async () => {
        checkOpen();
        const works: Work[] = [];
        if (isPaused) return works;
        await budget.prepare();
        await own.serve(works, n);
        return n > works.length ? [...works, ...(await dispatch.take(n - works.length))] : works;
      });
      taking = taken.catch(() => undefined);
      return taken.finally(commitSoon);
    },
    async ask(input, untilMs, signal) {
      checkOpen();
      const read = parseUrlParts(input.url);
      const host = hostOf(input.url);
      const authority = authorityOf(input.url);
      if (read === null || host === null || authority === null) return { kind: 'dropped', reason: 'url-invalid' };
      if (input.url.length > URL_MAX_CHARS) return { kind: 'dropped', reason: 'url-too-long' };
      return own.ask(recordOf(input, input.url), host, authority, untilMs, signal);
    },
    endAsks: () => own.end(),
    pause() {
      isPaused = true;
      budget.pause(clock.nowMs());
    },
    resume() {
      isPaused = false;
      budget.resume(clock.nowMs());
    },
    isPaused: () => isPaused,
    async nextAt() {
      checkOpen();
      return nextInstant(nextParts);
    },
    async mayConnect(work, address) {
      checkWorks();
      return hands.mayConnect(work, address);
    },
    mayStart: (work) => hands.mayStart(work),
    exchanged(work, exchange) {
      hands.exchanged(work, exchange);
      commitSoon();
    },
    async settle(work, settlement) {
      checkWorks();
      return hands.settle(work, settlement);
    },
    async unpark(host) {
      checkOpen();
      const held = leases.held.get(host);
      waits.forget(host);
      await store.wake(host);
      dispatch.mayBeDue();
      if (held === undefined) return;
      held.clock = { ...held.clock, parked: false, refusedInARow: 0 };
      dispatch.reschedule(held);
    },
    reachedBound: () => budget.reached(clock.nowMs()),
    isRecent: (url) => seen.isRecent(url),
    ...questions,
    counts,
    async recount() {
      checkOpen();
      if (store.capabilities.shared) await Promise.all([budget.saveTime(clock.nowMs()), readStats()]);
      return counts();
    },
    ...owners,
    partName: () => records.name(),
    async exclusively(act) {
      checkOpen();
      return lock.exclusively(act);
    },
    async close() {
      if (phase === 'closed' || phase === 'closing') return;
      const wasOpen = phase === 'open';
      phase = 'closing';
      own.end();
      heartbeat.stop();
      if (wasOpen && failure() === null && broken === null) {
        await taking;
        hands.drop();
        for (const host of leases.held.values()) leases.touch(host);
        await leases.commit();
        await keptWaits.save();
        await budget.close(clock.nowMs());
      }
      phase = 'closed';
      await store.close();
    },
  };
}
