// What became of the pages that a run visited again.

import { largest, sums } from './added-numbers.js';

/** What a recrawl has found so far. */
export interface RecrawlCounts {
  /** Known pages that were visited again. */
  readonly visits: number;
  /** Of them: answered 304; read, and found as they were; changed; not found a second time. */
  readonly notModified: number;
  readonly sameContent: number;
  /** Of `sameContent`: the body has changed, and nothing that counts as content. */
  readonly cosmetic: number;
  readonly changed: number;
  readonly gone: number;
  /** Bytes of bodies that were not transferred, as of their last transfer. */
  readonly bytesSaved: number;
  /** Known pages, and the share of them that is expected to be as it was visited: before the run, after it. */
  readonly known: number;
  readonly freshBefore: number | null;
  readonly freshAfter: number | null;
  /** When the first page is due that was not visited, or is due again, epoch milliseconds; `null`: none is. */
  readonly nextDueAtMs: number | null;
}

/** The counts of several processes together; `null` of none. */
export function addedRecrawlCounts(all: readonly RecrawlCounts[]): RecrawlCounts | null {
  if (all.length === 0) return null;
  const shares = all.flatMap(({ freshBefore: before, freshAfter: after }) =>
    before === null || after === null ? [] : [{ before, after }],
  );
  const before = shares[0]?.before ?? null;
  const due = all.flatMap(({ nextDueAtMs }) => nextDueAtMs ?? []);
  return {
    ...sums(all, 'visits', 'notModified', 'sameContent', 'cosmetic', 'changed', 'gone', 'bytesSaved'),
    ...largest(all, 'known'),
    freshBefore: before,
    // Each knows what it has visited itself.
    freshAfter: before === null ? null : shares.reduce((sum, each) => sum + each.after - each.before, before),
    nextDueAtMs: due.length === 0 ? null : Math.min(...due),
  };
}
