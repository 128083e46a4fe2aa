// What a settlement says to the store: done with its links, again at some time, given back, or what came of a robots.txt.
// Each ends with the work out of hand, its host scheduled anew, and a commit.

import type { Clock } from '../clock.js';
import { FrontierError } from '../errors.js';
import type { HostBounds } from '../hosts/host-bounds.js';
import type { HostWarnings } from '../hosts/host-warnings.js';
import type { LeasedHost, QueuedEntry } from '../hosts/leased-host.js';
import { URL_RETRIES_MAX } from '../limits.js';
import type { AddressSlots } from '../politeness/address-slots.js';
import type { Budget } from '../records/budget.js';
import { encodeItem, type PageItem } from '../records/record.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { Settlement } from '../settlement.js';
import type { PageWork, RobotsWork, Work } from '../work.js';
import { type Admission, linksOf } from './admission.js';
import type { Leases } from './lease.js';
import { RETRY_JITTER } from './limits.js';
import type { RobotsArrival } from './robots-arrival.js';

/** What is known of a piece of work beside what its holder sees. */
export interface Hand {
  readonly host: LeasedHost;
  /** `null`: none stands for it, as for the first request for a robots.txt and for requests of the owner's own. */
  readonly entry: QueuedEntry | null;
  /** The authority that answers it. */
  readonly authority: string;
  /** Of a hop: its chain. */
  readonly chain: string | null;
}

/** What settling needs. */
export interface SettlingParts {
  readonly clock: Clock;
  readonly gate: RobotsGate;
  readonly budget: Budget;
  readonly notices: HostWarnings;
  readonly admission: Admission;
  readonly arrival: RobotsArrival;
  readonly leases: () => Leases;
  readonly reschedule: (host: LeasedHost) => void;
  readonly hostBounds: HostBounds;
  readonly addresses: AddressSlots;
  /** Commits what is touched, soon. */
  readonly commitSoon: () => void;
  /** Numbers in [0, 1): jitter of retries. */
  readonly random: () => number;
}

/** The end of work in hand. */
export interface Settling {
  /** The piece of work is out of hand; its entry is what the caller makes of it. */
  putDown(work: Work, hand: Hand): void;
  /** `lost`: another holder has the host by now. @throws FrontierError (rejects) `work-unknown` for a settlement that is none of this work */
  settle(work: Work, hand: Hand, settlement: Settlement): Promise<'ok' | 'lost'>;
}

const EXHAUSTED = { word: 'failed', reason: 'retries-exhausted' } as const;

/**
 * Makes the settling of one frontier.
 *
 * @param hands - What is in hand; what is put down is taken out of it.
 * @throws Never; its promises reject with what the store throws.
 */
