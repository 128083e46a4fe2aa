// The bounds of the crawl itself and those that several rooms share, each with its unit and its source. What belongs to one
// room alone is in the `limits.ts` of that room.

// Reports and logs
/** Milliseconds that a crawl which starts over rests at most, so that the hosts it asked last have their interval. */
export const MAX_RESET_REST_MS = 60_000;
/** Octets of a crawl directory's manifest. Ten thousand seeds of a hundred octets. */
export const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
/** Milliseconds between two entries of the crawl's totals in its store: what a killed process loses of them at most. */
export const TOTALS_EVERY_MS = 1_000;

// Admission and the run
/** Seeds of one crawl; more come through `add` or a sitemap. */
export const MAX_SEEDS = 100_000;
/** Links between a seed and a page. */
export const MAX_DEPTH = 1_000;
/** Pages a bound may name: the frontier's own. */
export const MAX_PAGES = 1_000_000_000;
/** Minutes a bound may name: ten years, the frontier's own. */
export const MAX_MINUTES = 5_256_000;
/** Requests in flight over all hosts: beyond this one process is short of sockets and of sense. */
export const MAX_CONCURRENCY = 1_024;
/** Longest `patienceMs`: 30 days. */
export const MAX_WAIT_MS = 2_592_000_000;
/** Pages with handlers, running or waiting, beside those in flight; a page holds its body meanwhile. */
export const MAX_HANDLING = 64;
/** URLs turned away that are remembered as told. */
export const MAX_TOLD_URLS = 65_536;
/** URLs left alone that another road may still lead to. */
export const MAX_LEFT_ALONE = 65_536;
/** Requests for pages without a word yet whose host clock is remembered: a retry may be hours away. */
export const MAX_UNDECIDED_REQUESTS = 4_096;
/** Milliseconds that exchanges and handlers in hand get to finish when a crawl is asked to stop. */
export const STOP_GRACE_MS = 10_000;

// Pages
/** Characters of a link after resolution, as the frontier keeps them (8 KiB). */
export const MAX_LINK_URL_CHARS = 8_192;

// Identity
/** Characters of a product token or a version. */
export const MAX_TOKEN_LENGTH = 64;
/** Characters of a contact: it travels with every request. */
export const MAX_CONTACT_LENGTH = 256;
/** Product tokens of one crawl. */
export const MAX_TOKENS = 16;

// robots.txt requests (specification, access 2)
/** Decoded octets of robots.txt kept: the reader's limit (robots 2.4) and one more, so that it sees that there were more. */
export const ROBOTS_BODY_BYTES = 512_000 + 1;

// The second lock at the door
/** Starts a `bucket` remembers; a larger bucket is filled in proportionally shorter periods. */
export const MAX_BUCKET_STARTS = 1_000;

// Handlers and items
/** Characters of a rejected item as JSON that are kept beside its issues; of a longer one only the length. Ours: a line of a log is read up to four times that. */
export const MAX_REJECTED_CHARS = 65_536;
/** Characters of the reason that a handler or a hook gives. Ours: it stands in a line of the decision log. */
export const MAX_WORD_CHARS = 500;
/** Time a hook has for its answer, milliseconds: by default, and at most. Ours: its host is asked nothing meanwhile. */
export const DEFAULT_HOOK_MS = 5_000;
export const MAX_HOOK_MS = 60_000;
/** Authorities whose tdmrep.json is kept in memory; the others are read from the store again. */
export const MAX_TDM_AUTHORITIES = 10_000;
/** Redirects followed for a companion file: as for robots.txt (access §3, data-txt §2). */
export const MAX_COMPANION_HOPS = 5;
/** Waiting hosts that a report lists. */
export const MAX_REPORTED_WAITS = 10_000;
/** Failures that one retry queues again; they are gathered in memory first. */
export const MAX_RETRIED_URLS = 100_000;
/** Held URLs that the decision log tells one by one at the end of a run. */
export const MAX_HELD_TOLD = 10_000;
/** Longest time a page waits for requests that are due, milliseconds: a burst of them is over by then. */
export const MAX_PAGE_WAIT_MS = 100;
/** A page waits for requests that fall due this soon, milliseconds: about what a page takes while the code is cold. */
export const PAGE_MARGIN_MS = 8;
/** Pages that are worked on together while no request falls due within `WAVE_MARGIN_MS`. */
export const MAX_WAVE_PAGES = 8;
/** Milliseconds that a wave of pages is meant to take. */
export const WAVE_MS = 8;
/** No pages go together when a request falls due within this many milliseconds: a wave may take longer than it is meant to. */
export const WAVE_MARGIN_MS = 20;

// Sitemaps and feeds
/** Octets of a sitemap once gzip is undone (sitemaps.org: 50 MiB). */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
/** Levels of sitemap indexes: the protocol has one, sites have two. */
export const MAX_SITEMAP_LEVELS = 3;
/** Sitemaps read of one host in a run. Ours: fifty million URLs. */
export const MAX_SITEMAPS_PER_HOST = 1_000;
/** Hosts and sitemaps whose counts and vouchers are remembered; the oldest go first. */
export const MAX_SITEMAP_HOSTS = 10_000;
/** Hosts that may vouch for one sitemap (cross-submission). Ours. */
export const MAX_SITEMAP_VOUCHERS = 64;
/** Octets of an entry's alternates as JSON: they travel as user data, of which the frontier takes 16 KiB. */
export const MAX_SITEMAP_ALTERNATE_BYTES = 8_192;

