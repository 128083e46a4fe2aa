// The bounds of one run, each with its unit and its source.

/** Milliseconds that a crawl which starts over rests at most, so that the hosts it asked last have their interval. */
export const MAX_RESET_REST_MS = 60_000;
/** Milliseconds between two entries of the crawl's totals in its store: what a killed process loses of them at most. */
export const TOTALS_EVERY_MS = 1_000;
/** Pages with handlers, running or waiting, beside those in flight; a page holds its body meanwhile. */
export const MAX_HANDLING = 64;
/** Milliseconds that exchanges and handlers in hand get to finish when a crawl is asked to stop. */
export const STOP_GRACE_MS = 10_000;
/** Failures that one retry queues again; they are gathered in memory first. */
export const MAX_RETRIED_URLS = 100_000;
/** Held URLs that the decision log tells one by one at the end of a run. */
export const MAX_HELD_TOLD = 10_000;

// The live view
/** Hosts that wait, and requests under way, which one question after the crawl's activity lists at most. */
export const MAX_ACTIVITY_HOSTS = 1_000;
/** Seeds that it names. */
export const MAX_ACTIVITY_SEEDS = 10;

// Several processes at one crawl (our own).
/** A process that has not written its totals for so long, milliseconds, is not taken to be at work. */
export const PROCESS_SILENT_MS = 30_000;
/** How long a process with nothing to do goes without a look into a store that others change, milliseconds. */
export const SHARED_LOOK_MS = 250;

// Manifests of runs (our own).
/** Seeds that the manifest of a run lists; `crawl.json` has all of them. */
export const MAX_MANIFEST_SEEDS = 10_000;
/** Authorities whose robots.txt it lists; `robots/index.jsonl` has all of them. */
export const MAX_MANIFEST_ROBOTS = 10_000;
/** Runs before it that it names. */
export const MAX_EARLIER_RUNS = 100;

// Seeded crawls (our own).
/** URLs that wait for the next wave of a seeded crawl, half a kilobyte each; of more, those that stand last are dropped. */
export const MAX_WAITING_URLS = 500_000;
