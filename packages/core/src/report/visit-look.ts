// What is known of the visits of one page, and when the next one is due: a part of an explanation.

/** The visits of a page. Times are epoch milliseconds. */
export interface VisitLook {
  readonly visits: number;
  /** The last one that came to something, and how many have failed since. */
  readonly lastVisitMs: number;
  readonly failures: number;
  /** Changes that were seen, and the last of them; at first the first visit. */
  readonly changes: number;
  readonly changedAtMs: number;
  /** The gamma distribution of its changes per day, and its mean. */
  readonly shape: number;
  readonly days: number;
  readonly changesPerDay: number;
  /** How likely it is as it was visited, 0 to 1. */
  readonly fresh: number;
  /** How many other pages it is worth, and what a visit now is worth, in days of staleness. */
  readonly importance: number;
  readonly value: number;
  /** When the next visit is due; `null`: never, it is gone. */
  readonly dueAtMs: number | null;
  /**
   * Why then: the bounds of a run decide alone; the interval that follows from how often it changes; what its response
   * says of its lifetime; it was not found once; visits failed, and each doubles the wait; it is gone.
   */
  readonly why: 'bounds' | 'interval' | 'lifetime' | 'missing' | 'failed' | 'gone' | 'named';
  /** Its validators as received, and whether those of its host are sent back. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly isEtagTrusted: boolean;
  readonly isLastModifiedTrusted: boolean;
  /** No conditional request to the host until then; `null`: its ETags have not lied. */
  readonly untrustedUntilMs: number | null;
  /** What sitemaps and feeds say of it since the last visit; `null`: nothing. */
  readonly lastmod: 'changed' | 'unchanged' | null;
  /** How often that has proved true of pages of its host, and how far it counts: 0 to 1. */
  readonly lastmodTrust: { readonly changed: number; readonly unchanged: number; readonly weight: number };
}
