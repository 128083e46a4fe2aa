// Work in hand, from `take` to `settle`: the slot of its host, the last question before the socket, the end of the
// exchange (the slot frees, the host's clock starts), and what the settlement says to the store.

import type { Clock } from '../clock.js';
import { FrontierError } from '../errors.js';
import { currentIntervalMs, type HeldHost, hostAsksNow, nextStart, type QueuedEntry } from '../hosts/held-host.js';
import type { HostBounds } from '../hosts/host-bounds.js';
import type { Choice } from '../hosts/host-queue.js';
import type { Notices } from '../hosts/notices.js';
import { URL_RETRIES_MAX } from '../limits.js';
import type { AddressSlots } from '../politeness/address-slots.js';
import type { CrawlPace } from '../politeness/crawl-pace.js';
import { afterExchange } from '../politeness/host-clock.js';
import type { Politeness } from '../politeness/profile.js';
import type { Budget } from '../records/budget.js';
import { encodeItem, type PageItem } from '../records/record.js';
import { noSignals } from '../robots/authority-rules.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { Exchange, Settlement } from '../settlement.js';
import type { NewEntry } from '../store.js';
import type { PageWork, RobotsWork, StartAnswer, Work } from '../work.js';
import { type Admission, linksOf } from './admission.js';
import type { Leases } from './lease.js';
import { RENEWAL_WAIT_MS, RETRY_JITTER } from './limits.js';
import type { RobotsArrival } from './robots-arrival.js';

/** What is known of a piece of work beside what its holder sees. */
interface Hand {
  readonly host: HeldHost;
  /** `null`: none stands for it, as for the first request for a robots.txt and for requests of the owner's own. */
  readonly entry: QueuedEntry | null;
  /** The authority that answers it. */
  readonly authority: string;
  /** Of a hop: its chain. */
  readonly chain: string | null;
}

type PageChoice = Extract<Choice, { kind: 'page' }>;
/** What is handed out: `entry` is `null` for a request of the owner's own. */
export type Handout = Extract<Choice, { kind: 'robots' }> | (Omit<PageChoice, 'entry'> & { entry: QueuedEntry | null });

/** What hands are made of. */
export interface HandsParts {
  readonly clock: Clock;
  readonly gate: RobotsGate;
  readonly budget: Budget;
  readonly politeness: Politeness;
  readonly notices: Notices;
  readonly admission: Admission;
  readonly arrival: RobotsArrival;
  readonly leases: () => Leases;
  readonly reschedule: (host: HeldHost) => void;
  readonly marginMs: () => number;
  readonly hostBounds: HostBounds;
  readonly pace: CrawlPace;
  readonly addresses: AddressSlots;
  /** The fingerprint of a URL under the name its site gives it. */
  readonly keyPrint: (key: string, visit: number) => Uint8Array;
  /** Commits what is touched, soon. */
  readonly commitSoon: () => void;
  readonly isClosed: () => boolean;
  /** Numbers in [0, 1): jitter of retries. */
  readonly random: () => number;
}

const EXHAUSTED = { word: 'failed', reason: 'retries-exhausted' } as const;

/** The work in hand. */
export interface Hands {
  readonly count: () => number;
  /** Makes the piece of work, and gives it the host's slot. */
  give(host: HeldHost, choice: Handout): Work;
  mayConnect(work: Work, address: string): Promise<StartAnswer>;
  mayStart(work: Work): StartAnswer;
  exchanged(work: Work, exchange: Exchange): void;
  settle(work: Work, settlement: Settlement): Promise<'ok' | 'lost'>;
  /** A redirect chain of the host's authority was not finished in time. */
  endChain(host: HeldHost, authority: string): Promise<void>;
  /** Queues a URL again under the name its site gives it, in one commit with its end under the old one; known by then, it is dropped. */
  rekey(host: HeldHost, choice: Extract<Choice, { kind: 'rekey' }>): Promise<void>;
  /** Nothing is in hand any more: what was handed out counts as lost. */
  drop(): void;
}

