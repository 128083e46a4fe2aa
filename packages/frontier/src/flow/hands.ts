// Work in hand, from `take` to `settle`: the slot of its host, the last question before the socket, the end of the
// exchange (the slot frees, the host's clock starts). What the settlement says to the store is in `settling.ts`.

import { FrontierError } from '../errors.js';
import type { Choice } from '../hosts/host-queue.js';
import { currentIntervalMs, hostAsksNow, type LeasedHost, nextStart, type QueuedEntry } from '../hosts/leased-host.js';
import type { CrawlPace } from '../politeness/crawl-pace.js';
import { afterExchange } from '../politeness/host-clock.js';
import type { Politeness } from '../politeness/profile.js';
import { encodeItem } from '../records/record.js';
import { noSignals } from '../robots/authority-rules.js';
import type { Exchange, Settlement } from '../settlement.js';
import type { NewEntry } from '../store.js';
import type { StartAnswer, Work } from '../work.js';
import { RENEWAL_WAIT_MS } from './limits.js';
import { createSettling, type Hand, type SettlingParts } from './settling.js';

type PageChoice = Extract<Choice, { kind: 'page' }>;
/** What is handed out: `entry` is `null` for a request of the owner's own. */
export type Handout = Extract<Choice, { kind: 'robots' }> | (Omit<PageChoice, 'entry'> & { entry: QueuedEntry | null });

/** What hands are made of. */
export interface HandsParts extends SettlingParts {
  readonly politeness: Politeness;
  readonly marginMs: () => number;
  readonly pace: CrawlPace;
  /** The fingerprint of a URL under the name its site gives it. */
  readonly keyPrint: (key: string, visit: number) => Uint8Array;
  readonly isClosed: () => boolean;
}

/** The work in hand. */
export interface Hands {
  readonly count: () => number;
  /** Makes the piece of work, and gives it the host's slot. */
  give(host: LeasedHost, choice: Handout): Work;
  mayConnect(work: Work, address: string): Promise<StartAnswer>;
  mayStart(work: Work): StartAnswer;
  exchanged(work: Work, exchange: Exchange): void;
  settle(work: Work, settlement: Settlement): Promise<'ok' | 'lost'>;
  /** A redirect chain of the host's authority was not finished in time. */
  endChain(host: LeasedHost, authority: string): Promise<void>;
  /** Queues a URL again under the name its site gives it, in one commit with its end under the old one; known by then, it is dropped. */
  rekey(host: LeasedHost, choice: Extract<Choice, { kind: 'rekey' }>): Promise<void>;
  /** Nothing is in hand any more: what was handed out counts as lost. */
  drop(): void;
}

/** @throws Never; its promises reject with what the store throws. */
export function createHands(parts: HandsParts): Hands {
  const { clock, gate, budget, politeness, leases } = parts;
  const hands = new Map<Work, Hand>();
  const settling = createSettling(parts, hands);

  return {
    count: () => hands.size,
    give(host, choice) {
      const lease = { host: host.key, fencingToken: host.fencingToken, requirements: choice.asked.ask };
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
      return settling.settle(work, hand, settlement);
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
        fingerprint: parts.keyPrint(key, item.record.visit ?? 0),
        priority: entry.priority,
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
        settling.putDown(work, hand);
        if (work.kind === 'page' && hand.entry !== null) budget.settle(false);
      }
    },
  };
}
