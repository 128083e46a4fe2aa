// The bounds of plans, each with its unit and its source.

/** URLs of sitemaps that a plan counts; the crawl itself has no such bound. */
export const MAX_PLANNED_URLS = 500_000;
/** Requests that a plan simulates one by one, a second's work; the rest is estimated in proportion. */
export const MAX_PLAN_STEPS = 1_000_000;
/** Longest pause of a host that a plan waits for at its end, milliseconds. */
export const MAX_PLAN_REST_MS = 60_000;
/** Hosts of the table that a plan prints. */
export const MAX_PLAN_ROWS = 60;
/** Pages of a host that the plan of a recrawl shows. */
export const MAX_SHOWN_VISITS = 5;
