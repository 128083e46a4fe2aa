// The bounds of questions about a crawl that is not running, each with its unit and its source.

/**
 * URLs of one page while the queue of a host is looked through for one of them; the most that the frontier lists at a
 * time.
 */
export const MAX_QUEUED_PAGE = 1_000;
/** URLs of a host's queue looked through for one of them: some ten seconds of reading. */
export const MAX_QUEUED_LOOKED = 1_000_000;