/** @throws Never; its promises reject with what the store throws. */
export function createHands(parts: HandsParts): Hands {
  const { clock, gate, budget, politeness, leases } = parts;
  const hands = new Map<Work, Hand>();

  /** The piece of work is out of hand; its entry is what the caller makes of it. */
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
    return (host as HeldHost).status === 'lost' ? 'lost' : 'ok';
  };

  return {
    count: () => hands.size,
    give(host, choice) {
      const lease = { host: host.key, epoch: host.epoch, asks: choice.asked.ask };
      const { entry, authority } = choice;
      const work: Work =
        choice.kind === 'robots'
          ? { kind: 'robots', lease, authority: authority.name, hops: choice.hops, ...choice.request }
          : {
              kind: 'page',
              lease,
              entryId: choice.entry?.id ?? '',
              url: choice.item.record.url,
              record: choice.item.record,
              decision: choice.decision,
              robots: gate.ref(authority),
              signals: gate.rules(authority)?.signals(choice.item.record.url) ?? noSignals(),
            };
      parts.pace.took(clock.nowMs());
      const chain = choice.kind === 'robots' && entry !== null ? authority.chain!.id : null;
      hands.set(work, { host, entry, authority: authority.name, chain });
      host.slot = work;
      host.unsettled += 1;
      if (work.kind === 'page' && entry !== null) host.pagesInHand += 1;
      return work;
    },
    async mayConnect(work, address) {
      const host = hands.get(work)?.host;
      if (host === undefined || host.status !== 'held' || host.slot !== work) return { kind: 'lost' };
      if (!politeness.perIp) return { kind: 'go' };
      const nowMs = clock.nowMs();
      const intervalMs = currentIntervalMs(host, hostAsksNow(host, nowMs), politeness);
      const untilMs = await parts.addresses.ask(host.key, address, intervalMs, nowMs);
      if (untilMs === null) return { kind: 'go' };
      host.addressAtMs = untilMs;
      return { kind: 'wait', untilMs };
    },
    mayStart(work) {
      const host = hands.get(work)?.host;
      const nowMs = clock.nowMs();
      if (host === undefined || host.status !== 'held' || host.slot !== work || nowMs >= host.leaseEndMs)
        return { kind: 'lost' };
      if (nowMs >= host.leaseEndMs - parts.marginMs()) {
        leases().touch(host);
        parts.commitSoon();
        return { kind: 'wait', untilMs: nowMs + RENEWAL_WAIT_MS };
      }
      const asked = hostAsksNow(host, nowMs);
      const start = nextStart(host, asked, politeness).atMs;
      const untilMs = work.kind === 'page' ? Math.max(start, asked.closed?.untilMs ?? 0) : start;
      const paceMs = parts.pace.mayStartAtMs();
      if (untilMs > nowMs || paceMs > nowMs) return { kind: 'wait', untilMs: Math.max(untilMs, paceMs) };
      parts.pace.started(nowMs);
      return { kind: 'go' };
    },
    exchanged(work, exchange) {
      const hand = hands.get(work);
      if (hand === undefined) return; // Closed meanwhile.
      const { host } = hand;
      const intervalMs = currentIntervalMs(host, hostAsksNow(host, clock.nowMs()), politeness);
      const after = afterExchange(host.clock, exchange, intervalMs, work.kind === 'robots');
      host.clock = after.clock;
      host.exchanges += 1;
      host.bytes += exchange.bytes;
      host.firstRunMs ??= Math.max(0, budget.runningMs(exchange.startedAtMs));
      if (host.slot === work) host.slot = null;
      const afterMs = currentIntervalMs(host, hostAsksNow(host, exchange.endedAtMs), politeness);
      parts.addresses.free(host.key, exchange.endedAtMs, afterMs);
      budget.addBytes(exchange.bytes);
      parts.notices.clock(host.key, after.notices);
      // A pause should outlive us, and the page that met it may take its time to settle.
      if (after.notices.length > 0 && host.status === 'held') leases().touch(host);
      const authority = work.kind === 'page' && exchange.status !== null ? gate.peek(hand.authority) : null;
      if (authority !== null) gate.hostAnswered(authority, exchange.endedAtMs);
      parts.reschedule(host);
    },
    async settle(work, settlement) {
      const hand = hands.get(work);
      if (hand === undefined) {
        if (parts.isClosed()) return 'lost';
        throw new FrontierError('work-unknown', `this piece of work is not in hand: ${work.url}`);
      }
      if (settlement.kind === 'returned') return giveBack(work, hand, settlement.untilMs);
      if (work.kind === 'robots' && settlement.kind === 'robots') return settleRobots(work, hand, settlement.answer);
      if (work.kind === 'robots' && settlement.kind === 'refused') return refuse(work, hand, settlement.reason);
      if (work.kind === 'page' && hand.entry === null && settlement.kind === 'done') return settleOwn(work, hand);
      if (work.kind === 'page' && hand.entry !== null && settlement.kind !== 'robots' && settlement.kind !== 'refused')
        return settlePage(work, hand, settlement);
      throw new FrontierError('work-unknown', `a ${work.kind} item cannot be settled as ${settlement.kind}`);
    },
    async endChain(host, name) {
      const authority = await gate.load(name);
      const { chain } = authority;
      if (chain !== null && clock.nowMs() < chain.untilMs) {
        host.chains.set(name, chain.untilMs); // Its hop is being fetched, or the next one waits.
      } else if (chain === null) {
        host.chains.delete(name);
      } else if (await gate.adopt(authority)) {
        parts.arrival.comeBack(authority);
      } else {
        const entries = await parts.arrival.take(authority, chain.urls.at(-1)!, {
          kind: 'failure',
          failure: 'timeout',
        });
        await parts.arrival.conclude(authority, entries, await leases().commit(entries));
      }
      parts.reschedule(host);
    },
    async rekey(host, { entry, item, authority, key }) {
      host.changes.done.push(entry.id);
      const again: NewEntry = {
        host: host.key,
        lane: authority.name,
        fp: parts.keyPrint(key, item.record.visit ?? 0),
        band: entry.band,
        body: encodeItem({ ...item, isKeyed: true }),
        dedupe: true,
      };
      leases().touch(host);
      const outcomes = await leases().commit([again]);
      parts.admission.noteQueued([again], outcomes);
      const [outcome] = outcomes;
      if (outcome !== 'new' && host.status !== 'lost') {
        const reason = outcome === 'known' ? 'duplicate' : 'frontier-full';
        parts.notices.ended(item.record, { word: 'dropped', reason, detail: key }, gate.ref(authority));
      }
      parts.reschedule(host);
    },
    drop() {
      const nowMs = clock.nowMs();
      for (const [work, hand] of hands) {
        const { host } = hand;
        // It may have been on its way: the gap counts from now.
        if (host.slot === work) host.clock = { ...host.clock, lastStartMs: nowMs, lastEndMs: nowMs };
        putDown(work, hand);
        if (work.kind === 'page' && hand.entry !== null) budget.settle(false);
      }
    },
  };
}
