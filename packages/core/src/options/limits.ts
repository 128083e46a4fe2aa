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
