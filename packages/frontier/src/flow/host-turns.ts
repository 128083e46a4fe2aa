// Which of the hosts that are due goes first, where weights or quiet hours decide it.
//
// With weights (weighted fair queueing): a host has a virtual time, which a turn moves on by 1 / weight, and the one
// with the least goes first. So a host of weight 3 gets three turns while one of weight 1 gets one, where the crawl
// cannot ask all that are due; where it can, weights change nothing. A host that comes is a turn behind the common
// time, which every turn moves on by its share of all weights: so new hosts cannot keep others waiting for ever. A host
// that politeness kept waiting may catch up a turn.
// Virtual times are in memory: after a restart, and in each process, they begin anew.
//
// With quiet hours, hosts at which it is night go before all others.

import type { LeasedHost } from '../hosts/leased-host.js';
import type { ResolvedFrontierOptions } from '../options/options.js';
import { QuietHours } from '../politeness/quiet-hours.js';

/** How far the virtual time of a host may lie behind, in turns of weight 1. */
const CREDIT = 1;
/** More than any time that hosts are compared by, and little enough to tell hundredths apart. */
const AHEAD_OF_ALL = 1e13;

export class HostTurns {
  readonly #settings: Pick<ResolvedFrontierOptions, 'isWeighted' | 'labels' | 'politeness'>;
  readonly #quietHours: QuietHours | null;
  /** The common virtual time. */
  #now = 0;
  /** The weights of the last turns of all leased hosts together. */
  #weights = 0;

  constructor(settings: Pick<ResolvedFrontierOptions, 'isWeighted' | 'labels' | 'politeness'>) {
    this.#settings = settings;
    this.#quietHours = settings.politeness.quietHours === 'prefer' ? new QuietHours() : null;
  }

  /** What hosts that are due are compared by: the least goes first. @param dueAtMs - Epoch milliseconds. */
  rank(host: LeasedHost, dueAtMs: number, nowMs: number): number {
    const rank = this.#settings.isWeighted ? host.turnAt : dueAtMs;
    return this.#quietHours?.isNight(host.key, nowMs) === true ? rank - AHEAD_OF_ALL : rank;
  }

  came(host: LeasedHost): void {
    this.#setWeight(host, host.weight);
    host.turnAt = this.#now + 1 / host.weight;
  }

  /** The host is not leased any more. The second call does nothing. */
  left(host: LeasedHost): void {
    this.#setWeight(host, 0);
  }

  /** The host has had a turn. @param label - Of the URL; `null`: none. */
  had(host: LeasedHost, label: string | null): void {
    const weight = host.weight * (this.#settings.labels.get(label ?? '')?.weight ?? 1);
    this.#setWeight(host, weight);
    this.#now = Math.max(this.#now + 1 / this.#weights, host.turnAt);
    host.turnAt = Math.max(host.turnAt, this.#now - CREDIT) + 1 / weight;
  }

  #setWeight(host: LeasedHost, weight: number): void {
    this.#weights += weight - host.turnWeight;
    host.turnWeight = weight;
  }
}
