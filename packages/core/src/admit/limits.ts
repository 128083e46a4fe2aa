// The bounds of admission, each with its unit and its source.

// Admission and the run
export const MAX_REDIRECT_HOPS = 20; // redirects in one chain of a page: the limit of browsers (Fetch standard, §4.4)

// Traps
/** Groups of URLs whose pages are compared; the least recently used goes first. At most 3 KB each, usually 0.3 KB. */
export const MAX_TRAP_GROUPS = 8_192;
export const MAX_TRAP_FINGERPRINTS = 64; // pages of a group whose fingerprint is kept, 8 bytes each
/** Repeating pages of a group whose URL is remembered, 8 bytes each: their links may still be queued. */
export const MAX_TRAP_SOURCES = 256;
export const MAX_TRAPS = 1_000; // traps remembered; the oldest is forgotten first, and is found again

// Scope
/** Patterns, prefixes or hosts of one option of the scope. Ours: every link is checked against each. */
export const MAX_URL_PATTERNS = 10_000;
export const MAX_URL_PATTERN_CHARS = 8_192; // characters of one of them: as long as a URL
export const MAX_SCOPE_MOVES = 10_000; // redirects of seeds that are remembered as having moved a scope

// Large bodies
export const MAX_COMPARED_BYTES = 1_048_576; // bytes of a page that are compared with other pages: 4 ms of work

// Near duplicates
export const MAX_SIMHASH_DISTANCE = 3; // bits of 64 in which near duplicates differ (Manku, Jain, Das Sarma 2007)
export const MIN_SIMHASH_WORDS = 16; // pages with fewer words are not compared. Ours: a few in common mean nothing
export const MAX_NEAR_PAGES = 131_072; // pages that others are compared with: about 40 MB. Ours
export const MAX_NEAR_CHAIN = 32; // pages sharing a block that one is compared with. Ours: one or two are usual
export const MAX_REPORTED_GROUPS = 100; // groups that a report lists. Ours
