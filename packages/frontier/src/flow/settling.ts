// What follows when work ends: a page is done with its links, is retried later or is released, or a robots.txt is
// answered. In each case the work leaves flight, its host is rescheduled, and a commit follows.
//
// If a robots.txt redirects, its next hop is queued at the hop's own host, and the authority's lane is blocked until it
// arrives. When the answer arrives, the lane opens, the operator is informed, and companions of the file are queued.

import { FrontierError } from '../errors.js';
import { reachedBound } from '../hosts/host-state.js';
import type { LeasedHost } from '../hosts/leased-host.js';
import { FINGERPRINT_BYTES, MAX_URL_RETRIES } from '../limits.js';
import { invalid } from '../option-value.js';
import { encodeItem, type PageItem } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import type { EntryId, NewEntry } from '../store.js';
import { hostKeyOf } from '../url/url.js';
import type { PageWork, Refusal, RobotsWork, Settlement, Work } from '../work.js';
import { checkTime, checkUrls, linksOf } from './admission.js';
import type { Flow } from './flow.js';
import { blocksAuthorityPages, type Flight } from './in-flight.js';
import { MAX_RETRY_JITTER_MS, RETRY_JITTER } from './limits.js';

/** `lost`: another process holds the host by now. */
type Settled = 'ok' | 'lost';

type RobotsAnswer = Extract<Settlement, { kind: 'robots' }>['answer'];

const EXHAUSTED = { status: 'failed', reason: 'retries-exhausted' } as const;

export type Settling = ReturnType<typeof createSettling>;

