// The bounds of the loop and of what comes with a page, each with its unit and its source.

// The loop
/** Pieces of work taken before the event loop turns: about what is prepared and sent in a millisecond. */
export const MAX_TAKEN_AT_ONCE = 16;
/** A wait this short ends no run, however little patience it has: times are rounded up. */
export const SHORT_WAIT_MS = 100;

// Pages take turns
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
/** Milliseconds between two requests to a host from which on its pages give way to its answers' arrival. */
export const LONG_INTERVAL_MS = 500;
/** A request that left within this many milliseconds is about to be answered: pages wait for that. */
export const FRESH_EXCHANGE_MS = 20;

// What is learned of sites
/** Scope moves, and traps, of one crawl that are kept for its next run, each in a record of its own. */
export const MAX_LEARNED = 10_000;

// A handler's own requests
/** Milliseconds for which such a request waits for its host's turn, unless it says otherwise. */
export const DEFAULT_OWN_WAIT_MS = 30_000;
/** Milliseconds for which it may wait at most. Ours: a handler is in hand meanwhile. */
export const MAX_OWN_WAIT_MS = 600_000;

// Pages in a browser
/** Redirects of one thing that a page asks for. Ours, as for robots.txt (access §3). */
export const MAX_SUBRESOURCE_HOPS = 5;
/** Files that pages have loaded and that are not asked for again, and their bytes together. Ours: the scripts of a hundred sites. */
export const MAX_LOADED_BEFORE = 1_000;
export const MAX_LOADED_BEFORE_BYTES = 32 * 1024 * 1024;
