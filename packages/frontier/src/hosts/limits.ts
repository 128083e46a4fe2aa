// The bounds of what is known of hosts, each with its unit and its source.

/** Excluded URLs remembered as reported: two generations of this many. */
export const REPORTED_URLS = 65_536;
/** Warnings remembered as reported: two generations of this many. */
export const REPORTED_WARNINGS = 8_192;
/** The most characters that a warning shows of the platform's message about a failed request for robots.txt. */
export const MAX_FAILURE_DETAIL_CHARS = 200;
/** The most comment lines of one file that are passed on to the operator: robots §9.5. */
export const MAX_COMMENT_LINES = 100;
/** Crawl-delay above which the operator is warned, milliseconds: robots §9.1. */
export const LARGE_CRAWL_DELAY_MS = 60_000;
