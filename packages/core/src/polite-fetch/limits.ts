// The bounds of a polite fetch, each with its unit and its source.

/** Milliseconds that a request waits for its turn: the default, and the most, as for requests of handlers. Ours. */
export const DEFAULT_FETCH_WAIT_MS = 120_000;
export const MAX_FETCH_WAIT_MS = 600_000;
export const MAX_FETCH_REDIRECTS = 20; // redirects of one request (WHATWG Fetch, HTTP-redirect fetch)

// The cache (ours).
export const MAX_CACHED_RESPONSES = 1_000; // responses, in memory or in the file
export const MAX_CACHED_BODY_BYTES = 1_048_576; // bytes of one of them; a larger response is not kept
export const MAX_CACHE_BYTES = 67_108_864; // bytes of all of them in memory
