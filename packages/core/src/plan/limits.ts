// The bounds of plans, each with its unit and its source.

export const MAX_PLANNED_URLS = 500_000; // URLs of sitemaps that a plan counts; the crawl itself has no such bound
/** Requests that a plan simulates one by one, a second's work; the rest is estimated in proportion. */
export const MAX_PLAN_STEPS = 1_000_000;
/** The longest pause of a host that a plan waits for at its end, and for a robots.txt that could not be fetched. */
export const MAX_PLAN_WAIT_MS = 60_000;
export const MAX_PLAN_ROWS = 60; // hosts of the table that a plan prints
export const MAX_LISTED_VISITS = 5; // pages of a host that the plan of a recrawl shows
