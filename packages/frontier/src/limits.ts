// The bounds of the frontier itself, those that several folders share, and those of the stores, each with its unit and
// source. Bounds that belong to one folder are in the `limits.ts` of that folder.

// ── Leases (design of the storage contract) ──────────────────────────────────────────────────────────────────────────

/**
 * Milliseconds for which a host stays leased without renewal: long enough for three heartbeats, short enough to wait
 * for.
 */
export const DEFAULT_LEASE_TTL_MS = 30_000;
/** The shortest and the longest lease that an operator may set, milliseconds. */
export const MIN_LEASE_TTL_MS = 3_000;
export const MAX_LEASE_TTL_MS = 600_000;
/** No request starts within this many milliseconds before the end of the lease; more if the event loop lags. */
export const LEASE_MARGIN_MS = 1_000;
/** Hosts leased at a time, unless an option sets another number. */
export const DEFAULT_LEASED_HOSTS = 1_024;
/** The most hosts that an operator may lease at a time. */
export const MAX_LEASED_HOSTS = 65_536;
/** Entries of one host that are leased at a time: those in flight and those that come next. */
export const ENTRIES_PER_LEASE = 16;
/** Entries of one host that are leased at a time: those in flight and the next ones. */
export const DEFAULT_UNSETTLED_PER_HOST = 4;
export const MAX_UNSETTLED_PER_HOST = 256;
/** Bytes of the state kept with a host's lease: the storage contract. */
export const MAX_HOST_STATE_BYTES = 1_024;

// ── Queue ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** URLs queued over all hosts; when there are this many, new ones are answered `full`. */
export const DEFAULT_MAX_QUEUED = 10_000_000;
/** The most characters of a URL: what servers and proxies commonly accept. RFC 9110 §4.1 recommends at least 8,000. */
export const MAX_URL_CHARS = 8_192;
/** Priority classes of a host queue (storage contract). */
export const PRIORITIES = 8;
/** Bytes of a fingerprint (storage contract). */
export const FINGERPRINT_BYTES = 8;
/** Bytes of one record (storage contract). */
export const MAX_RECORD_BYTES = 1_048_576;

/** The latest time that an owner may name or a store may hold, epoch milliseconds: that of ECMAScript's `Date`. */
export const MAX_EPOCH_MS = 8_640_000_000_000_000;

// ── Robots gate ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Authorities whose state, with the body of their robots.txt, is in memory. */
export const MAX_CACHED_AUTHORITIES = 20_000;
/** Authorities whose rules stay compiled. Reading a small file again costs less than a page. */
export const MAX_CACHED_RULES = 2_048;
/** Bytes of robots.txt bodies in memory; compiled rules count the same number again. */
export const MAX_CACHED_AUTHORITY_BYTES = 67_108_864;
/** Authorities of one host that are stored with its lease because of their requirements. */
export const MAX_SPACING_AUTHORITIES = 6;
/** Longest Crawl-delay honoured exactly, milliseconds: one day, robots §9.1. */
export const MAX_CRAWL_DELAY_MS = 86_400_000;
/** Blocked lanes of one host that are remembered here; the store has all of them. */
export const MAX_BLOCKED_LANES = 256;

// ── Bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The largest number of pages that a bound may have. */
export const MAX_PAGES = 1_000_000_000;
/** The longest running time that a bound may have, minutes: ten years. */
export const MAX_MINUTES = 5_256_000;

/** The most entries of `hosts` (our own). */
export const MAX_HOST_ENTRIES = 1_000;
/** The most labels of a crawl, and the most characters of a label (our own). */
export const MAX_LABELS = 64;
export const MAX_LABEL_CHARS = 128;
/** The least and the greatest weight of a host or label (our own). */
export const MIN_WEIGHT = 0.01;
export const MAX_WEIGHT = 100;
/** Host names and patterns of one of them (our own). */
export const MAX_HOST_PATTERNS = 1_000;

// Spacing (politeness/**).
/** Longest interval an operator may set, milliseconds: one day (our own). */
export const MAX_INTERVAL_MS = 86_400_000;
/** Retries of one URL that an operator may allow (our own); access §10 allows three, the default of `retryUrl`. */
export const MAX_URL_RETRIES = 20;

// Stores (stores/**).
/** Bytes of one body in the stores of this package (our own: a long URL, its origin and 16 KiB of user data). */
export const MAX_STORE_BODY_BYTES = 65_536;
/** Entries of one `add` or links of one commit in the stores of this package (our own). */
export const MAX_STORE_BATCH = 100_000;
/** Characters of a host name, without a trailing dot (RFC 1035 §2.3.4): a longer one cannot be looked up. */
export const MAX_HOST_NAME_CHARS = 253;
