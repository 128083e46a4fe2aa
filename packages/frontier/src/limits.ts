// The bounds of the frontier itself, those that several folders share, and those of the stores, each with its unit and
// where it comes from. What belongs to one folder alone is in the `limits.ts` of that folder.

// ── Leases (design of the storage contract) ──────────────────────────────────────────────────────────────────────────

/** Milliseconds a host stays leased without renewal. Long enough for three heartbeats, short enough to wait for. */
export const LEASE_TTL_MS = 30_000;
/** Shortest and longest lease an operator may set, milliseconds. */
export const LEASE_TTL_LEAST_MS = 3_000;
export const LEASE_TTL_MOST_MS = 600_000;
/** No request starts within this many milliseconds before the end of the lease; more when the event loop lags. */
export const LEASE_MARGIN_MS = 1_000;
/** Hosts leased at a time, unless an option says otherwise. */
export const HOSTS_HELD = 1_024;
/** Most hosts an operator may lease at a time. */
export const HOSTS_HELD_MOST = 65_536;
/** Entries of one host that are leased at a time: those in flight and those that come next. */
export const ENTRIES_PER_LEASE = 16;
/** URLs of one host that are handed out and not settled. */
export const UNSETTLED_PER_HOST = 4;
export const UNSETTLED_PER_HOST_MOST = 256;
/** Bytes of the state kept with a host's lease: the storage contract. */
export const HOST_STATE_MAX_BYTES = 1_024;

// ── Queue ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** URLs queued over all hosts before new ones are answered `full`. */
export const QUEUED_MAX = 10_000_000;
/** Characters of a URL: what servers and proxies commonly take, RFC 9110 §4.1 recommends at least 8,000. */
export const URL_MAX_CHARS = 8_192;
/** Priority classes of a host queue (storage contract). */
export const PRIORITIES = 8;
/** Bytes of a fingerprint (storage contract). */
export const FINGERPRINT_BYTES = 8;
/** Shortest secret of the fingerprints, characters: 64 bits as hexadecimal digits (our own). */
export const FINGERPRINT_SECRET_LEAST_CHARS = 16;
/** Bytes of one record (storage contract). */
export const RECORD_MAX_BYTES = 1_048_576;

// ── Robots gate ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Authorities whose state is kept in memory, and the body of their robots.txt with it. */
export const AUTHORITIES_IN_MEMORY = 20_000;
/** Authorities whose rules are kept compiled. Reading a small file again costs less than a page. */
export const RULES_IN_MEMORY = 2_048;
/** Bytes of robots.txt bodies kept in memory, compiled rules counted as much again. */
export const AUTHORITY_BYTES_IN_MEMORY = 67_108_864;
/** Authorities of one host that are kept with its lease because of their requirements. */
export const ASKERS_PER_HOST = 6;
/** Longest Crawl-delay honoured exactly, milliseconds: one day, robots §9.1. */
export const CRAWL_DELAY_MOST_MS = 86_400_000;
/** Blocked lanes of one host that are remembered here; the store knows all of them. */
export const LANES_REMEMBERED = 256;

// ── Bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Largest number of pages a bound may name. */
export const PAGES_MOST = 1_000_000_000;
/** Longest running time a bound may name, minutes: ten years. */
export const MINUTES_MOST = 5_256_000;

/** Entries of `hosts` (our own). */
export const HOST_ENTRIES_MOST = 1_000;
/** Labels that a crawl may name, and characters of one (our own). */
export const LABELS_MOST = 64;
export const LABEL_CHARS_MOST = 128;
/** Least and greatest weight of a host or label (our own). */
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
