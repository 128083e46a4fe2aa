// The bounds of one run, each with its unit. All are our own.

// The crawl loop
/** Pieces of work taken before the event loop turns: about what is prepared and sent in a millisecond. */
export const MAX_TAKEN_AT_ONCE = 16;
export const ADMITTED_AT_ONCE = 1_000; // links of a page that are admitted before others get their turn
export const SHORT_WAIT_MS = 100; // a wait this short ends no run, whatever its `maxIdleMs`: times are rounded up
/** Milliseconds between two requests to a host from which on its pages wait for its answers. */
export const LONG_INTERVAL_MS = 500;
/** Share by which the frontier and the reader of robots.txt lengthen a wait at random, at most. */
export const WAIT_JITTER = 0.1;

// The run
/** Milliseconds that a crawl which starts over rests at most, so that the hosts of the last one have their interval. */
export const MAX_RESET_REST_MS = 60_000;
/** Milliseconds between two entries of the crawl's totals in its store: the most that a killed process loses. */
export const TOTALS_EVERY_MS = 1_000;
/** Pages with handlers, running or waiting, in addition to those in flight. A page holds its body meanwhile. */
export const MAX_HANDLING = 64;
export const STOP_GRACE_MS = 10_000; // milliseconds that exchanges and handlers get to finish after a stop
export const MAX_RETRIED_URLS = 100_000; // failures that one retry queues again; they are collected in memory first
export const MAX_HELD_REPORTED = 100_000; // held URLs that get a decision each at the end of a run; others are counted
export const HELD_READ_AT_ONCE = 1_000; // of them, read from the store at a time

export const MAX_ADDED_URLS = 100_000; // URLs that a program adds with one call
/** Milliseconds between two looks of a run that waits for more: a timer keeps the process alive. */
export const KEEP_OPEN_LOOK_MS = 60_000;

// Pages whose reading ends the process
export const POISON_DEATHS = 2; // deaths after which a page is not read any more
export const MAX_SUSPECTS = 1_000; // pages that are remembered because the process died while they were read
/** Bytes of the file that names the pages that are being read, from which on it is written anew. */
export const MAX_READING_LOG_BYTES = 64 * 1024;
export const READING_ENDED_MS = 50; // until the file says that a page's reading ended, where no other page begins

// The live view
export const MAX_ACTIVITY_HOSTS = 1_000; // waiting hosts, and requests under way, that `activity` lists at most
export const MAX_ACTIVITY_SEEDS = 10; // seeds that it names

// Several processes at one crawl
/** A process that has not written its totals for so long, milliseconds, is taken to have ended. */
export const PROCESS_SILENT_MS = 30_000;
/** Longest time that an idle process goes without looking into a store that others change, milliseconds. */
export const SHARED_LOOK_MS = 250;

export const ORDER_LOOK_MS = 1_000; // milliseconds between two looks whether an operator has ordered something
export const FIRST_COMPARISONS = 3; // of the clock with the server's, when a run begins: the quickest answer counts
export const CLOCK_COMPARED_EVERY_MS = 60_000; // milliseconds until the next
export const MAX_ORDERS_REMEMBERED = 16; // orders that are known when a server that has forgotten shows them again

// Manifests of runs
export const MAX_MANIFEST_SEEDS = 10_000; // seeds that the manifest of a run lists; `crawl.json` has all of them
/** Authorities whose robots.txt it lists; `robots/index.jsonl` has all of them. */
export const MAX_MANIFEST_ROBOTS = 10_000;
export const MAX_EARLIER_RUNS = 100; // earlier runs that it names

// Damaged directories
/** Bytes whose hashes are compared when a directory is opened or read: some tenths of a second. */
export const MAX_VERIFIED_BYTES = 64 * 1024 * 1024;
export const MAX_DAMAGE_TOLD = 20; // damaged files that are named

// Crawls with an order seed
/** URLs that wait for the next wave, half a kilobyte each; of more, the last ones are dropped. */
export const MAX_WAITING_URLS = 500_000;
/** Known pages that are offered to the frontier at a time. */
export const OFFERED_AT_ONCE = 1_000;
/** Milliseconds that a recrawl waits for its sitemaps, at most, before it chooses pages. */
export const MAX_SITEMAPS_WAIT_MS = 60_000;
/** Milliseconds between two looks at the event loop. */
export const STALL_RESOLUTION_MS = 20;
