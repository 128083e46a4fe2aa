// The bounds of the flow of URLs, each with its unit and its source.

/** Milliseconds: a host that must wait longer is released to the store. */
export const MAX_LEASED_WAIT_MS = 2_500;
/** Exchanges with a host before it goes behind the other due hosts. */
export const EXCHANGES_PER_TURN = 32;
/** How many times its equal share of hosts a process may lease. */
export const HOST_SHARE_MARGIN = 1.25;
/** Milliseconds between two times at which a process gives up hosts for one that still has none (our own). */
export const HOST_SHARING_INTERVAL_MS = 5_000;
/** Rounds that one `take` makes over hosts without work before it returns. */
export const MAX_TAKE_ROUNDS = 64;
/** Milliseconds for which a store without due hosts is not queried again (our own). */
export const DUE_CHECK_INTERVAL_MS = 20;
/** Entries leased at once while the rest of a host's queue is dropped. */
export const DROP_BATCH = 64;
/** The most bytes of user data as JSON. */
export const MAX_USER_DATA_BYTES = 16_384;
/** The priority of URLs that have none of their own. */
export const DEFAULT_PRIORITY = 4;
/** URLs, as written, that memory knows without asking the store: two generations of this many, 2 MB. */
export const RECENT_URLS = 65_536;
/** Share of its wait that may be added to a retry (our own). */
export const RETRY_JITTER = 0.1;
/** The most milliseconds that may be added, so that a Retry-After of a day does not add hours (our own). */
export const MAX_RETRY_JITTER_MS = 600_000;
/** Milliseconds that `mayStart` has a worker wait while its lease is renewed. */
export const RENEWAL_WAIT_MS = 100;
/** The most of the owner's own requests that wait at a time (our own). */
export const MAX_OWN_REQUESTS = 1_024;
/** Milliseconds after which such a request tries again to lease its host (our own). */
export const OWN_REQUEST_RETRY_MS = 250;
/** Renewals per lease: one may be lost and one late. */
export const HEARTBEATS_PER_LEASE = 3;
/** Milliseconds between two saves of the running time: the most of it that a killed process loses. */
export const ACCOUNT_INTERVAL_MS = 1_000;
/** Milliseconds for which admission checks URLs before it yields to other work (our own). */
export const ADMISSION_SLICE_MS = 10;
/** Milliseconds until a URL is tried again whose label has no pages left except those in flight (our own). */
export const LABEL_RETRY_MS = 1_000;
/** Milliseconds until a process that was granted nothing asks again. */
export const GRANT_RETRY_MS = 250;
/** Milliseconds by which the times of an exchange may be outside of `take` to `exchanged` (our own). */
export const MAX_EXCHANGE_TIME_ERROR_MS = 1_000;
/** Hosts remembered as having used up a bound: two generations of this many. */
export const EXHAUSTED_HOSTS = 65_536;
