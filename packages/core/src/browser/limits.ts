// The bounds of the browser, each with its unit and its source.

export const MAX_PAGE_MS = 600_000; // milliseconds that a page is open: the longest that a request of its own may wait
/** Milliseconds in which a browser has to start. Ours: a cold start on a busy machine takes ten seconds and more. */
export const BROWSER_START_MS = 120_000;
/** Milliseconds in which it has to open a page, return a DOM and close a page; past that it counts as hung. */
export const BROWSER_ANSWER_MS = 15_000;
export const CLICK_MS = 5_000; // milliseconds in which an element has to take a click
export const WAIT_FOR_MS = 30_000; // milliseconds that a step waits for an element where nothing else is said
/** The window in CSS pixels, which is also the part of a page that a screenshot shows. */
export const WINDOW = { width: 1_280, height: 720 } as const;
/** CSS pixels of the height of a whole page's screenshot: 42 MB before it is compressed. */
export const MAX_SCREENSHOT_HEIGHT = 8_192;
export const MAX_SCREENSHOT_BYTES = 16 * 1024 * 1024; // bytes of a screenshot as PNG; one with more is not kept
export const MAX_LISTED_REFUSALS = 100; // refusals of one page that are listed; more are counted
export const MAX_BROWSER_TEXT = 2_000; // characters of a URL or a detail from the browser that are kept
