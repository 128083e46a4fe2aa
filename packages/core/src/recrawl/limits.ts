// The bounds of crawling again, each with its unit and its source.

export const DAY_MS = 86_400_000; // milliseconds of a day
export const MIN_SHAPE = 0.1; // least shape of an estimate. Recrawl 8.2
export const MAX_SHAPE = 50; // the largest
/** Further visits of a group from which on it says what to expect of its other pages, and groups that are counted. */
export const MIN_GROUP_VISITS = 20;
export const MAX_GROUPS = 2_000;
export const MAX_PLANNED_HOSTS = 1_000; // hosts that the plan of a recrawl names
export const MAX_PLANNED_PAGES = 10; // pages of each
export const MIN_IMPORTANCE = 0.01; // least importance of a page. Recrawl 12
export const MAX_IMPORTANCE = 100; // the greatest
export const MAX_ETAG_BYTES = 512; // bytes of an ETag that is kept; of a longer one nothing is. Recrawl 2
/** Days for which an explicit lifetime of `immutable` may keep a page from being requested again. Recrawl V5. */
export const IMMUTABLE_DAYS = 30;
export const VISITS_READ_AT_ONCE = 1_000; // records of pages that are read at a time
export const MAX_CHOSEN = 1_000_000; // URLs of one recrawl, at most: what is chosen is in memory. About 400 bytes each
/** Days that a page which was not found is left alone, at most, before it is tried once more. Recrawl 8.5. */
export const MISSING_DAYS = 7;
/** Days after which a link to a page that is gone leads to one more visit: a dead link costs one request a month. */
export const GONE_LINKED_DAYS = 30;
/** Pages that are gone whose links are known again, at most, in a run: about a kilobyte each. */
export const MAX_GONE = 10_000;
// Validators of a host. Recrawl 7, V9
export const VISITS_TO_JUDGE = 5; // visits in a row that judge them
/** Conditional visits of a host between two without conditions, at most, unless there are none. */
export const MOST_BETWEEN_PROBES = 100;
/** Milliseconds for which a host gets no conditional request whose ETag did not change with the page. */
export const UNTRUSTED_MS = 30 * DAY_MS;
/** Milliseconds between Last-Modified and Date up to which it is the time of delivery. */
export const DELIVERY_DATE_MS = 5_000;
/** Hosts whose validators are in memory; of others they are read from the store again. */
export const MAX_JUDGED_HOSTS = 10_000;
/** Milliseconds after which the payload of a page is written again into an archive. Recrawl 9. */
export const MAX_FULL_AGE_MS = 365 * 86_400_000;

// What sitemaps and feeds say of changes. Recrawl 8.3, 8.6
/** Dates of a file below which it is not judged, and the share above which they are alike, in the future, or moved. */
export const MIN_JUDGED_LASTMODS = 5;
export const MAX_SAME_LASTMODS = 0.8;
/** Readings in a row at which most dates have moved: from then on they are those of the reading. */
export const MOVED_READS = 2;
/** Milliseconds by which a date may be ahead of our clock: it may be a day in another time zone. */
export const TOMORROW_MS = 86_400_000;
export const TRUSTED_LASTMOD = 0.9; // trust from which a claim dates a change: six of six have been true
/** The share of the time since the last visit that a claim must be about, to be compared with what is found. */
export const COMPARED_COVER = 0.9;
export const MAX_LASTMODS = 1_000_000; // URLs whose dates are in memory during a recrawl: about 50 bytes each
/** Days between two readings of a sitemap or feed: an hour at least; of one that always changes, and at most. */
export const MIN_SITEMAP_DAYS = 1 / 24;
export const MAX_SITEMAP_DAYS = 30;
export const MAX_FEED_DAYS = 90; // days for which a feed's own words may keep it from being read
export const LASTMODS_READ_AT_ONCE = 20; // records of dates that are read at a time: half a megabyte each

/** Visits of which it is remembered under which number they have begun. Ours. */
export const MAX_BEGUN_VISITS = 10_000;
