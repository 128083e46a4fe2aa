// Every bound of this package, with its unit and its source. A bound that can be set by an option has its default here.

/** Bytes that are read of a file by default and at least (500 KiB; RFC 9309 §2.5). */
export const MAX_FILE_BYTES = 512_000;
/** The largest `maxBytes` a caller may set, in bytes (ours: offsets are kept in 23 bits). */
export const MAX_FILE_BYTES_CEILING = 8_388_608;
/** Bytes of a line that are used (8 × 2083 less one, the limit of Google's parser; robots §2.5). */
export const MAX_LINE_BYTES = 16_663;
/** Lines without meaning that are kept of a file (ours: above `MAX_DIAGNOSTICS`; each costs every reading). */
export const MAX_IDLE_LINES = 1_024;
/** Diagnostics reported for a file (robots §11). */
export const MAX_DIAGNOSTICS = 1_000;
/** Characters of a diagnostic's excerpt (robots §11). */
export const MAX_EXCERPT_CHARS = 200;
/** Rule lines without effect that an explanation lists. */
export const MAX_IGNORED_RULES = 100;
/** Characters kept of a Comment line (robots §9.5). */
export const MAX_COMMENT_CHARS = 1_000;
/** Comment lines kept of a file (robots §9.5). */
export const MAX_COMMENTS = 100;
/** Characters of a Clean-param value (robots §9.8). */
export const MAX_CLEAN_PARAM_CHARS = 500;
/** Clean-param lines of a file that count (ours: each may cost a comparison per URL). */
export const MAX_CLEAN_PARAM_LINES = 1_000;
/**
 * Bytes of text and patterns that one lookup may read; beyond it the URL is denied (ours: some milliseconds. 10,000
 * rules that are all searched for in a URL of 80 bytes still fit, or 100 in one of 8 KiB).
 */
export const MAX_MATCH_WORK = 1_048_576;
/** Product tokens a crawler may be configured with (ours; each costs a pass over the groups). */
export const MAX_TOKENS = 32;
// Politeness fields (robots.md 9.1, 9.2)
/** Milliseconds. The longest Crawl-delay honoured exactly; longer ones are clamped (DECISION R39). */
export const MAX_CRAWL_DELAY_MS = 86_400_000;
/** Seconds. A Crawl-delay above this is reported to the operator (DECISION R39). */
export const LARGE_CRAWL_DELAY_SECONDS = 60;
/** Documents or seconds. Larger numbers of a Request-rate are cut here, so that arithmetic on them stays exact. */
export const MAX_RATE_NUMBER = 1e12;
/** Content-Usage or Content-Signal lines that are compared with a URL (ours: each costs one comparison per page). */
export const MAX_PREFERENCE_LINES = 1_000;

// Access (specification, access §3, §5, §6, §8)
/** Redirects of robots.txt that are followed (RFC 9309 §2.3.1.2), and in the 1996 profile (DECISION A3). */
export const MAX_ROBOTS_REDIRECTS = 5;
export const MAX_ROBOTS_REDIRECTS_1996 = 20;
/** Characters of a Location that is still followed (ours). */
export const MAX_LOCATION_CHARS = 8192;
/** Milliseconds. First and longest pause between two attempts at a robots.txt that fails (access §5). */
export const FIRST_ROBOTS_RETRY_MS = 60_000;
export const MAX_ROBOTS_RETRY_MS = 3_600_000;
/** Milliseconds. The longest Retry-After that is obeyed in full (access §5, §10). */
export const MAX_RETRY_AFTER_MS = 86_400_000;
/** Share of a pause that jitter may add, never subtract (access §5). */
export const MAX_JITTER = 0.1;
/** Milliseconds. Shortest lifetime of any answer (DECISION A9), and default and longest by profile (access §6). */
export const MIN_LIFETIME_MS = 600_000;
export const LIFETIME_MS = 86_400_000;
export const LIFETIME_1996_MS = 604_800_000;
/** Milliseconds. How long other 4xx answers and *restricted* are remembered (DECISION A11). */
export const UNAVAILABLE_LIFETIME_MS = 3_600_000;
export const RESTRICTED_LIFETIME_MS = 86_400_000;
/** Milliseconds. A copy younger than this outlives a 4xx other than 404 and 410 (DECISION A12). */
export const KEPT_COPY_MS = 86_400_000;
/** Milliseconds. How long a whole exchange for robots.txt may take (access §2). */
export const ROBOTS_EXCHANGE_MS = 30_000;
/** Milliseconds. The google profile stops this long before it uses the last copy (access §5). */
export const GOOGLE_STOP_MS = 43_200_000;
/** Milliseconds. "The host otherwise answers" means: within this time (access §5, google; the figure is ours). */
export const HOST_ANSWERS_MS = 86_400_000;
/** Characters of an ETag or Last-Modified that is kept for revalidation (ours). */
export const MAX_VALIDATOR_CHARS = 1024;
/** Authorities whose files a client keeps in memory (ours; 100 MB if all had the maximum size, usually 2 MB). */
export const MAX_CLIENT_AUTHORITIES = 1_000;
/** Crawlers whose rules `robotsParser` keeps compiled at a time (ours). */
export const MAX_COMPAT_AGENTS = 32;
/** Characters of a User-Agent that are read (ours: longer than any in use). */
export const MAX_USER_AGENT_CHARS = 1_024;
/** Bytes of an encoded access record, head and body (frontier stores take values up to this). */
export const MAX_ACCESS_RECORD_BYTES = 1_048_576;

// Page-level signals (specification, page-level §3, §5)
/** Characters of one tag, header or meta value that are read (ours; the draft asks for 8 KiB at least). */
export const MAX_TAG_CHARS = 65_536;
/** Characters of all robots metas of a page that are read (ours: four of the longest). More count as `none`. */
export const MAX_PAGE_TAG_CHARS = 262_144;
/** Unknown words of a page's tags that are kept (ours). */
export const MAX_IGNORED_WORDS = 100;
/** Rules kept of a tdmrep.json (ours; each is one comparison per page). More count as one that reserves everything. */
export const MAX_TDM_RULES = 1_000;
/** Characters of those rules as JSON (ours: at most three bytes each, so that they fit a store's record of 1 MiB). */
export const MAX_TDM_CHARS = 262_144;
/** Characters of a host name, without a trailing dot (RFC 1035 §2.3.4: 255 bytes on the wire). */
export const MAX_HOST_NAME_CHARS = 253;

/** Datasets of one data.txt that are offered (ours). */
export const MAX_DATASETS = 10_000;
/** Allow and Disallow lines of one data.txt that are evaluated; more deny it, as the mail of 1996 advises (ours). */
export const MAX_DATA_TXT_RULES = 1_000;
