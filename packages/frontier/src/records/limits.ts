// The bounds of what is kept next to the queue, each with its unit and its source.

/** Hosts whose waits are remembered after they went back to the store. */
export const WAITS_REMEMBERED = 10_000;
/** Waits that survive a restart: they travel in one record. */
export const WAITS_RECORDED = 2_000;
/** How long a process has the crawl's lock at most, milliseconds; one that dies with it delays the others that long. */
export const CRAWL_LOCK_TTL_MS = 5_000;
/** Between two looks whether the lock is free, milliseconds. */
export const CRAWL_LOCK_RETRY_MS = 20;
/** How long a process waits for the lock, milliseconds: longer than the longest lease. */
export const CRAWL_LOCK_WAIT_MS = 900_000;
/** Parts of one crawl: each name under which a process has worked on it. Their list is one record. */
export const PARTS_MOST = 16_384;
/** A part whose account stands still for so long is merged with others, milliseconds: its process cannot go on. */
export const PART_GONE_MS = 600_000;
/** So many parts of processes that are gone are kept, as they may come back. */
export const PARTS_GONE_MOST = 64;
/** Parts that are merged at a time: under the lock. */
export const PARTS_MERGED_AT_ONCE = 256;
/** Pages that a process may hand out before it asks again, at most. */
export const GRANT_MOST = 1_024;
/** With fewer pages left of its grant a process takes more. */
export const GRANT_LOW = 256;
/** How late the account of a process may be that is given hosts, milliseconds: it writes one a second. */
export const PART_LATE_MS = 3_000;
/** A process whose account stands still for so long is taken for dead, milliseconds: what it was granted comes back. */
export const PART_SILENT_MS = 30_000;
