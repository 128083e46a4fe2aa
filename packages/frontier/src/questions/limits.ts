// The bounds of answers for people, each with its unit and its source.

/** Pages of a scan that `look` reads at most, and entries per page. */
export const LOOK_SCAN_PAGES = 16;
export const LOOK_SCAN_ENTRIES = 512;
/** Authorities of one host that `inspectHost` describes. */
export const LOOK_AUTHORITIES = 16;
/** URLs of one page of `list`. */
export const LIST_MOST = 1_000;
