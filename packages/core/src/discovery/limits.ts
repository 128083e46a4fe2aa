// The bounds of companion files, sitemaps and feeds, each with its unit and its source.

export const MAX_TDM_AUTHORITIES = 10_000; // whose tdmrep.json is in memory; others are read from the store
/** Milliseconds: as a robots.txt without cache fields, and an hour, so that pages of a slow host come in between. */
export const TDM_LIFETIME_MS = 90_000_000;
export const TDM_POLL_MS = 1_000; // until a page checks again whether its site's tdmrep.json has come (ours)
/** How long pages wait at most for the turn of a tdmrep.json that is tried again, milliseconds (ours). */
export const TDM_TURN_MS = 600_000;
export const MAX_COMPANION_HOPS = 5; // redirects of a companion file: as for robots.txt (access §3, data-txt §2)

// Sitemaps and feeds
export const MAX_SITEMAP_LEVELS = 3; // levels of sitemap indexes: the protocol has one, sites have two
export const MAX_SITEMAPS_PER_HOST = 1_000; // sitemaps read of one host in a run. Ours: fifty million URLs
export const MAX_FEEDS_PER_HOST = 10; // feeds of a host taken from pages in a run: a blog has one per post. Ours
export const MAX_SITEMAP_HOSTS = 10_000; // hosts and sitemaps that are counted; the oldest are forgotten first
export const MAX_SITEMAP_VOUCHERS = 64; // hosts that may vouch for one sitemap (cross-submission). Ours
/** Bytes of an entry's alternates as JSON. They are passed as user data, which the frontier limits to 16 KiB. */
export const MAX_SITEMAP_ALTERNATE_BYTES = 8_192;
