// The bounds of answers for people, each with its unit and its source.

/** The most pages of a scan that `look` reads, and the most entries per page. */
export const LOOK_SCAN_PAGES = 16;
export const LOOK_SCAN_ENTRIES = 512;
/** The most authorities of one host that `inspectHost` describes. */
export const LOOK_AUTHORITIES = 16;
/** The most URLs of one page of `list`. */
export const LIST_MOST = 1_000;
