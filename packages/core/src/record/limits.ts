// The bounds of what the recorder remembers, each with its unit and its source.

/** URLs turned away that are remembered as told. */
export const MAX_TOLD_URLS = 65_536;
/** URLs left alone that another road may still lead to. */
export const MAX_LEFT_ALONE = 65_536;
/** Requests for pages without a word yet whose host clock is remembered: a retry may be hours away. */
export const MAX_UNDECIDED_REQUESTS = 4_096;
