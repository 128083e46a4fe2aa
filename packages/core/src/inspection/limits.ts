// The bounds of questions about a crawl that is not running, each with its unit and its source.

/** URLs of one listing while the queue of a host is searched for one of them: the most that the frontier lists. */
export const MAX_LISTED_URLS = 1_000;
/** URLs of a host's queue that are searched for one of them: some ten seconds of reading. */
export const MAX_SEARCHED_URLS = 1_000_000;
