// The bounds of the browser, each with its unit and its source. Those of an option: default, least and greatest value.

/** Pages that are open at a time: each is a process of the browser, some 100 MB. */
export const BROWSER_PAGES = [2, 1, 16] as const;
/** Requests of one page. Ours: the median page of the web has 70, most of them images. */
export const PAGE_REQUESTS = [50, 0, 1_000] as const;
export const PAGE_LOADED_BYTES = [20 * 1024 * 1024, 1, 1024 * 1024 * 1024] as const; // decoded bytes of those together
/** Steps of one page. Ours: a list that grows at each click is long at the hundredth. */
export const PAGE_STEPS = [100, 0, 1_000] as const;
/** Milliseconds that a page is open. The greatest is the longest that a request of its own may wait. */
export const PAGE_MS = [60_000, 1_000, 600_000] as const;
/** Milliseconds without a request of the page after which it counts as done. */
export const QUIET_MS = [500, 0, 60_000] as const;
export const DOM_CHARS = [5_000_000, 1, 50_000_000] as const; // characters of a page's serialised DOM
export const BROWSER_RESTARTS = [3, 0, 100] as const; // browsers that are started after the first one is gone
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
