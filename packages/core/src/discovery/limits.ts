// The bounds of companion files, sitemaps and feeds, each with its unit and its source.

/** Authorities whose tdmrep.json is kept in memory; the others are read from the store again. */
export const MAX_TDM_AUTHORITIES = 10_000;
/**
 * Milliseconds before a tdmrep.json is requested again: as for a robots.txt without cache fields, and an hour more, so
 * that pages come in between at a host with the longest interval, a day.
 */
export const TDM_LIFETIME_MS = 90_000_000;
/** Milliseconds until a page checks again whether the tdmrep.json of its site has come (ours). */
export const TDM_POLL_MS = 1_000;
/** How long pages wait at most for the turn of a tdmrep.json that is tried again, milliseconds (ours). */
export const TDM_TURN_MS = 600_000;
/** Redirects followed for a companion file: as for robots.txt (access §3, data-txt §2). */
export const MAX_COMPANION_HOPS = 5;

// Sitemaps and feeds
export const MAX_SITEMAP_LEVELS = 3; // levels of sitemap indexes: the protocol has one, sites have two
export const MAX_SITEMAPS_PER_HOST = 1_000; // sitemaps read of one host in a run. Ours: fifty million URLs
/** Feeds of one host accepted from pages in a run: a blog may have one for each of its posts. Ours. */
export const MAX_FEEDS_PER_HOST = 10;
/** Hosts and sitemaps whose counts and vouchers are remembered; the oldest are forgotten first. */
export const MAX_SITEMAP_HOSTS = 10_000;
export const MAX_SITEMAP_VOUCHERS = 64; // hosts that may vouch for one sitemap (cross-submission). Ours
/** Bytes of an entry's alternates as JSON. They are passed as user data, which the frontier limits to 16 KiB. */
export const MAX_SITEMAP_ALTERNATE_BYTES = 8_192;
