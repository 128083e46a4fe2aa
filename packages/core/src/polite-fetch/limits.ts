// The bounds of a polite fetch, each with its unit and its source.

/** Milliseconds that a request waits for its turn: by default, and at most, as for requests of handlers. Ours. */
export const DEFAULT_FETCH_WAIT_MS = 120_000;
export const MAX_FETCH_WAIT_MS = 600_000;
export const MAX_FETCH_REDIRECTS = 20; // redirects of one request (WHATWG Fetch, HTTP-redirect fetch)
