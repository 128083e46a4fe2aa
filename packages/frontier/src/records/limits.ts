// The bounds of what is stored next to the queue, each with its unit and its source.

/** Hosts whose waits are remembered after they were released to the store. */
export const MAX_KNOWN_WAITS = 10_000;
/** Waits that survive a restart: they are in one record. */
export const MAX_STORED_WAITS = 2_000;
/** The most milliseconds a process has the crawl's lock. If it dies with the lock, the others are delayed that long. */
export const CRAWL_LOCK_TTL_MS = 5_000;
/** Milliseconds between two checks whether the lock is free. */
export const CRAWL_LOCK_RETRY_MS = 20;
/** How long a process waits for the lock, milliseconds: longer than the longest lease. */
export const MAX_CRAWL_LOCK_WAIT_MS = 900_000;
/** Parts of one crawl: names under which processes have worked on it. Their list is one record. */
export const MAX_PARTS = 16_384;
/**
 * Milliseconds: a part whose account is unchanged for so long is merged with others, because its process cannot
 * continue.
 */
export const PART_GONE_MS = 600_000;
/** Parts of gone processes that are kept, because the processes may come back. */
export const MAX_GONE_PARTS = 64;
/** Parts that are merged at a time, under the lock. */
export const MAX_PARTS_PER_MERGE = 256;
/** The most pages that a process may hand out before it asks again. */
export const MAX_GRANT_PAGES = 1_024;
/** With fewer pages left of its grant, a process takes more. */
export const LOW_GRANT_PAGES = 256;
/** Milliseconds: how old the account of a process may be for it to get hosts. A process writes one a second. */
export const MAX_ACCOUNT_AGE_MS = 3_000;
/**
 * Milliseconds: a process whose account is unchanged for so long counts as dead, and its granted pages are free again.
 */
export const PART_SILENT_MS = 30_000;
/**
 * Milliseconds: ten years. Nothing waits longer: a crawl ends, and what is due later stays in the queue. A damaged
 * record may name any time.
 */
export const MAX_WAIT_MS = 315_360_000_000;
