// What became of the pages that a run visited again.

import { largest, sums } from './combined-counts.js';

/** What a recrawl has found so far. */
export interface RecrawlCounts {
  /** Known pages that were visited again. */
  readonly visits: number;
  /** Of these: answered 304; read and unchanged; changed; not found for the second time. */
  readonly notModified: number;
  readonly sameContent: number;
  /** Of `sameContent`: the body changed, but nothing that counts as content. */
  readonly cosmetic: number;
  readonly changed: number;
  readonly gone: number;
  /** Bytes of bodies that were not transferred, by the size of their last transfer. */
  readonly bytesSaved: number;
  /** Known pages, and the expected share of them that is unchanged since the visit: before the run, after it. */
  readonly known: number;
  readonly freshBefore: number | null;
  readonly freshAfter: number | null;
  /** When the first page is due that was not visited, or is due again, epoch milliseconds; `null` if none is. */
  readonly nextDueAtMs: number | null;
}

/** The sum of the counts of several processes; `null` if there are none. */
export function sumRecrawlCounts(all: readonly RecrawlCounts[]): RecrawlCounts | null {
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
    // Each process knows what it visited itself.
    freshAfter: before === null ? null : shares.reduce((sum, each) => sum + each.after - each.before, before),
    nextDueAtMs: due.length === 0 ? null : Math.min(...due),
  };
}
