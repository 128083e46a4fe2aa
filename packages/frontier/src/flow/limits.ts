// The bounds of a URL's way, each with its unit and its source.

/** A host that must wait longer than this goes back to the store, milliseconds. */
export const KEEP_WAIT_MS = 2_500;
/** Exchanges with a host before it goes back in line behind the others that are due. */
export const TURN_EXCHANGES = 32;
/** How many times its equal share of hosts a process may lease. */
export const HOST_SHARE_MARGIN = 1.25;
/** Between two times at which hosts are given to a process that still has none, milliseconds (our own). */
export const SHARE_AGAIN_MS = 5_000;
/** Rounds one `take` makes over hosts that had nothing to give before it returns. */
export const TAKE_ROUNDS = 64;
/** Milliseconds for which a store that had nothing due is not asked again (our own). */
export const LOOK_AGAIN_MS = 20;
/** Entries leased at once while the rest of a host's queue is dropped. */
export const DROP_BATCH = 64;
/** Bytes of user data as JSON. */
export const USER_DATA_MAX_BYTES = 16_384;
/** The priority of URLs that name none. */
export const DEFAULT_PRIORITY = 4;
/** URLs remembered as known in front of the store, as spelt: two generations of this many, 2 MB. */
export const RECENT_URLS = 65_536;
/** Share of its wait by which a retry may come later (our own). */
export const RETRY_JITTER = 0.1;
/** Milliseconds by which it may come later at most: after a Retry-After of a day, not hours (our own). */
export const RETRY_JITTER_MAX_MS = 600_000;
/** What `mayStart` asks a worker to wait while its lease is being renewed, milliseconds. */
export const RENEWAL_WAIT_MS = 100;
/** Requests of the owner's own that wait at a time (our own). */
export const OWN_REQUESTS_MOST = 1_024;
/** Milliseconds after which the lease of a host is requested again for such a request (our own). */
export const OWN_REQUEST_RETRY_MS = 250;
/** Renewals per lease: one may be lost and one late. */
export const HEARTBEATS_PER_LEASE = 3;
/** Milliseconds between two entries of the running time in the store: what a killed process loses of it at most. */
export const ACCOUNT_EVERY_MS = 1_000;
/** How long URLs are considered before others get their turn, milliseconds. Ours. */
export const ADMISSION_SLICE_MS = 10;
/** When a URL is looked at again whose label has no page left but those in flight, milliseconds (our own). */
export const LABEL_RETRY_MS = 1_000;
/** When a process that was granted nothing asks again, milliseconds. */
export const GRANT_RETRY_MS = 250;
