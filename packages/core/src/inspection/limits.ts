// The bounds of questions about a crawl that is not running, each with its unit and its source.

/** Signatures that are remembered to find reused ones; the oldest goes first. 100 bytes each. */
export const MAX_KNOWN_SIGNATURES = 100_000;
/** The longest lifetime of a signature in seconds that options allow (identity 3.3). */
export const MAX_AUDITED_LIFETIME_SECONDS = 300;
/** Seconds from the start of an exchange to its signature: names are looked up and connections opened first. */
export const MAX_SIGNING_DELAY_SECONDS = 120;
export const MAX_LISTED_SIGNATURES = 1_000; // violations listed one by one; all are counted
/** URLs of one listing while the queue of a host is searched: the most that the frontier lists. */
export const MAX_LISTED_URLS = 1_000;
/** URLs of a host's queue that are searched for one of them: some ten seconds of reading. */
export const MAX_SEARCHED_URLS = 1_000_000;
