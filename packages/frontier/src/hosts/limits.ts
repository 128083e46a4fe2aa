// The bounds of what is known of hosts, each with its unit and its source.

/** Excluded URLs remembered as told, two generations of this many. */
export const TOLD_URLS = 65_536;
/** HostWarnings remembered as told, two generations of this many. */
export const MAX_REPORTED_WARNINGS = 8_192;
/** Comment lines of one file that reach the operator: robots §9.5. */
export const COMMENT_MAX_LINES = 100;
/** Crawl-delay above which the operator is told, milliseconds: robots §9.1. */
export const CRAWL_DELAY_LARGE_MS = 60_000;
/** Hosts remembered as having given all the pages they may, two generations of this many. */
export const EXHAUSTED_HOSTS = 65_536;
/** By how much a process may hold more hosts than its share. */
export const HOST_SHARE_MARGIN = 1.25;
