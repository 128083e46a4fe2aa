// The bounds of the browser, each with its unit and its source.

/** Pages that are open at a time, by default and at most: each is a process of the browser, some 100 MB. */
export const DEFAULT_BROWSER_PAGES = 2;
export const MAX_BROWSER_PAGES = 16;
/** Requests of one page, by default and at most. Ours: the median page of the web has 70, most of them images. */
export const DEFAULT_PAGE_REQUESTS = 50;
export const MAX_PAGE_REQUESTS = 1_000;
/** Decoded bytes of those together, by default and at most. */
export const DEFAULT_PAGE_LOADED_BYTES = 20 * 1024 * 1024;
export const MAX_PAGE_LOADED_BYTES = 1024 * 1024 * 1024;
/**
 * Milliseconds that a page is open, by default, at least and at most: the longest that a request of its own may wait.
 */
export const DEFAULT_PAGE_MS = 60_000;
export const MIN_PAGE_MS = 1_000;
export const MAX_PAGE_MS = 600_000;
/** Milliseconds without a request of the page after which it counts as done, by default and at most. */
export const DEFAULT_QUIET_MS = 500;
export const MAX_QUIET_MS = 60_000;
/** Characters of a page's serialised DOM, by default and at most. */
export const DEFAULT_DOM_CHARS = 5_000_000;
export const MAX_DOM_CHARS = 50_000_000;
/** Browsers that are started after the first one is gone, by default and at most. */
export const DEFAULT_BROWSER_RESTARTS = 3;
export const MAX_BROWSER_RESTARTS = 100;
/** Milliseconds in which a browser has to start. Ours: a cold start on a busy machine takes ten seconds and more. */
export const BROWSER_START_MS = 120_000;
/** Milliseconds in which it has to open a page, return a DOM and close a page; past that it counts as hung. */
export const BROWSER_ANSWER_MS = 15_000;
/** Refusals of one page that are told one by one. */
export const MAX_TOLD_REFUSALS = 100;
/** Characters of a URL or a detail from the browser that are kept. */
export const MAX_BROWSER_TEXT = 2_000;
