// The bounds of what the journal remembers, each with its unit and its source.

export const MAX_DECIDED_URLS = 65_536; // refused URLs that are remembered as decided
export const MAX_PENDING_DECISIONS = 65_536; // URLs left alone that another link may still lead to
export const MAX_PENDING_LINES = 4 * MAX_PENDING_DECISIONS; // lines of their file before it is rewritten
/** Requests for pages without a decision yet whose host clock is remembered: a retry may be hours away. */
export const MAX_UNDECIDED_REQUESTS = 4_096;

// The log
export const MAX_LOG_CHARS = 500; // characters of one line of the log
export const MAX_LOGGED_PER_KIND = 5; // entries of a kind that a terminal shows; more are only counted
export const STORE_LOG_RESET_MS = 3_600_000; // milliseconds until store entries are shown again, as a new outage
export const MAX_LOGGED_KINDS = 100; // kinds that are distinguished; all others together are shown like one kind
export const MAX_STACK_LINES = 8; // lines of a stack that it shows
export const MAX_FAILING_HOSTS = 10_000; // hosts whose failures are counted; the one that failed first is forgotten
export const FAILURES_BEFORE_WARNING = 3; // consecutive failures until a host is named: the 3rd, 30th and so on