export function createSettling(parts: SettlingParts, hands: Map<Work, Hand>): Settling {
  const { clock, gate, budget, leases } = parts;

  const putDown = (work: Work, { host, entry }: Hand) => {
    hands.delete(work);
    if (host.slot === work) {
      host.slot = null;
      parts.addresses.free(host.key, null, 0);
    }
    host.unsettled -= 1;
    if (work.kind === 'page' && entry !== null) host.pagesInHand -= 1;
  };

  const giveBack = (work: Work, hand: Hand, untilMs: number | null): 'ok' | 'lost' => {
    const { host, entry } = hand;
    putDown(work, hand);
    if (work.kind === 'page' && entry !== null) budget.settle(false);
    else if (work.kind === 'robots' && entry === null) abandon(work);
    if (host.status !== 'held') return 'lost';
    if (untilMs !== null) host.notBeforeMs = Math.max(host.notBeforeMs, untilMs);
    if (entry !== null) host.buffer.unshift(entry);
    parts.reschedule(host);
    parts.commitSoon();
    return 'ok';
  };

  const abandon = (work: RobotsWork) => {
    const authority = gate.peek(work.authority);
    if (authority === null) return;
    gate.abandonFetch(authority);
    const home = parts.arrival.homeOf(work.authority);
    if (home !== null) parts.reschedule(home);
  };

  /** The first request of an authority that may not be asked; a hop of a chain that leads to one is only a failure. */
  const refuse = async (work: RobotsWork, hand: Hand, reason: string): Promise<'ok' | 'lost'> => {
    if (hand.entry !== null) return settleRobots(work, hand, { kind: 'failure', failure: 'blocked' });
    const authority = await gate.load(work.authority);
    gate.refuse(authority, reason, clock.nowMs());
    return giveBack(work, hand, null);
  };

  const settlePage = async (
    work: PageWork,
    hand: Hand,
    settlement: Extract<Settlement, { kind: 'done' | 'again' }>,
  ): Promise<'ok' | 'lost'> => {
    const { host } = hand;
    const entry = hand.entry!;
    const nowMs = clock.nowMs();
    if (settlement.kind === 'again' && work.record.tries >= URL_RETRIES_MAX) {
      const answer = await settlePage(work, hand, { kind: 'done', countsAsPage: true, links: [] });
      if (answer === 'ok') parts.notices.ended(work.record, EXHAUSTED, work.robots);
      return answer;
    }
    const counts = settlement.kind === 'done' && settlement.countsAsPage;
    const links = settlement.kind === 'done' ? parts.admission.consider(settlement.links, nowMs) : [];
    putDown(work, hand);
    if (settlement.kind === 'done') host.changes.done.push(entry.id);
    else {
      // URLs that failed together do not come back together; never sooner than asked.
      const waitMs = Math.max(0, settlement.notBeforeMs - nowMs) * (1 + RETRY_JITTER * parts.random());
      const hasOther = host.retryAtMs !== null && host.retryAtMs > nowMs;
      host.retryAtMs = Math.min(hasOther ? host.retryAtMs! : Number.POSITIVE_INFINITY, nowMs + waitMs);
      const item: PageItem = { ...(entry.item as PageItem), record: { ...work.record, tries: work.record.tries + 1 } };
      host.changes.requeue.push({
        id: entry.id,
        body: encodeItem(item),
        notBeforeMs: Math.ceil(waitMs),
      });
      host.queued += 1;
    }
    if (counts) host.pages += 1;
    parts.hostBounds.note(host, nowMs);
    // Counted before the commit, so that the account travels with it.
    budget.settle(counts);
    if (host.status === 'held') leases().touch(host);
    parts.reschedule(host);
    const outcomes = await leases().commit(linksOf(links));
    const isOk = host.status !== 'lost';
    if (counts && !isOk) budget.takeBack();
    parts.admission.conclude(links, outcomes, true);
    parts.reschedule(host);
    return isOk ? 'ok' : 'lost';
  };

  /** A request of the owner's own: nothing stands in the queue for it, and no page is used up. */
  const settleOwn = (work: PageWork, hand: Hand): 'ok' | 'lost' => {
    putDown(work, hand);
    const isOk = hand.host.status === 'held';
    if (isOk) leases().touch(hand.host);
    parts.reschedule(hand.host);
    parts.commitSoon();
    return isOk ? 'ok' : 'lost';
  };

  const settleRobots = async (
    work: RobotsWork,
    hand: Hand,
    answer: Extract<Settlement, { kind: 'robots' }>['answer'],
  ) => {
    const { host, entry } = hand;
    const authority = await gate.load(work.authority);
    const isStale = hand.chain !== null && authority.chain?.id !== hand.chain;
    const isLost = host.status !== 'held';
    if (isLost && entry === null) abandon(work);
    const entries = isStale || isLost ? [] : await parts.arrival.take(authority, work.url, answer);
    if (isLost) {
      putDown(work, hand);
      return 'lost';
    }
    if (entry !== null) host.changes.done.push(entry.id);
    putDown(work, hand);
    leases().touch(host);
    const outcomes = await leases().commit(entries);
    await parts.arrival.conclude(authority, entries, outcomes);
    parts.reschedule(host);
    // Read again: the commit may have answered `lost`.
    return (host as LeasedHost).status === 'lost' ? 'lost' : 'ok';
  };

  return {
    putDown,
    async settle(work, hand, settlement) {
      if (settlement.kind === 'returned') return giveBack(work, hand, settlement.untilMs);
      if (work.kind === 'robots' && settlement.kind === 'robots') return settleRobots(work, hand, settlement.answer);
      if (work.kind === 'robots' && settlement.kind === 'refused') return refuse(work, hand, settlement.reason);
      if (work.kind === 'page' && hand.entry === null && settlement.kind === 'done') return settleOwn(work, hand);
      if (work.kind === 'page' && hand.entry !== null && settlement.kind !== 'robots' && settlement.kind !== 'refused')
        return settlePage(work, hand, settlement);
      throw new FrontierError('work-unknown', `a ${work.kind} item cannot be settled as ${settlement.kind}`);
    },
  };
}