// A handler's own requests
/** Milliseconds for which such a request waits for its host's turn, unless it says otherwise. */
export const DEFAULT_OWN_WAIT_MS = 30_000;
/** Milliseconds for which it may wait at most. Ours: a handler is in hand meanwhile. */
export const MAX_OWN_WAIT_MS = 600_000;

// Large bodies
/** Scope moves, and traps, of one crawl that are kept for its next run, each in a record of its own. */
export const MAX_LEARNED = 10_000;

// Questions about a crawl that is not running
/** URLs of one page while the queue of a host is looked through for one of them; the most that the frontier lists at a time. */
export const MAX_QUEUED_PAGE = 1_000;
/** URLs of a host's queue looked through for one of them: some ten seconds of reading. */
export const MAX_QUEUED_LOOKED = 1_000_000;
/** A wait this short ends no run, however little patience it has: instants are rounded up. */
export const SHORT_WAIT_MS = 100;
/** Pieces of work taken before the event loop turns: about what is prepared and sent in a millisecond. */
export const MAX_TAKEN_AT_ONCE = 16;
/** Milliseconds of a wait with nothing in hand from which on memory is given back first. */
export const LONG_WAIT_MS = 60_000;
/** Milliseconds between two requests to a host from which on its pages give way to its answers' arrival. */
export const LONG_INTERVAL_MS = 500;
/** A request that left within this many milliseconds is about to be answered: pages wait for that. */
export const FRESH_EXCHANGE_MS = 20;

// Pages in a browser
/** Redirects of one thing that a page asks for. Ours, as for robots.txt (access §3). */
export const MAX_SUBRESOURCE_HOPS = 5;
/** Files that pages have loaded and that are not asked for again, and their octets together. Ours: the scripts of a hundred sites. */
export const MAX_LOADED_BEFORE = 1_000;
export const MAX_LOADED_BEFORE_BYTES = 32 * 1024 * 1024;

// The live view
/** Hosts that wait, and requests under way, which one question after the crawl's activity lists at most. */
export const MAX_ACTIVITY_HOSTS = 1_000;
/** Seeds that it names. */
export const MAX_ACTIVITY_SEEDS = 10;

// Several processes at one crawl (our own).
/** Processes that share a crawl directory at a time. */
export const MAX_DIRECTORY_PARTS = 512;
/** How long a process that shares a directory waits for its lock, milliseconds; others have it for a moment. */
export const LOCK_WAIT_MS = 5_000;
/** Between two looks at it, milliseconds. */
export const LOCK_RETRY_MS = 25;
/** Items whose ids are remembered while the files of several processes are joined; 64 octets each at most. */
export const MAX_JOINED_IDS = 20_000_000;
/** A process that has not written its totals for so long, milliseconds, is not taken to be at work. */
export const PROCESS_SILENT_MS = 30_000;
/** Octets of seeds that a store keeps to compare, as JSON; of more, their hash counts. */
export const MAX_TERMS_SEEDS_BYTES = 262_144;
/** Characters of an option that the message about a difference shows. */
export const MAX_TERM_TEXT = 300;
/** How long a process with nothing to do goes without a look into a store that others change, milliseconds. */
export const SHARED_LOOK_MS = 250;

// Exports (our own).
/** Items that go into a CSV table at a time; the columns are those of the first piece. */
export const CSV_PIECE_ITEMS = 1_000;
/** Rows of one Parquet row group, and characters of their lines: a group is held in memory while it is written. */
export const PARQUET_GROUP_ROWS = 20_000;
export const PARQUET_GROUP_CHARS = 16 * 1024 * 1024;

// Manifests of runs (our own).
/** Seeds that the manifest of a run lists; `crawl.json` has all of them. */
export const MAX_MANIFEST_SEEDS = 10_000;
/** Authorities whose robots.txt it lists; `robots/index.jsonl` has all of them. */
export const MAX_MANIFEST_ROBOTS = 10_000;
/** Runs before it that it names. */
export const MAX_EARLIER_RUNS = 100;
/** Files that are hashed at the end of a run, and their octets together: some ten minutes' work. */
export const MAX_HASHED_FILES = 100_000;
export const MAX_HASHED_BYTES = 256 * 1024 * 1024 * 1024;

// Seeded crawls (our own).
/** Characters of the text that decides the order. */
export const MAX_SEED_CHARS = 128;
/** URLs that wait for the next wave of a seeded crawl, half a kilobyte each; of more, those that stand last are dropped. */
export const MAX_WAITING_URLS = 500_000;
/** URLs of a wave that go into the frontier with one call. */
export const WAVE_BATCH_URLS = 1_000;
/** Characters of URLs after which the next record begins; a record of a store holds a mebibyte. */
export const WAITING_RECORD_CHARS = 128 * 1024;
