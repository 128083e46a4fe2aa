// The bounds of the frontier itself, those that several folders share, and those of the stores, each with its unit and
// source. Bounds that belong to one folder are in the `limits.ts` of that folder.

// ── Leases (design of the storage contract) ──────────────────────────────────────────────────────────────────────────

/**
 * Milliseconds for which a host stays leased without renewal: long enough for three heartbeats, short enough to wait
 * for.
 */
export const LEASE_TTL_MS = 30_000;
/** The shortest and the longest lease that an operator may set, milliseconds. */
export const LEASE_TTL_LEAST_MS = 3_000;
export const LEASE_TTL_MOST_MS = 600_000;
/** No request starts within this many milliseconds before the end of the lease; more if the event loop lags. */
export const LEASE_MARGIN_MS = 1_000;
/** Hosts leased at a time, unless an option sets another number. */
export const HOSTS_HELD = 1_024;
/** The most hosts that an operator may lease at a time. */
export const HOSTS_HELD_MOST = 65_536;
/** Entries of one host that are leased at a time: those in flight and those that come next. */
export const ENTRIES_PER_LEASE = 16;
/** Entries of one host that are leased at a time: those in flight and the next ones. */
export const UNSETTLED_PER_HOST = 4;
export const UNSETTLED_PER_HOST_MOST = 256;
/** Bytes of the state kept with a host's lease: the storage contract. */
export const HOST_STATE_MAX_BYTES = 1_024;

// ── Queue ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** URLs queued over all hosts; when there are this many, new ones are answered `full`. */
export const QUEUED_MAX = 10_000_000;
/** The most characters of a URL: what servers and proxies commonly accept. RFC 9110 §4.1 recommends at least 8,000. */
export const URL_MAX_CHARS = 8_192;
/** Priority classes of a host queue (storage contract). */
export const PRIORITIES = 8;
/** Bytes of a fingerprint (storage contract). */
export const FINGERPRINT_BYTES = 8;
/** Bytes of one record (storage contract). */
export const RECORD_MAX_BYTES = 1_048_576;

// ── Robots gate ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Authorities whose state, with the body of their robots.txt, is in memory. */
export const AUTHORITIES_IN_MEMORY = 20_000;
/** Authorities whose rules stay compiled. Reading a small file again costs less than a page. */
export const RULES_IN_MEMORY = 2_048;
/** Bytes of robots.txt bodies in memory; compiled rules count the same number again. */
export const AUTHORITY_BYTES_IN_MEMORY = 67_108_864;
/** Authorities of one host that are stored with its lease because of their requirements. */
export const ASKERS_PER_HOST = 6;
/** Longest Crawl-delay honoured exactly, milliseconds: one day, robots §9.1. */
export const CRAWL_DELAY_MOST_MS = 86_400_000;
/** Blocked lanes of one host that are remembered here; the store has all of them. */
export const LANES_REMEMBERED = 256;

// ── Bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The largest number of pages that a bound may have. */
export const PAGES_MOST = 1_000_000_000;
/** The longest running time that a bound may have, minutes: ten years. */
export const MINUTES_MOST = 5_256_000;

/** The most entries of `hosts` (our own). */
export const HOST_ENTRIES_MOST = 1_000;
/** The most labels of a crawl, and the most characters of a label (our own). */
export const LABELS_MOST = 64;
export const LABEL_CHARS_MOST = 128;
/** The least and the greatest weight of a host or label (our own). */
export const WEIGHT_LEAST = 0.01;
export const WEIGHT_MOST = 100;
/** Host names and patterns of one of them (our own). */
export const HOST_PATTERNS_MOST = 1_000;

// Spacing (politeness/**).
/** Longest interval an operator may set, milliseconds: one day (our own). */
export const POLITENESS_MS_MAX = 86_400_000;
/** Retries of one URL that an operator may allow (our own); access §10 allows three, the default of `retryUrl`. */
export const URL_RETRIES_MAX = 20;

// Stores (stores/**).
/** Bytes of one body in the stores of this package (our own: a long URL, its origin and 16 KiB of user data). */
export const STORE_BODY_MAX_BYTES = 65_536;
/** Entries of one `add` or links of one commit in the stores of this package (our own). */
export const STORE_BATCH_MAX = 100_000;
/** Characters of a host name, without a trailing dot (RFC 1035 §2.3.4): a longer one cannot be looked up. */
export const HOST_NAME_MAX_CHARS = 253;
