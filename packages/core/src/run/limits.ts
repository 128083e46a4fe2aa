// The bounds of one run, each with its unit. All are our own choice.

// The crawl loop
/** Pieces of work taken before the event loop turns: about as many as are prepared and sent in a millisecond. */
export const MAX_TAKE_BATCH = 16;
export const ADMISSION_BATCH_URLS = 1_000; // links of a page that are admitted before other work gets a turn
export const SHORT_WAIT_MS = 100; // a wait this short never ends a run, whatever its `maxIdleMs`: times are rounded up
export const FIRST_WAIT_MS = 5_000; // the same before the first request of a continued crawl
/** Milliseconds; a shorter wait never ends one of several processes: the lease of another, 30 s, and an interval. */
export const SHARED_WAIT_MS = 40_000;
export const LONG_INTERVAL_MS = 500; // milliseconds between two requests from which pages of a host wait for answers
export const WAIT_JITTER = 0.1; // the largest share by which the frontier and the reader of robots.txt lengthen a wait

// The run
export const MAX_RESET_WAIT_MS = 60_000; // longest rest of a crawl that starts over, milliseconds: an interval
export const TOTALS_INTERVAL_MS = 1_000; // milliseconds between two writes of totals: what a killed process loses
/** Pages with handlers, running or waiting, in addition to those in flight. Each page holds its body meanwhile. */
export const MAX_HANDLED_PAGES = 64;
export const STORE_SILENCE_MS = 30_000; // milliseconds of silence until a crawl says that it waits for its store
/** Milliseconds that a verb of a store may take after a stop at once: longer than the time-out of a query (10 s). */
export const STORE_STOP_MS = 20_000;
export const STOP_GRACE_MS = 10_000; // milliseconds that exchanges and handlers get to finish after a stop
export const MAX_RETRIED_URLS = 100_000; // failures that one retry queues again; they are first collected in memory
export const MAX_REPORTED_HELD = 100_000; // held URLs that get a decision each at the end of a run; others are counted
export const HELD_BATCH_URLS = 1_000; // held URLs read from the store at a time

export const MAX_ADDED_URLS = 100_000; // URLs that a program adds with one call
export const ADDED_POLL_MS = 1_000; // milliseconds between two checks for URLs from `mannerly add`
export const MAX_ADDED_READ_BYTES = 1024 * 1024; // bytes of them that are read at a time
/** Milliseconds between two checks of a run that waits for more URLs. The timer keeps the process alive. */
export const KEEP_OPEN_POLL_MS = 60_000;

// Pages whose reading ends the process
export const POISON_DEATHS = 3; // deaths after which a page is no longer read
export const MAX_SUSPECTS = 1_000; // pages that are remembered because the process died while reading them
export const MAX_READING_LOG_BYTES = 64 * 1024; // bytes above which the file of the pages being read is rewritten
export const READING_FLUSH_MS = 50; // milliseconds until the file says that a page's reading ended, if none begins

// The live view
export const MAX_ACTIVITY_HOSTS = 1_000; // the most waiting hosts, and requests under way, that `activity` lists
export const MAX_ACTIVITY_SEEDS = 10; // seeds that `activity` names

// Several processes at one crawl
export const PROCESS_SILENT_MS = 30_000; // a process that has not written its totals for this long counts as ended
/** The longest time, in milliseconds, between two checks of an idle process for changes in a shared store. */
export const SHARED_POLL_MS = 250;

export const ORDER_POLL_MS = 1_000; // milliseconds between two checks for an operator's order
export const FIRST_COMPARISONS = 3; // comparisons with the server's clock when a run begins; the quickest answer counts
export const CLOCK_COMPARISON_INTERVAL_MS = 60_000; // milliseconds between later comparisons
export const MAX_KNOWN_ORDERS = 16; // orders remembered, in case a server that lost later ones returns them

// Manifests of runs
export const MAX_MANIFEST_SEEDS = 10_000; // seeds that the manifest of a run lists; `crawl.json` has all of them
export const MAX_MANIFEST_ROBOTS = 10_000; // authorities whose robots.txt it lists; `robots/index.jsonl` has all
export const MAX_EARLIER_RUNS = 100; // earlier runs that the manifest names
/** The most files that are hashed at the end of a run, and their total bytes: some ten minutes' work. */
export const MAX_HASHED_FILES = 100_000;
export const MAX_HASHED_BYTES = 256 * 1024 * 1024 * 1024;

// Damaged directories
/** Bytes whose hashes are compared when a directory is opened or read: takes some tenths of a second. */
export const MAX_VERIFIED_BYTES = 64 * 1024 * 1024;
export const MAX_REPORTED_DAMAGE = 20; // damaged files that are named

// Crawls with an order seed
/** URLs that wait for the next wave, half a kilobyte each. Beyond that, the last ones are dropped. */
export const MAX_WAITING_URLS = 500_000;
export const OFFER_BATCH_URLS = 1_000; // known pages offered to the frontier at a time
/** The longest time, in milliseconds, that a recrawl waits for its sitemaps before it chooses pages. */
export const MAX_SITEMAPS_WAIT_MS = 60_000;
export const STALL_RESOLUTION_MS = 20; // milliseconds between two checks of the event loop
