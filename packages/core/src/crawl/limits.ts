// The bounds of what works alongside the crawl loop, each with its unit and its source.

// The page scheduler
/** The longest time a page waits for requests that are due, milliseconds. A burst of them is over by then. */
export const MAX_PAGE_WAIT_MS = 100;
/** A page waits for requests due within this many milliseconds: about what a page takes while the code is cold. */
export const PAGE_MARGIN_MS = 8;
export const MAX_WAVE_PAGES = 8; // pages processed together while no request is due within `WAVE_MARGIN_MS`
export const WAVE_MS = 8; // milliseconds that a group of pages should take
/** Pages are not grouped if a request is due within this many milliseconds: a group may take longer than planned. */
export const WAVE_MARGIN_MS = 20;
/** The answer to a request sent within this many milliseconds is expected soon, so pages wait for it. */
export const RECENT_EXCHANGE_MS = 20;

// What is learned about sites
export const MAX_FINDINGS = 10_000; // scope moves, and traps, kept for the next run, a record each

// Requests of handlers
/** Milliseconds that such a request waits for its host's turn, unless it says otherwise. */
export const DEFAULT_PAGE_FETCH_WAIT_MS = 30_000;
export const MAX_PAGE_FETCH_WAIT_MS = 600_000; // the most that it may wait. Ours: a handler is running meanwhile

// Requisites of archived pages
/** Requests of one page that wait or are under way. Each host still gets only one at a time. Ours. */
export const MAX_CONCURRENT_REQUISITES = 8;
export const MAX_KNOWN_REQUISITES = 100_000; // URLs that pages of this run have requested, some 200 bytes each. Ours

// Signing in
export const MAX_FORM_CHARS = 64 * 1024; // characters of a login form, including fields that its page sets. Ours
/** Milliseconds after which a page that waits for the login checks again: as long as it has waited. As for licences. */
export const SIGN_IN_POLL_MS = { min: 50, max: 1_000 } as const;

// Pages in a browser
/** Files in the cache of subresources, and their total bytes. Ours: the scripts of a hundred sites. */
export const MAX_CACHED_FILES = 1_000;
export const MAX_CACHED_FILES_BYTES = 32 * 1024 * 1024;
