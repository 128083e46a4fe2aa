// The bounds of the audit, each with its unit and its source.

/** Lines of one request log within which requests are sorted by their ends. */
export const AUDIT_WINDOW_LINES = 1_024;
/** Hosts, and addresses, whose last request is remembered; the oldest goes first. About 300 bytes each. */
export const MAX_AUDITED_HOSTS = 1_000_000;
/** Authorities whose robots.txt is remembered. The oldest goes first; its next page counts as before robots.txt. */
export const MAX_AUDITED_AUTHORITIES = 1_000_000;
export const MAX_AUDITED_COPIES = 512; // compiled copies of robots.txt kept; a dropped one is read again if needed
/** Authorities (schemes and ports) of one host whose rules are counted together. */
export const MAX_AUTHORITIES_PER_HOST = 256;
/** Requests in flight at once that are counted: twice what a run may declare. */
export const MAX_AUDITED_CONCURRENCY = 2_048;
export const MAX_LISTED_VIOLATIONS = 1_000; // violations listed one by one; all are counted
/** How early a request may be, at most, if the caller allows it, milliseconds. */
export const MAX_TOLERANCE_MS = 60_000;
/** Milliseconds at most from the last byte of a robots.txt to its reading, or from a decision to its request. */
export const AUDIT_EXPIRY_SLACK_MS = 60_000;
/** The longest time in milliseconds from the decision that a host is open to the first byte of the request. */
export const AUDIT_CLOSED_SLACK_MS = 1_000;
/** Milliseconds of pause after the first 429 or 503 in a row; doubled for each further one (access §10). */
export const AUDIT_THROTTLE_PAUSE_MS = 30_000;
export const MAX_AUDIT_PAUSE_MS = 3_600_000; // the longest such pause in milliseconds (access §10)
/** The longest Retry-After in milliseconds that is required; the operator decides on longer ones (access §10). */
export const MAX_AUDIT_RETRY_AFTER_MS = 86_400_000;
export const AUDIT_FAILURES_BEFORE_PAUSE = 5; // failures in a row that pause a host (access §10)
/** Milliseconds of the first such pause; doubled for each further failure (access §10). */
export const AUDIT_FAILING_PAUSE_MS = 300_000;
/** Smaller differences between clocks are not reported, milliseconds: processes of one machine have them. */
export const MIN_REPORTED_CLOCK_DIFFERENCE_MS = 25;
/** Logged ends of requests that go back by more show that a clock was set back, milliseconds. */
export const MIN_CLOCK_SET_BACK_MS = 60_000;
export const MAX_CLOCK_ERROR_MS = 1_000; // the largest error of a comparison that counts, milliseconds
/** Bytes of a `run.json` that is read: that of a run with every list full is shorter. Ours. */
export const MAX_RECORD_BYTES = 64 * 1024 * 1024;
