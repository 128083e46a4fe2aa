// The bounds of what options may say and of what is kept of them, each with its unit and its source.

/** Links between a seed and a page. */
export const MAX_DEPTH = 1_000;
/** Pages a bound may name: the frontier's own. */
export const MAX_PAGES = 1_000_000_000;
/** Minutes a bound may name: ten years, the frontier's own. */
export const MAX_MINUTES = 5_256_000;

// Several processes at one crawl (our own).
/** Bytes of seeds that a store keeps to compare, as JSON; of more, their hash counts. */
export const MAX_TERMS_SEEDS_BYTES = 262_144;
/** Characters of an option that the message about a difference shows. */
export const MAX_TERM_TEXT = 300;

// Seeded crawls (our own).
/** Characters of the text that decides the order. */
export const MAX_SEED_CHARS = 128;

// Traps (our own).
/** Similar pages that may come before a trap is recognized. */
export const MAX_SIMILAR_PAGES = 1_000_000;
/** Segments of a path. */
export const MAX_PATH_SEGMENTS = 1_024;
/** Parameters of a query. */
export const MAX_QUERY_PARAMETERS = 1_024;

// The archive (our own).
/** Bytes of a WARC file. */
export const MIN_WARC_BYTES = 1024 * 1024;
/** Bytes of a WARC file: 1 TiB. */
export const MAX_WARC_BYTES = 1024 * 1024 * 1024 * 1024;

// Hooks (our own).
/** Milliseconds for an answer. */
export const MAX_HOOK_MS = 60_000;
