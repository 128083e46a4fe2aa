// Every bound of the package, with its unit and where it comes from. One block per room.

// ── Leases (design of the storage contract) ──────────────────────────────────────────────────────────────────────────

/** Milliseconds a host stays leased without renewal. Long enough for three heartbeats, short enough to wait for. */
export const LEASE_TTL_MS = 30_000;
/** Shortest and longest lease an operator may set, milliseconds. */
export const LEASE_TTL_LEAST_MS = 3_000;
export const LEASE_TTL_MOST_MS = 600_000;
/** No request starts within this many milliseconds before the end of the lease; more when the event loop lags. */
export const LEASE_MARGIN_MS = 1_000;
/** Renewals per lease: one may be lost and one late. */
export const HEARTBEATS_PER_LEASE = 3;
/** Hosts held at a time, unless an option says otherwise. */
export const HOSTS_HELD = 1_024;
/** Most hosts an operator may hold at a time. */
export const HOSTS_HELD_MOST = 65_536;
/** Entries of one host that are leased at a time: those in hand and those that come next. */
export const ENTRIES_PER_LEASE = 16;
/** URLs of one host that are handed out and not settled. */
export const UNSETTLED_PER_HOST = 4;
export const UNSETTLED_PER_HOST_MOST = 256;
/** A host that must wait longer than this goes back to the store, milliseconds. */
export const KEEP_WAIT_MS = 2_500;
/** Exchanges with a host before it goes back in line behind the others that are due. */
export const TURN_EXCHANGES = 32;
/** Rounds one `take` makes over hosts that had nothing to give before it returns. */
export const TAKE_ROUNDS = 64;
/** Milliseconds for which a store that had nothing due is not looked at again, unless we know of something (our own). */
export const LOOK_AGAIN_MS = 20;
/** Entries asked for at once while the rest of a host's queue is dropped. */
export const DROP_BATCH = 64;
/** Octets of the state kept beside a host's lease: the storage contract. */
export const HOST_STATE_MAX_BYTES = 1_024;

// ── Queue ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** URLs queued over all hosts before new ones are answered `full`. */
export const QUEUED_MAX = 10_000_000;
/** Characters of a URL: what servers and proxies commonly take, RFC 9110 §4.1 asks for 8,000 at least. */
export const URL_MAX_CHARS = 8_192;
/** Octets of user data as JSON. */
export const USER_DATA_MAX_BYTES = 16_384;
/** Priority classes of a host queue (storage contract). */
export const BANDS = 8;
/** The band of URLs that name none. */
export const DEFAULT_BAND = 4;
/** URLs remembered as known in front of the store, as spelt: two generations of this many, about 20 MB. */
export const RECENT_URLS = 65_536;
/** Excluded URLs remembered as told, two generations of this many. */
export const TOLD_URLS = 65_536;
/** Notices remembered as told, two generations of this many. */
export const TOLD_NOTICES = 8_192;
/** Hosts whose waits are remembered after they went back to the store. */
export const WAITS_REMEMBERED = 10_000;
/** Waits that survive a restart: they travel in one record. */
export const WAITS_RECORDED = 2_000;
/** Octets of one record (storage contract). */
export const RECORD_MAX_BYTES = 1_048_576;

// ── Robots gate ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Authorities whose state is kept in memory, and the body of their robots.txt with it. */
export const AUTHORITIES_IN_MEMORY = 20_000;
/** Authorities whose rules are kept compiled: those that were compiled last. Reading a small file again costs less than a page. */
export const RULES_IN_MEMORY = 2_048;
/** Octets of robots.txt bodies kept in memory, compiled rules reckoned at their body's size. */
export const AUTHORITY_BYTES_IN_MEMORY = 67_108_864;
/** What an authority costs beside its body, octets: an estimate for the bound above. */
export const AUTHORITY_OVERHEAD_BYTES = 1_024;
/** Milliseconds a hop of a robots.txt redirect may wait for its host's slot; then the chain counts as failed. */
export const CHAIN_SLOT_WAIT_MS = 60_000;
/** Milliseconds the exchange of such a hop may take, from the moment it is handed out. */
export const CHAIN_EXCHANGE_MS = 90_000;
/** Milliseconds for which an authority that our own rules forbid is not tried again (our own). */
export const REFUSED_AUTHORITY_MS = 3_600_000;
/** Authorities of one host whose asks are remembered beside its lease. */
export const ASKERS_PER_HOST = 6;
/** Comment lines of one file that reach the operator: robots §9.5. */
export const COMMENT_MAX_LINES = 100;
/** Authorities of one host whose asks are kept in memory while it is held; one more is covered by a delay for all. */
export const ASKS_PER_HOST = 64;
/** Held lanes of one host that are remembered here; the store knows all of them. */
export const LANES_REMEMBERED = 256;
/** Crawl-delay above which the operator is told, milliseconds: robots §9.1. */
export const CRAWL_DELAY_LARGE_MS = 60_000;

// ── Bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Milliseconds between two entries of the running time in the store: what a killed process loses of it at most. */
export const ACCOUNT_EVERY_MS = 1_000;
/** Largest number of pages a bound may name. */
export const PAGES_MOST = 1_000_000_000;
/** Longest running time a bound may name, minutes: ten years. */
export const MINUTES_MOST = 5_256_000;

