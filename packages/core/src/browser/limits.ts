// The bounds of the browser, each with its unit and its source.

export const MAX_PAGE_MS = 600_000; // milliseconds that a page stays open: the longest wait of a request of its own
/** Milliseconds for a browser to start. Ours: a cold start on a busy machine takes ten seconds and more. */
export const BROWSER_START_MS = 120_000;
/** Milliseconds for it to open a page, return a DOM or close a page; after that it counts as hung. */
export const BROWSER_ANSWER_MS = 15_000;
export const CLICK_MS = 5_000; // milliseconds for an element to accept a click
export const WAIT_FOR_MS = 30_000; // milliseconds that a step waits for an element by default
export const WINDOW = { width: 1_280, height: 720 } as const; // in CSS pixels; the size of a screenshot too
export const MAX_SCREENSHOT_HEIGHT = 8_192; // CSS pixels of a whole page: 42 MB before compression
export const MAX_SCREENSHOT_BYTES = 16 * 1024 * 1024; // bytes of a screenshot as PNG; a larger one is not kept
export const MAX_LISTED_REFUSALS = 100; // refusals of one page that are listed; more are counted
export const MAX_BROWSER_TEXT = 2_000; // characters of a URL or a detail from the browser that are kept
