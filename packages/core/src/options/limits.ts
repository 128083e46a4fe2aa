// The bounds of options and of what is stored of them, each with its unit and its source.

export const MAX_DEPTH = 1_000_000; // links between a seed and a page
export const MAX_PAGES = 1_000_000_000; // pages a bound may name: the frontier's own
export const MAX_MINUTES = 5_256_000; // minutes a bound may name: ten years, the frontier's own

// Several processes at one crawl (our own).
/** Bytes of seeds that a store keeps for comparison, as JSON; beyond that it keeps their hash. */
export const MAX_TERMS_SEEDS_BYTES = 262_144;
export const MAX_TERM_CHARS = 300; // characters of an option that the message about a difference shows

// Seeded crawls (our own).
export const MAX_SEED_CHARS = 128; // characters of the text that decides the order

// Traps (our own).
export const MAX_SIMILAR_PAGES = 1_000_000; // similar pages that may come before a trap is recognized
export const MAX_PATH_SEGMENTS = 1_024; // segments of a path
export const MAX_QUERY_PARAMETERS = 1_024; // parameters of a query

// The archive (our own).
export const MIN_WARC_BYTES = 1024 * 1024; // bytes of a WARC file
export const MAX_WARC_BYTES = 1024 * 1024 * 1024 * 1024; // bytes of a WARC file: 1 TiB

// What archived pages need (our own).
export const MAX_REQUISITES = 10_000_000; // requests of a crawl
export const MAX_REQUISITE_BYTES = 1024 * 1024 * 1024 * 1024; // bytes of a crawl: 1 TiB

// The browser (our own).
export const MAX_BROWSER_FLAGS = 100; // flags of one program

// Hooks (our own).
export const MAX_HOOK_MS = 60_000; // milliseconds for an answer

// Retries (our own).
export const MAX_RETRIES = 20; // retries of one page: the frontier's own
export const MAX_RETRY_WAIT_MS = 86_400_000; // milliseconds before one of them: a day, as the longest Retry-After

/** Seconds for which a signature is valid: least, usual and most (identity 3.3). */
export const SIGNATURE_SECONDS = { min: 30, default: 60, max: 300 } as const;

// Hosts
export const MAX_HOST_ENTRIES = 1_000; // entries of `hosts`: the frontier's own
export const MAX_HOST_PATTERNS = 1_000; // host names of one entry: the frontier's own
export const MAX_LABELS = 64; // entries of `labels`: the frontier's own
export const MAX_LABEL_CHARS = 128; // of one: the frontier's own

// Licences
/** Documents whose terms may be accepted, and origins that may have a token (ours). */
export const MAX_LICENSES_ACCEPTED = 10_000;
export const MAX_LICENSE_ORIGINS = 1_000;
export const MAX_HANDLER_VERSION = 64; // characters of `recrawl.version` (ours)
