// Decisions that another link may still lift: a nofollow link that a second page links openly, or a URL that is too
// deep by one path only. They are reported at the end of the run, unless the URL was admitted in the meantime.

import type { UrlDecision } from '../report/decision.js';

/** Decisions that are not final yet, in bounded memory. */
export class PendingDecisions {
  readonly #limit: number;
  readonly #report: (decision: UrlDecision) => void;
  readonly #pending = new Map<string, UrlDecision>();

  /** @param limit - The most URLs to remember. @param report - Called with each decision that becomes final. */
  constructor(limit: number, report: (decision: UrlDecision) => void) {
    this.#limit = limit;
    this.#report = report;
  }

  /** Remembers the first decision about a URL. Past the limit the oldest one is reported at once. */
  add(decision: UrlDecision): void {
    if (this.#pending.has(decision.url)) return;
    this.#pending.set(decision.url, decision);
    if (this.#pending.size <= this.#limit) return;
    const [oldest] = this.#pending.values();
    if (oldest === undefined) return;
    this.#pending.delete(oldest.url);
    this.#report(oldest);
  }

  /** Forgets a URL that was admitted, or decided otherwise. */
  remove(url: string): void {
    if (this.#pending.size > 0) this.#pending.delete(url);
  }

  reportAll(): void {
    for (const decision of [...this.#pending.values()]) this.#report(decision);
    this.#pending.clear();
  }
}
