// The bounds of spacing, each with its unit and its source.

/** The largest share of an interval that jitter may add (access §9). */
export const MAX_JITTER = 0.1;
/** Addresses whose spacing is remembered. What is owed to one is not at once forgotten for a new one (our own). */
export const MAX_KNOWN_ADDRESSES = 65_536;
/** Hosts that wait in line for one address. A further host gets a time to ask again (our own). */
export const MAX_HOSTS_WAITING_PER_ADDRESS = 10_000;
/** The longest rest of all addresses when a crawl is continued, milliseconds (our own). */
export const MAX_ADDRESS_REST_MS = 5_000;
/** The fastest pace of a whole crawl that an operator may set, requests per second (our own). */
export const MAX_REQUESTS_PER_SECOND = 10_000;
/** The slowest, requests per second: one an hour (our own). */
export const MIN_REQUESTS_PER_SECOND = 1 / 3_600;
/** First pause after a 429 or 503, milliseconds (access §10). */
export const THROTTLE_PAUSE_MS = 30_000;
/** The longest pause that counted answers lead to, milliseconds (access §10). */
export const MAX_HOST_PAUSE_MS = 3_600_000;
/** The longest Retry-After that is obeyed, milliseconds. A longer one parks the host for this long (access §10). */
export const MAX_RETRY_AFTER_MS = 86_400_000;
/** Failures in a row before a failing host is paused (access §10). */
export const FAILURES_BEFORE_PAUSE = 5;
/** First pause of a failing host, milliseconds (access §10). */
export const FAILING_PAUSE_MS = 300_000;
/** Refusals in a row before a host is parked for the operator (access §10). */
export const REFUSALS_BEFORE_PARKING = 20;
/** Good answers in a row that halve the adaptive interval (access §10, DECISION A19). */
export const GOOD_ANSWERS_TO_HALVE = 10;
/** Longest adaptive interval, milliseconds (access §10, DECISION A19). */
export const MAX_ADAPTIVE_MS = 600_000;
/** An adaptive interval starts from at least this and ends below it, milliseconds (our own). */
export const MIN_ADAPTIVE_MS = 1_000;
/** Waits before a URL is retried, milliseconds: after a failure, and after a 429 or 503 (access §10). */
export const RETRY_WAITS = { failureWaitsMs: [10_000, 20_000, 40_000], throttleWaitsMs: [30_000, 60_000, 120_000] };
/** How far in the future a parked host's time lies, milliseconds: a year, so that times stay finite (our own). */
export const PARKED_MS = 31_536_000_000;
