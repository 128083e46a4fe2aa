// The bounds of what is known of authorities, each with its unit and its source.

/** Bytes that an authority takes in addition to its body: an estimate for `MAX_CACHED_AUTHORITY_BYTES`. */
export const AUTHORITY_OVERHEAD_BYTES = 1_024;
/** Milliseconds that a hop of a robots.txt redirect may wait for its host's slot; then the chain counts as failed. */
export const MAX_CHAIN_SLOT_WAIT_MS = 60_000;
/** Milliseconds that the exchange of such a hop may take, counted from when it is handed out. */
export const MAX_CHAIN_EXCHANGE_MS = 90_000;
/** Milliseconds for which an authority that our own rules forbid is not tried again (our own). */
export const REFUSED_AUTHORITY_MS = 3_600_000;
/** Authorities of one host whose requirements are in memory. One delay covers any further ones (our own). */
export const MAX_AUTHORITIES_PER_HOST = 64;
