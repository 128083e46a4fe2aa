// The bounds of handlers and what they save, each with its unit and its source.

// Handlers and items
export const MAX_REVISIT_MS = 315_360_000_000; // longest time to a page's next visit, milliseconds: ten years. Ours
export const MAX_PAGE_ITEMS = 100_000; // items that one page may emit. Ours
export const MAX_PAGE_REJECTED = 100; // rejected items of one page that are listed; more are only counted. Ours
export const MAX_SELECTORS = 20; // selectors of `page.follow` whose success is watched. Ours
export const MAX_UNROUTED_LABELS = 5; // labels without a route that a message names. Ours
export const MAX_FAILED_CALLS = 100; // failed calls of a handler that nothing waits for. Ours
export const MAX_ITEM_STAGES = 100; // stages between handlers and sinks. Ours
export const MAX_ITEM_ISSUES = 20; // issues of one item that are kept. Ours
export const MAX_ISSUE_PATH = 20; // segments of the path of each
export const MAX_ISSUE_CHARS = 500; // characters of an issue's message. Ours
export const MAX_ISSUE_KEY_CHARS = 100; // characters of a segment of its path
export const MAX_HANDLER_RETRY_MS = 86_400_000; // longest wait of a `RetryPage`, milliseconds: a day, as Retry-After
/** Characters of one item as JSON. Ours: an item is extracted from a page, and a page is 10 MiB by default. */
export const MAX_ITEM_CHARS = 16 * 1024 * 1024;
/** Characters of a rejected item kept as JSON; of a longer one only the length. Ours: a quarter of a log line. */
export const MAX_REJECTED_CHARS = 65_536;

// Files
export const MAX_FILE_NAME_BYTES = 200; // bytes of one segment of a saved file's path: common file systems allow 255
export const MAX_CONFLICT_MARKS = 2; // marks for a name that was taken: `news~~`. Ours
export const MAX_FILE_NAME_SEGMENTS = 16; // segments of a saved file's path; the last ones are kept. Ours

export const DEFAULT_MEDIA_FILES = 20; // files that `page.saveAll` requests by default. Ours
export const DEFAULT_MEDIA_BYTES = 100 * 1024 * 1024; // bytes of all of them

// A handler's own requests
export const MAX_PAGE_FETCHES = 100; // requests that the handler of one page may make itself. Ours

// Large bodies
export const MAX_LARGE_BODY_BYTES = 64 * 1024 * 1024 * 1024; // the largest `maxBodyBytes` of a handler: 64 GiB. Ours
