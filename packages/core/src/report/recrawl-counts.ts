// What became of the pages that a run visited again.

/** What a recrawl has found so far. */
export interface RecrawlCounts {
  /** Known pages that were visited again. */
  readonly visits: number;
  /** Of them: answered 304; read, and found as they were; changed; not found a second time. */
  readonly notModified: number;
  readonly sameContent: number;
  readonly changed: number;
  readonly gone: number;
  /** Bytes of bodies that were not transferred, as of their last transfer. */
  readonly bytesSaved: number;
  /** When the first page is due that was not visited, or is due again, epoch milliseconds; `null`: none is. */
  readonly nextDueAtMs: number | null;
}

/** The counts of several processes together; `null` of none. */
export function addedRecrawlCounts(all: readonly RecrawlCounts[]): RecrawlCounts | null {
  if (all.length === 0) return null;
  const sum = (of: (counts: RecrawlCounts) => number): number => all.reduce((total, each) => total + of(each), 0);
  const due = all.flatMap(({ nextDueAtMs }) => nextDueAtMs ?? []);
  return {
    visits: sum(({ visits }) => visits),
    notModified: sum(({ notModified }) => notModified),
    sameContent: sum(({ sameContent }) => sameContent),
    changed: sum(({ changed }) => changed),
    gone: sum(({ gone }) => gone),
    bytesSaved: sum(({ bytesSaved }) => bytesSaved),
    nextDueAtMs: due.length === 0 ? null : Math.min(...due),
  };
}
