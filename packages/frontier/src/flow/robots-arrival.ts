// What happens when a robots.txt comes: a redirect's next hop is queued at its own host and the authority steps aside;
// an answer opens the authority's lane, tells the operator, and queues what is to be asked for beside the file.

import type { Clock } from '../clock.js';
import { noteAsks } from '../hosts/host-queue.js';
import type { HostWarnings } from '../hosts/host-warnings.js';
import { holdLane, type LeasedHost, openLane } from '../hosts/leased-host.js';
import type { CompanionsFor } from '../options/options.js';
import { encodeItem } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import type { RobotsGate } from '../robots/robots-gate.js';
import type { Settlement } from '../settlement.js';
import type { AddOutcome, HostKey, NewEntry } from '../store.js';
import type { Admission } from './admission.js';
import { linksOf } from './admission.js';
import type { Leases } from './lease.js';

type RobotsAnswer = Extract<Settlement, { kind: 'robots' }>['answer'];

/** What arrivals are made of. */
export interface ArrivalParts {
  readonly clock: Clock;
  readonly gate: RobotsGate;
  readonly notices: HostWarnings;
  readonly admission: Admission;
  readonly leases: () => Leases;
  readonly reschedule: (host: LeasedHost) => void;
  readonly hostKeyOf: (url: string) => HostKey | null;
  readonly companions: CompanionsFor;
  readonly fingerprintBytes: () => number;
}

/** The desk where robots.txt files arrive. */
export interface RobotsArrival {
  /** The host of an authority, when we hold it. */
  homeOf(authority: string): LeasedHost | null;
  /** What is known of the authority has changed: its lane opens, its host is looked at again. */
  comeBack(authority: Authority): void;
  /** Takes in what came from `url`. @returns Entries for the commit that says so. */
  take(authority: Authority, url: string, answer: RobotsAnswer): Promise<NewEntry[]>;
  /** The entries were answered: a hop that found no room ends its chain. */
  conclude(authority: Authority, entries: readonly NewEntry[], outcomes: readonly AddOutcome[]): Promise<void>;
}

/** @throws Never; its promises reject with what the store throws. */
export function createRobotsArrival(parts: ArrivalParts): RobotsArrival {
  const { clock, gate, leases } = parts;

  const homeOf = (name: string) => leases().held.get(parts.hostKeyOf(`${name}/`) ?? '') ?? null;

  const stepAside = (name: string, untilMs: number) => {
    const home = homeOf(name);
    if (home === null || home.status !== 'held') return;
    home.chains.set(name, untilMs);
    holdLane(home, name, untilMs);
    leases().touch(home);
  };

  const comeBack = (authority: Authority) => {
    const home = homeOf(authority.name);
    if (home === null || home.status !== 'held') return;
    home.chains.delete(authority.name);
    home.closed = null;
    home.isDry = false;
    noteAsks(home, authority.name, gate.rules(authority));
    if (openLane(home, authority.name)) leases().touch(home);
    parts.reschedule(home);
  };

  const take = async (authority: Authority, url: string, answer: RobotsAnswer): Promise<NewEntry[]> => {
    const received = await gate.receive(authority, url, answer, clock.nowMs());
    if (received.kind === 'hop') {
      stepAside(authority.name, received.chain.untilMs);
      return [hopEntry(authority.name, received.chain.id, received.url)];
    }
    const hasFailed = authority.access.failures > 0;
    const companions = hasFailed ? [] : await parts.companions(authority.name, received.isFirst);
    comeBack(authority);
    const host = parts.hostKeyOf(`${authority.name}/`) ?? authority.name;
    parts.notices.robots(host, authority, received.before, gate.rules(authority), saidOf(answer));
    if (companions.length === 0) return [];
    const beside = companions.map((companion) => ({ ...companion, priority: 0 }));
    return linksOf(parts.admission.consider(beside, clock.nowMs()));
  };

  /** It stands in the queue of the host it goes to, in a lane that no authority's hold concerns, before that host's pages. */
  const hopEntry = (authority: string, chain: string, url: string): NewEntry => ({
    host: parts.hostKeyOf(url) ?? '',
    lane: `robots.txt of ${authority}`,
    fingerprint: new Uint8Array(parts.fingerprintBytes()),
    priority: 0,
    body: encodeItem({ kind: 'hop', authority, chain, url }),
    dedupe: false,
  });

  return {
    homeOf,
    comeBack,
    take,
    async conclude(authority, entries, outcomes) {
      parts.admission.noteQueued(entries, outcomes);
      const isRefused = authority.chain !== null && outcomes.includes('full');
      if (isRefused) await take(authority, authority.chain!.urls.at(-1)!, { kind: 'failure', failure: 'other' });
    },
  };
}

/** What came, in a word: the failure, or the status. */
function saidOf(answer: RobotsAnswer): string {
  if (answer.kind === 'failure') return answer.failure;
  return answer.kind === 'response' ? `status ${answer.status}` : answer.kind;
}
