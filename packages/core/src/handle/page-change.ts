// What a crawl that keeps its visits knows of a page from earlier ones.

import type { JsonValue } from '@mannerly/frontier';

/** How a page differs from its last visit. */
export interface PageChange {
  /** `unchanged`: a handler asked for this visit (`page.revisit`); a recrawl calls no handler for such a page. */
  readonly kind: 'new' | 'changed' | 'unchanged';
  /** When it was visited before, epoch milliseconds; `null`: never. */
  readonly lastVisitMs: number | null;
  /** The digest of what counted as its content then (`recrawl.change`); `null`: there is none. */
  readonly lastDigest: string | null;
  /** The same of now; `null`: the body lies in a file. */
  readonly digest: string | null;
}

/** A known page that was visited again and is as it was. There is no body. Times are epoch milliseconds. */
export interface UnchangedPage {
  /** As requested. */
  readonly url: string;
  /** 304, or the status of a body whose content is that of the last one. */
  readonly status: number;
  readonly label: string | null;
  readonly userData: JsonValue | null;
  readonly depth: number;
  readonly fetchedAtMs: number;
  readonly lastVisitMs: number;
  /** When it was seen to have changed last; the first visit counts. */
  readonly changedAtMs: number;
  /** Its visits, this one included, and those that found a change. */
  readonly visits: number;
  readonly changes: number;
  readonly digest: string | null;
}

/** User code for pages that are as they were. It writes no items: those of the last visit stay. */
export type UnchangedHandler = (page: UnchangedPage) => unknown;
