// What happens when a robots.txt comes. A redirect: its next hop is queued at its own host, and the authority's lane is
// blocked until it comes. An answer: the lane opens, the operator is informed, companions of the file are queued.

import type { LeasedHost } from '../hosts/leased-host.js';
import { encodeItem } from '../records/record.js';
import type { Authority } from '../robots/authority-cache.js';
import type { Settlement } from '../settlement.js';
import type { AddOutcome, NewEntry } from '../store.js';
import { hostKeyOf } from '../url/host-key.js';
import { type Admission, linksOf } from './admission.js';
import type { FrontierContext } from './context.js';
import type { HostLeases } from './host-leases.js';
import type { HostSchedule } from './host-schedule.js';

type RobotsAnswer = Extract<Settlement, { kind: 'robots' }>['answer'];

/** The arrivals of robots.txt files. Its promises reject with what the store throws. */
export class RobotsArrival {
  readonly #context: FrontierContext;
  readonly #schedule: HostSchedule;
  readonly #leases: HostLeases;
  readonly #admission: Admission;

  constructor(context: FrontierContext, schedule: HostSchedule, leases: HostLeases, admission: Admission) {
    this.#context = context;
    this.#schedule = schedule;
    this.#leases = leases;
    this.#admission = admission;
  }

  /** Takes in what came from `url`. @returns Entries for the commit that reports it. */
  async take(authority: Authority, url: string, answer: RobotsAnswer): Promise<NewEntry[]> {
    const { gate, reporter, clock, settings } = this.#context;
    const received = await gate.receive(authority, url, answer, clock.nowMs());
    if (received.kind === 'hop') {
      this.#blockLane(authority.name, received.chain.untilMs);
      return [this.#hopEntry(authority.name, received.chain.id, received.url)];
    }
    const hasFailed = authority.access.failures > 0;
    const companions = hasFailed ? [] : await settings.companions(authority.name, received.isFirst);
    this.#open(authority);
    const host = this.#hostKeyOf(authority.name) ?? authority.name;
    reporter.robots(host, authority, received.before, gate.rules(authority), textOf(answer));
    if (companions.length === 0) return [];
    const first = companions.map((companion) => ({ ...companion, priority: 0 }));
    return linksOf(this.#admission.consider(first, clock.nowMs()));
  }

  /** Commits the entries that `take` gave. A hop that finds no place ends its chain. */
  async commit(authority: Authority, entries: readonly NewEntry[]): Promise<void> {
    const outcomes: AddOutcome[] = await this.#leases.commit(entries);
    if (authority.chain !== null && outcomes.includes('full')) {
      await this.take(authority, authority.chain.urls.at(-1)!, { kind: 'failure', failure: 'other' });
    }
  }

  /** The time of a redirect chain of the host's authority may be over. */
  async endChain(host: LeasedHost, name: string): Promise<void> {
    const { gate, clock } = this.#context;
    const authority = await gate.load(name);
    const { chain } = authority;
    if (chain === null) host.forgetChain(name);
    // Its hop is being fetched, or the next one waits.
    else if (clock.nowMs() < chain.untilMs) host.waitForChain(name, chain.untilMs);
    else if (await gate.adopt(authority)) this.#open(authority);
    else {
      const failure = { kind: 'failure', failure: 'timeout' } as const;
      await this.commit(authority, await this.take(authority, chain.urls.at(-1)!, failure));
    }
    this.#schedule.reschedule(host);
  }

  /** The request for a robots.txt is not made: another one may be. */
  abandon(name: string): void {
    const { gate } = this.#context;
    const authority = gate.peek(name);
    if (authority === null) return;
    gate.abandonFetch(authority);
    const home = this.#homeOf(name);
    if (home !== undefined) this.#schedule.reschedule(home);
  }

  /** What is known of the authority has changed: its lane opens, its host is looked at again. */
  #open(authority: Authority): void {
    const home = this.#homeOf(authority.name);
    if (home?.status !== 'leased') return;
    if (home.robotsArrived(authority.name, this.#context.gate.rules(authority))) this.#schedule.touch(home);
    this.#schedule.reschedule(home);
  }

  #blockLane(name: string, untilMs: number): void {
    const home = this.#homeOf(name);
    if (home?.status !== 'leased') return;
    home.waitForChain(name, untilMs);
    home.entries.blockLane(name, untilMs);
    this.#schedule.touch(home);
  }

  /** The host of an authority, where it is ours. */
  #homeOf(authority: string): LeasedHost | undefined {
    return this.#schedule.get(this.#hostKeyOf(authority) ?? '');
  }

  #hostKeyOf(authority: string): string | null {
    return hostKeyOf(`${authority}/`, this.#context.settings.hostKeyBy);
  }

  /** It is queued at the host it leads to, in a lane that no authority blocks, before that host's pages. */
  #hopEntry(authority: string, chain: string, url: string): NewEntry {
    return {
      host: hostKeyOf(url, this.#context.settings.hostKeyBy) ?? '',
      lane: `robots.txt of ${authority}`,
      fingerprint: new Uint8Array(this.#context.store.capabilities.fingerprintBytes),
      priority: 0,
      body: encodeItem({ kind: 'hop', authority, chain, url }),
      dedupe: false,
    };
  }
}

/** What came, in one word: the failure, or the status. */
function textOf(answer: RobotsAnswer): string {
  if (answer.kind === 'failure') return answer.failure;
  return answer.kind === 'response' ? `status ${answer.status}` : answer.kind;
}
