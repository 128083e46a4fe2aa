// The bounds of crawling again, each with its unit and its source.

export const DAY_MS = 86_400_000; // milliseconds of a day
export const MIN_SHAPE = 0.1; // least shape of an estimate. Recrawl 8.2
export const MAX_SHAPE = 50; // the largest
/** Revisits of a group after which it predicts its other pages, and the number of groups. */
export const MIN_GROUP_VISITS = 20;
export const MAX_GROUPS = 2_000;
export const MAX_PLANNED_HOSTS = 1_000; // hosts that a recrawl plan names
export const MAX_PLANNED_PAGES = 10; // pages of each
export const MIN_IMPORTANCE = 0.01; // least importance of a page. Recrawl 12
export const MAX_IMPORTANCE = 100; // the greatest
export const MAX_ETAG_BYTES = 512; // bytes of an ETag that is kept; a longer one is ignored. Recrawl 2
/** Days for which an explicit lifetime with `immutable` may prevent another request. Recrawl V5. */
export const MAX_IMMUTABLE_DAYS = 30;
export const VISIT_BATCH_RECORDS = 1_000; // records of pages that are read at a time
export const MAX_CHOSEN_URLS = 1_000_000; // URLs of one recrawl: the choice is in memory, about 400 bytes each
/** The most days before a page that was not found is tried again. Recrawl 8.5. */
export const MAX_MISSING_DAYS = 7;
/** Days after which a link to a gone page leads to one more visit: a dead link costs one request a month. */
export const GONE_LINKED_DAYS = 30;
/** Gone pages in a run whose links are tracked: about a kilobyte each. */
export const MAX_GONE_PAGES = 10_000;
// Validators of a host. Recrawl 7, V9
export const MIN_VISITS_FOR_VERDICT = 5; // consecutive visits that judge them
/** The most conditional visits of a host between two without conditions, if any are made without. */
export const MAX_VISITS_BETWEEN_PROBES = 100;
/** Milliseconds without conditional requests for a host whose ETag did not change with the page. */
export const UNTRUSTED_MS = 30 * DAY_MS;
/** Milliseconds between Last-Modified and Date up to which it counts as the time of delivery. */
export const MAX_DELIVERY_DATE_MS = 5_000;
/** Hosts whose validators are in memory; others are read from the store again. */
export const MAX_HOST_RECORDS = 10_000;
/** Milliseconds after which a page's payload is written again into an archive. Recrawl 9. */
export const MAX_FULL_AGE_MS = 365 * 86_400_000;

// What sitemaps and feeds say of changes. Recrawl 8.3, 8.6
/** A file with fewer dates is not judged; above this share its dates are equal, in the future, or moved. */
export const MIN_COMPARED_LASTMODS = 5;
export const MAX_USELESS_LASTMOD_SHARE = 0.8;
/** Consecutive readings with mostly moved dates, after which they count as dates of the reading. */
export const MOVED_READS = 2;
/** Milliseconds by which a date may be ahead of our clock, since it may be a day in another time zone. */
export const MAX_FUTURE_LASTMOD_MS = 86_400_000;
export const MIN_TRUSTED_LASTMOD = 0.9; // trust from which a claim dates a change: six of six were true
/** The share of the time since the last visit that a claim must cover to be compared with the result. */
export const MIN_COMPARED_COVERAGE = 0.9;
export const MAX_LASTMODS = 1_000_000; // URLs whose dates are in memory during a recrawl: about 50 bytes each
/** Days between two readings of a sitemap or feed: at least an hour, if it always changes; and at most. */
export const MIN_SITEMAP_DAYS = 1 / 24;
export const MAX_SITEMAP_DAYS = 30;
export const MAX_FEED_DAYS = 90; // days for which a feed itself may delay its next reading
export const LASTMOD_BATCH_RECORDS = 20; // records of dates that are read at a time: half a megabyte each

/** Visits whose number at their start is remembered. Ours. */
export const MAX_BEGUN_VISITS = 10_000;
