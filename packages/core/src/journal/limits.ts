// The bounds of what the journal remembers, each with its unit and its source.

/** URLs turned away that are remembered as decided. */
export const MAX_DECIDED_URLS = 65_536;
/** URLs left alone that another link may still lead to. */
export const MAX_PENDING_DECISIONS = 65_536;
/** Requests for pages without a decision yet whose host clock is remembered: a retry may be hours away. */
export const MAX_UNDECIDED_REQUESTS = 4_096;
