// Pages that are decided without a request: by robots.txt, the scope, a bound or a hook. The record of such a page says
// so, and a later recrawl tries it again. Without that, the number of its next visit would be the same, and the store
// would not queue it.

import type { JournalListener } from '../journal/journal.js';
import type { KnownPages } from './known-pages.js';
import {
  decodeVisit,
  failedAttempt,
  firstAttempt,
  isRevisitNumber,
  lastAttemptMs,
  type PageVisit,
  type TriedUrl,
  visitKey,
} from './page-visit.js';
import type { VisitStore } from './visit-choice.js';

export type Decided = Pick<PageVisit, 'status' | 'reason'>;

/** What a site refuses before a request: not the visit, but the use of what it returns. */
const USES: ReadonlySet<string> = new Set(['robots-preferences', 'license-prohibits']);

/** Keeps the attempts of one run. */
export class UnrequestedVisits implements JournalListener {
  readonly #store: VisitStore;
  readonly #knownPages: KnownPages;
  readonly #nowMs: () => number;
  /** What `unrequested` writes, one after the other. */
  #writing = Promise.resolve();

  constructor(store: VisitStore, knownPages: KnownPages, nowMs: () => number) {
    this.#store = store;
    this.#knownPages = knownPages;
    this.#nowMs = nowMs;
  }

  /**
   * Keeps that a URL was decided, if the page is known or may become known: if it failed, and if it is a seed.
   * @returns The decision of the last visit of a known page, if that counted as more than a failure.
   */
  unrequested(url: TriedUrl, decision: Decided): Decided | undefined {
    const { status } = decision;
    const last = this.#knownPages.takeLastDecision(url.url);
    if (status !== 'held' && (last !== null || status === 'failed' || (status === 'excluded' && url.depth === 0))) {
      const writing = this.#writing.then(() => this.#write(url, decision));
      writing.catch(() => undefined); // `close` rejects with it
      this.#writing = writing;
    }
    return lastDecision(last);
  }

  /** The last visit of a page that is excluded now; `null`: it had none, or is not excluded. */
  async visitBefore(url: string, { status }: Pick<Decided, 'status'>): Promise<PageVisit | null> {
    const stored = status === 'excluded' ? decodeVisit(await this.#store.readRecord(visitKey(url))) : null;
    return stored === null || stored.visits === 0 ? null : stored;
  }

  /** Resolves when everything is stored. Rejects with what the store throws. */
  close(): Promise<void> {
    return this.#writing;
  }

  async #write(url: TriedUrl, { status, reason }: Decided): Promise<void> {
    const nowMs = this.#nowMs();
    const stored = decodeVisit(await this.#store.readRecord(visitKey(url.url)));
    const { visit = 0 } = url;
    // Queued twice, and decided already.
    if (stored !== null && !isRevisitNumber(visit, lastAttemptMs(stored), nowMs)) return;
    const known = stored ?? firstAttempt(url, nowMs);
    // What we dropped ourselves is tried again with the next recrawl.
    const attempt = status === 'dropped' ? { triedAtMs: nowMs } : failedAttempt(known, nowMs);
    // Its items are removed. A robots.txt that closes it says nothing about them.
    const removed = status === 'excluded' && USES.has(reason) ? { isRemoved: true } : {};
    const again = visit === 0 ? {} : { againAs: visit };
    await this.#knownPages.write({ ...known, ...attempt, ...removed, ...again, status, reason });
  }
}

/** The decision of a page's last visit, if that counted as more than a failure. */
export function lastDecision(last: Decided | null): Decided | undefined {
  return last === null || last.status === 'failed' ? undefined : { status: last.status, reason: last.reason };
}
