// The bounds of answers for people, each with its unit and its source.

/** The most pages of a scan that one question reads, and the most entries per page. */
export const MAX_SCAN_PAGES = 16;
export const MAX_SCAN_ENTRIES_PER_PAGE = 512;
/** The most authorities of one host that `inspectHost` describes. */
export const MAX_INSPECTED_AUTHORITIES = 16;
/** The most URLs of one page of `list`. */
export const MAX_LISTED_URLS = 1_000;