/** What follows when work ends. Promises reject with what the store throws. */
export function createSettling(flow: Flow) {
  const { clock, guard, gate, seen, reporter, budget, settings, admission, schedule, leases } = flow;
  const { flightOf, endFlight } = flow.flights;

  /**
   * Ends a work in flight. Rejects with what the store throws.
   *
   * @throws FrontierError (rejects) `work-unknown`: the work is not in flight, or the settlement does not fit it.
   *   `option-invalid`: the settlement has a wrong value; the work is still in flight
   */
  async function settle(work: Work, settlement: Settlement): Promise<Settled> {
    guard.check();
    const flight = flightOf(work);
    if (flight === null) return 'lost';
    checkSettlement(settlement);
    // If its request may have been sent and was not reported, it ended now for the interval.
    const maybeSent = flight.isStarted || isAboutAnswer(settlement);
    if (maybeSent && flight.host.hasSlot(work)) flight.host.restartClock(clock.nowMs());
    if (settlement.kind === 'returned') return returnWork(work, flight, settlement.untilMs, settlement.waits);
    if (work.kind === 'robots') {
      if (settlement.kind === 'robots') return settleRobots(work, flight, settlement.answer);
      if (settlement.kind === 'refused') return refuse(work, flight, settlement);
    } else if (flight.entry === null) {
      // One of the owner's own requests. The next commit reports the host's clock.
      if (settlement.kind === 'done') {
        schedule.touch(flight.host);
        return returnWork(work, flight, null);
      }
    } else if (settlement.kind === 'done' || settlement.kind === 'again') {
      return settlePage(work, flight, settlement);
    }
    throw new FrontierError('work-unknown', `a ${work.kind} item cannot be settled as ${settlement.kind}`);
  }

  // ── Pages ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  async function settlePage(
    work: PageWork,
    flight: Flight,
    settlement: Extract<Settlement, { kind: 'done' | 'again' }>,
  ): Promise<Settled> {
    const { host } = flight;
    const entry = flight.entry!;
    const nowMs = clock.nowMs();
    if (settlement.kind === 'again' && work.record.tries >= MAX_URL_RETRIES) {
      const answer = await settlePage(work, flight, { kind: 'done', countsAsPage: true, links: [] });
      if (answer === 'ok') reporter.ended(work.record, EXHAUSTED, work.robots);
      return answer;
    }
    const countsAsPage = settlement.kind === 'done' && settlement.countsAsPage;
    const links = settlement.kind === 'done' ? await admission.consider(settlement.links, nowMs, true) : [];
    // The crawl may have closed in the meantime, or the work may have been settled twice.
    if (flightOf(work) === null) return 'lost';
    endFlight(work, flight);
    if (settlement.kind === 'done') host.entries.finish(entry.id);
    else {
      // URLs that failed together are not retried together, and never earlier than requested.
      const requiredMs = Math.max(0, settlement.notBeforeMs - nowMs);
      const waitMs = requiredMs + Math.min(RETRY_JITTER * requiredMs, MAX_RETRY_JITTER_MS) * settings.random();
      const item: PageItem = { ...(entry.item as PageItem), record: { ...work.record, tries: work.record.tries + 1 } };
      host.retryLater(entry.id, encodeItem(item), waitMs, nowMs);
    }
    if (countsAsPage) host.countPage();
    const bound = reachedBound(host, budget.runningMs(nowMs));
    if (bound !== null) admission.rememberBound(host.key, bound);
    // Counted before the commit, so that the account is part of it.
    for (const each of flight.budgets) each.settle(countsAsPage);
    schedule.touch(host);
    schedule.reschedule(host);
    const outcomes = await leases.commit(linksOf(links));
    if (blocksAuthorityPages(work.record)) host.entries.releaseLane(flight.authority);
    admission.conclude(links, outcomes, true);
    schedule.reschedule(host);
    // A server that was silent may take the commit when it answers: then the page is done.
    const isLate = host.late?.done.includes(entry.id) === true && (await host.late.answer);
    const settled = isLate ? 'ok' : outcomeOf(host);
    if (countsAsPage && settled === 'lost') for (const each of flight.budgets) each.uncountPage();
    return settled;
  }

  /** No request was made: the entry, if there is one, is the host's next one again. */
  function returnWork(work: Work, flight: Flight, untilMs: number | null, waits?: 'authority'): Settled {
    const { host, entry } = flight;
    endFlight(work, flight);
    for (const each of flight.budgets) each.settle(false);
    if (work.kind === 'robots' && entry === null) abandonFetch(work.authority);
    if (host.status !== 'leased') return 'lost';
    const isBlocking = entry !== null && work.kind === 'page' && blocksAuthorityPages(work.record);
    if (isBlocking) host.entries.releaseLane(flight.authority);
    if (untilMs !== null && waits === 'authority') {
      host.entries.blockLane(flight.authority, untilMs, 'not-before');
      schedule.touch(host);
    } else if (untilMs !== null) host.delayUntil(untilMs);
    if (entry !== null) host.entries.putBack(entry);
    schedule.reschedule(host);
    leases.commitSoon();
    return 'ok';
  }

  /**
   * Queues a URL again with another priority, under the name that the rules give it (`key`; `null`: its own), in one
   * commit with the end of its old entry.
   */
  async function requeue(
    host: LeasedHost,
    oldId: EntryId,
    item: PageItem,
    authority: Authority,
    { key, priority }: { readonly key: string | null; readonly priority: number },
  ): Promise<void> {
    const requeued: NewEntry = {
      host: host.key,
      lane: authority.name,
      fingerprint: seen.fingerprintOfKey(key ?? item.record.url, item.record.visit ?? 0),
      priority,
      body: encodeItem(key === null ? item : { ...item, isKeyed: true }),
      dedupe: key !== null,
    };
    host.entries.finish(oldId);
    schedule.touch(host);
    const [outcome] = await leases.commit([requeued]);
    if (outcome !== 'new' && outcomeOf(host) === 'ok') {
      const reason = outcome === 'known' ? 'duplicate' : 'frontier-full';
      reporter.ended(item.record, { status: 'dropped', reason, detail: key ?? '' }, gate.copyRef(authority));
    }
  }

  // ── robots.txt ─────────────────────────────────────────────────────────────────────────────────────────────────────

  async function settleRobots(work: RobotsWork, flight: Flight, answer: RobotsAnswer): Promise<Settled> {
    const { host, entry, chain } = flight;
    const authority = await gate.authorities.load(work.authority);
    if (host.status !== 'leased') {
      if (entry === null) abandonFetch(work.authority);
      endFlight(work, flight);
      return 'lost';
    }
    const isStale = chain !== null && authority.chain?.id !== chain;
    const entries = isStale ? [] : await processAnswer(authority, work.url, answer);
    if (entry !== null) host.entries.finish(entry.id);
    endFlight(work, flight);
    schedule.touch(host);
    await commitAnswerEntries(authority, entries);
    return outcomeOf(host);
  }

  /** Our own rules forbid the authority. If a hop of a redirect chain leads to one, that is only a failure. */
  async function refuse(work: RobotsWork, flight: Flight, refusal: Refusal): Promise<Settled> {
    if (flight.entry !== null) return settleRobots(work, flight, { kind: 'failure', failure: 'blocked' });
    gate.refuse(await gate.authorities.load(work.authority), refusal, clock.nowMs());
    return returnWork(work, flight, null);
  }

  /** Ends the redirect chain of an authority of the host if its time is over. */
  async function endChain(host: LeasedHost, name: string): Promise<void> {
    const authority = await gate.authorities.load(name);
    const { chain } = authority;
    if (chain === null) host.chains.delete(name);
    // Its hop is being fetched, or the next hop waits.
    else if (clock.nowMs() < chain.untilMs) host.chains.set(name, chain.untilMs);
    else if (await gate.adoptEndedChain(authority)) openLane(authority);
    else {
      const failure = { kind: 'failure', failure: 'timeout' } as const;
      await commitAnswerEntries(authority, await processAnswer(authority, chain.urls.at(-1)!, failure));
    }
    schedule.reschedule(host);
  }

  /** Processes the answer from `url`. @returns Entries for the commit that reports it. */
  async function processAnswer(authority: Authority, url: string, answer: RobotsAnswer): Promise<NewEntry[]> {
    const { name } = authority;
    // Companions go before the authority's pages, which wait from before the answer counts until its entries are
    // committed.
    hostOfAuthority(name)?.entries.holdLane(name);
    const received = await gate.receive(authority, url, answer, clock.nowMs());
    if (received.kind === 'hop') {
      const { chain, url: target, waitMs } = received;
      // A hop is queued at the host it leads to, in a lane that no authority blocks, before that host's pages.
      const hop = { host: keyOf(target), lane: `robots.txt of ${name}`, priority: 0, notBeforeMs: waitMs };
      const body = encodeItem({ kind: 'hop', authority: name, chain: chain.id, url: target });
      return [{ ...hop, fingerprint: new Uint8Array(FINGERPRINT_BYTES), body, dedupe: false }];
    }
    const hasFailed = authority.access.failures > 0;
    const companions = hasFailed ? [] : await settings.companions(name, received.isFirst);
    checkUrls('companions', companions);
    openLane(authority);
    reporter.robots(keyOf(name), authority, gate.rules(authority), answer);
    if (companions.length === 0) return [];
    const first = companions.map((companion) => ({ ...companion, priority: 0 }));
    const candidates = await admission.consider(received.isFirst ? first : companions, clock.nowMs());
    for (const candidate of candidates)
      if (candidate.kind === 'excluded') reporter.excluded(candidate.input, candidate.url, candidate.exclusion);
    return linksOf(candidates);
  }

  /**
   * Commits the entries from `processAnswer`; the authority's pages then no longer wait. A hop that finds no place ends
   * its chain.
   */
  async function commitAnswerEntries(authority: Authority, entries: readonly NewEntry[]): Promise<void> {
    const outcomes = await leases.commit(entries);
    if (authority.chain !== null && outcomes.includes('full')) {
      await processAnswer(authority, authority.chain.urls.at(-1)!, { kind: 'failure', failure: 'other' });
    }
    const home = hostOfAuthority(authority.name);
    home?.entries.releaseLane(authority.name);
    if (home !== undefined) schedule.reschedule(home);
  }

  /** The request for a robots.txt is not made. Another request may take its place. */
  function abandonFetch(name: string): void {
    const authority = gate.authorities.peek(name);
    if (authority !== null) gate.abandonFetch(authority);
    const home = hostOfAuthority(name);
    if (home !== undefined) schedule.reschedule(home);
  }

  /** Reacts to news about an authority: its lane opens or stays blocked. The caller reschedules its host. */
  function openLane(authority: Authority): void {
    const home = hostOfAuthority(authority.name);
    if (home?.status !== 'leased') return;
    if (home.robotsArrived(authority.name, gate.rules(authority))) schedule.touch(home);
    const nowMs = clock.nowMs();
    const first = home.entries.firstPageOf(authority.name);
    const answer = first === null ? null : gate.ask(authority, first.record.url, nowMs);
    // At once, because no page is considered while the host is paused. A page that has waited too long must be
    // considered, and then ends.
    if (answer?.kind === 'hold' && first !== null && !gate.isHeldTooLong(first.addedAtMs, answer.sinceMs, nowMs)) {
      home.entries.blockLane(authority.name, answer.untilMs);
      schedule.touch(home);
    }
  }

  /** The host of an authority, if it is ours. */
  function hostOfAuthority(authority: string): LeasedHost | undefined {
    return schedule.get(keyOf(authority));
  }

  function keyOf(url: string): string {
    return hostKeyOf(url, settings.hostKeyBy)!;
  }

  return { settle, requeue, endChain };
}

