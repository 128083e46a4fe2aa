// The bounds of the crawl and those that several modules share, each with its unit and its source.

// The crawl directory
export const MAX_MANIFEST_BYTES = 16 * 1024 * 1024; // of a crawl directory: ten thousand seeds of a hundred bytes

// Admission and the run
export const MAX_SEEDS = 100_000; // seeds of one crawl; more come through `add` or a sitemap
export const MAX_CONCURRENCY = 1_024; // requests in flight over all hosts: with more, one process runs short of sockets
export const MAX_WAIT_MS = 2_592_000_000; // longest `maxIdleMs`: 30 days

// Pages
export const MAX_LINK_URL_CHARS = 8_192; // characters of a link after resolution, as the frontier keeps them (8 KiB)

export const LOWEST_PRIORITY = 7; // the last of the frontier's eight priority classes within a host

// robots.txt requests (specification, access 2)
/** Decoded bytes of robots.txt kept: the reader's limit (robots 2.4) and one more, to show that there was more. */
export const ROBOTS_BODY_BYTES = 512_000 + 1;

// The second lock on requests
export const MAX_BUCKET_STARTS = 1_000; // starts that a `bucket` remembers; a larger one is filled in shorter periods

// Handlers and items
/** Characters of the reason that a handler or a hook gives. Ours: it is part of a line of the decision log. */
export const MAX_REASON_CHARS = 500;
export const MAX_REPORTED_WAITS = 10_000; // waiting hosts that a report lists

/** Bytes of a file with a secret. Longer than any that is accepted, so that none is cut. */
export const MAX_SECRET_FILE_BYTES = 65_536;

// Sitemaps and feeds
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024; // bytes of a sitemap once gzip is undone (sitemaps.org: 50 MiB)

export const LONG_WAIT_MS = 60_000; // before waits this long, milliseconds, with nothing in flight, memory is released
/** V8 under `mannerly/v8-flags`: bytes for new objects; growth before the next full collection; bytecode inlined. */
export const LEAN_ENGINE = {
  newSpaceBytes: 16 * 1024 * 1024,
  checkIntervalMs: 1_000,
  growingPercent: 120,
  inlinedBytecodeBytes: 300,
};
export const MAX_DATE_MS = 8.64e15; // the latest time of a date, epoch milliseconds (ECMAScript, time values)
