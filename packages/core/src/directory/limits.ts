// The bounds of a crawl directory, each with its unit and its source.

/** Characters of a log's line; longer lines are skipped. A URL is at most 8 KiB, and a line may hold it twice. */
export const MAX_LOG_LINE_CHARS = 256 * 1024;

// Several processes at one crawl (our own).
export const MAX_DIRECTORY_PARTS = 512; // processes that share a crawl directory at a time
/** How long a process that shares a directory waits for its lock, milliseconds; others hold it only for a moment. */
export const LOCK_WAIT_MS = 5_000;
export const LOCK_RETRY_MS = 25; // between two attempts, milliseconds
/** Attempts to take over the lock of a dead process: each lost race with another process costs one. */
export const MAX_LOCK_ATTEMPTS = 8;