/** Whether a request was sent for it, even if neither `mayStart` nor `exchanged` was called. */
function isAboutAnswer(settlement: Settlement): boolean {
  return settlement.kind === 'done' ? settlement.countsAsPage : ['robots', 'again'].includes(settlement.kind);
}

/** @throws FrontierError `option-invalid` */
function checkSettlement(settlement: Settlement): void {
  if (typeof settlement !== 'object' || settlement === null) throw invalid('settlement', 'an object', settlement);
  switch (settlement.kind) {
    case 'done':
      if (typeof settlement.countsAsPage !== 'boolean')
        throw invalid('countsAsPage', 'true or false', settlement.countsAsPage);
      checkUrls('links', settlement.links);
      break;
    case 'again':
      checkTime('notBeforeMs', settlement.notBeforeMs);
      break;
    case 'returned':
      if (settlement.untilMs !== null) checkTime('untilMs', settlement.untilMs);
      break;
    case 'robots':
      checkAnswer(settlement.answer);
      break;
    case 'refused':
      if (typeof settlement.reason !== 'string') throw invalid('reason', 'text', settlement.reason);
      if (typeof (settlement.detail ?? '') !== 'string') throw invalid('detail', 'text', settlement.detail);
  }
}

function checkAnswer(answer: RobotsAnswer): void {
  if (typeof answer !== 'object' || answer === null) throw invalid('answer', 'an object', answer);
  if (answer.kind === 'redirect-limit' || answer.kind === 'failure') return;
  if (answer.kind !== 'response')
    throw invalid('answer.kind', 'one of response, failure, redirect-limit', (answer as { kind?: unknown }).kind);
  const { status, headers, body } = answer;
  if (!Number.isSafeInteger(status)) throw invalid('answer.status', 'a whole number', status);
  if (!(body instanceof Uint8Array)) throw invalid('answer.body', 'the bytes of the body, as a Uint8Array', body);
  // The names of a `Headers` object are not its keys: a redirect would lead nowhere.
  const isPlain = typeof headers === 'object' && headers !== null && !(Symbol.iterator in headers);
  if (!isPlain) throw invalid('answer.headers', 'a plain object', headers);
  for (const [name, value] of Object.entries(headers)) {
    if (name !== name.toLowerCase()) throw invalid('answer.headers', 'an object with lower-case names', name);
    if (value !== undefined && typeof value !== 'string' && name !== 'set-cookie')
      throw invalid(`answer.headers['${name}']`, 'text', value);
  }
}

function outcomeOf(host: LeasedHost): Settled {
  return host.status === 'lost' ? 'lost' : 'ok';
}
