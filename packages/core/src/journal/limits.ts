// The bounds of what the journal remembers, each with its unit and its source.

export const MAX_DECIDED_URLS = 65_536; // URLs turned away that are remembered as decided
export const MAX_PENDING_DECISIONS = 65_536; // URLs left alone that another link may still lead to
export const MAX_PENDING_LINES = 4 * MAX_PENDING_DECISIONS; // lines of their file, until it is written anew
/** Requests for pages without a decision yet whose host clock is remembered: a retry may be hours away. */
export const MAX_UNDECIDED_REQUESTS = 4_096;

// The log
export const MAX_LOG_CHARS = 500; // characters of one line of the log
export const MAX_LOGGED_OF_A_KIND = 5; // entries of a kind that a terminal shows before they are only counted
export const STORE_LOGGED_ANEW_MS = 3_600_000; // after which those of the store are shown again: an outage each
export const MAX_LOGGED_KINDS = 100; // kinds that it tells apart; of all others together it shows as many as of one
export const MAX_STACK_LINES = 8; // lines of a stack that it shows
/** Hosts whose failures in a row are counted; the one that failed first is forgotten first. */
export const MAX_FAILING_HOSTS = 10_000;
export const FAILURES_TO_NAME = 3; // failures in a row after which a host is named: the third, the thirtieth and so on
