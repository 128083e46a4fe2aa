// Whether this machine's clock is right, by the `Date` of the hosts that answer: a signature with a wrong time looks
// like a forgery. One host may be wrong; the median of several is not (specification, identity 3.3).

import { keepLatest } from '../keep-latest.js';
import { CLOCK_HOSTS } from './limits.js';

/** The differences of the hosts that answered last. */
export class ClockCheck {
  readonly #byHost = new Map<string, { readonly aheadMs: number; readonly atMs: number }>();

  /** Whether an answer of the host tells something new: its clock was not compared in the last seconds. */
  isDue(host: string, atMs: number): boolean {
    const last = this.#byHost.get(host);
    return last === undefined || Math.abs(atMs - last.atMs) >= CLOCK_HOSTS.eachMs;
  }

  /**
   * Takes the `Date` of an answer and tells the median.
   *
   * @param atMs - Our time when its header section came, epoch milliseconds.
   * @returns Milliseconds by which our clock is ahead of the median host; `null`: too few are known.
   */
  add(host: string, date: string | null, atMs: number): number | null {
    const theirMs = Date.parse(date ?? '');
    // Whole seconds: half of one on average.
    if (!Number.isNaN(theirMs))
      keepLatest(this.#byHost, host, { aheadMs: atMs - theirMs - 500, atMs }, CLOCK_HOSTS.most);
    if (this.#byHost.size < CLOCK_HOSTS.least) return null;
    const sorted = [...this.#byHost.values()].map(({ aheadMs }) => aheadMs).sort((left, right) => left - right);
    return sorted[sorted.length >> 1] ?? null;
  }
}