// Spacing (politeness/**).
/** Largest share of an interval that jitter may add (access §9). */
export const JITTER_MAX = 0.1;
/** Addresses whose spacing is remembered; what is owed to one is not forgotten for a new one at once (our own). */
export const ADDRESSES_REMEMBERED = 65_536;
/** Hosts that stand in line for one address; one more comes back and asks again (our own). */
export const ADDRESS_LINE_MOST = 10_000;
/** Fastest pace of a whole crawl that an operator may name, requests per second (our own). */
export const REQUESTS_PER_SECOND_MOST = 10_000;
/** Slowest, requests per second: one an hour (our own). */
export const REQUESTS_PER_SECOND_LEAST = 1 / 3_600;
/** Longest interval an operator may set, milliseconds: one day (our own). */
export const POLITENESS_MS_MAX = 86_400_000;
/** Intervals below this earn the operator a warning, milliseconds (access §9). */
export const POLITENESS_WARNING_BELOW_MS = 1_000;
/** First pause after a 429 or 503, milliseconds (access §10). */
export const THROTTLE_PAUSE_MS = 30_000;
/** Longest pause that counting answers leads to, milliseconds (access §10). */
export const HOST_PAUSE_MAX_MS = 3_600_000;
/** Longest Retry-After obeyed, milliseconds; a longer one parks the host this long (access §10). */
export const RETRY_AFTER_MAX_MS = 86_400_000;
/** Failures in a row before a failing host is paused (access §10). */
export const FAILURES_BEFORE_PAUSE = 5;
/** First pause of a failing host, milliseconds (access §10). */
export const FAILING_PAUSE_MS = 300_000;
/** Refusals in a row before a host is parked for the operator (access §10). */
export const REFUSALS_BEFORE_PARKING = 20;
/** Good answers in a row that halve the adaptive interval (access §10, DECISION A19). */
export const GOOD_ANSWERS_TO_HALVE = 10;
/** Longest adaptive interval, milliseconds (access §10, DECISION A19). */
export const ADAPTIVE_MAX_MS = 600_000;
/** An adaptive interval starts from no less than this and ends below it, milliseconds (our own). */
export const ADAPTIVE_FLOOR_MS = 1_000;
/** Retries of one URL (access §10). */
export const URL_RETRIES_MAX = 3;
/** Share of its wait by which a retry may come later (our own). */
export const RETRY_JITTER = 0.1;
/** First wait before a URL is retried, milliseconds, doubling (access §10). */
export const URL_BACKOFF_MS = 10_000;
/** How far ahead a parked host's instant lies, milliseconds: a year, so that instants stay finite (our own). */
export const PARKED_MS = 31_536_000_000;

// Stores (stores/**).
/** Octets of one body in the stores of this package (our own: a URL of 8,192 characters, its origin and 16 KiB of user data). */
export const STORE_BODY_MAX_BYTES = 65_536;
/** Entries of one `add` or links of one commit in the stores of this package (our own). */
export const STORE_BATCH_MAX = 100_000;

// URLs (url/**).
/** Octets of a fingerprint (storage contract). */
export const FINGERPRINT_BYTES = 8;
/** Shortest fingerprint secret, characters: 64 bits as hexadecimal digits (our own). */
export const FINGERPRINT_SECRET_LEAST_CHARS = 16;

/** Longest Crawl-delay honoured exactly, milliseconds: one day, robots §9.1. */
export const CRAWL_DELAY_MOST_MS = 86_400_000;
/** What `mayStart` asks a worker to wait while its lease is being renewed, milliseconds. */
export const RENEWAL_WAIT_MS = 100;
/** Pages of a scan that `look` reads at most, and entries per page. */
export const LOOK_SCAN_PAGES = 16;
export const LOOK_SCAN_ENTRIES = 512;
/** Authorities of one host that `lookHost` describes. */
export const LOOK_AUTHORITIES = 16;
/** URLs of one page of `list`. */
export const LIST_MOST = 1_000;
/** Hosts remembered as having given all the pages they may, two generations of this many. */
export const EXHAUSTED_HOSTS = 65_536;
/** Requests of the owner's own that wait at a time (our own). */
export const OWN_REQUESTS_MOST = 1_024;
/** Milliseconds after which a host that is not ours is asked for again for such a request (our own). */
export const OWN_REQUEST_RETRY_MS = 250;

// Several processes at one crawl (our own).
/** How long a process has the crawl's lock at most, milliseconds; whoever dies over it holds the others up that long. */
export const CRAWL_LOCK_TTL_MS = 5_000;
/** Between two looks whether the lock is free, milliseconds. */
export const CRAWL_LOCK_RETRY_MS = 20;
/** How long a process that joins waits for the lock, milliseconds: longer than the longest lease, which a restarted server waits out. */
export const CRAWL_LOCK_WAIT_MS = 900_000;
/** Parts of one crawl: each name under which a process has worked on it. */
export const PARTS_MOST = 1_024;
/** Pages that a process may hand out before it asks again, at most. */
export const GRANT_MOST = 1_024;
/** With fewer pages left of its grant a process asks for more. */
export const GRANT_LOW = 256;
/** A process whose account stands still for so long is taken for dead, milliseconds: what it was granted comes back. */
export const PART_SILENT_MS = 30_000;
/** When a process that was granted nothing asks again, milliseconds. */
export const GRANT_RETRY_MS = 250;
/** By how much a process may hold more hosts than its share. */
export const HOST_SHARE_MARGIN = 1.25;
