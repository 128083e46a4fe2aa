// The bounds of reports and logs, each with its unit and its source.

/** Hosts the politeness report describes one by one; the rest are counted together. 100,000 rows are about 60 MB. */
export const MAX_REPORT_HOSTS = 100_000;
/** Exclusions, comments and warnings kept per host for the report; the decision log holds all of them. */
export const MAX_REPORT_LINES_PER_HOST = 12;
export const MAX_REPORT_TEXT = 1_000; // characters of a comment, warning, URL or pattern kept for the report
/** Different statuses counted per host; later ones are counted as `other`. HTTP defines about sixty. */
export const MAX_STATUSES_PER_HOST = 64;
export const MAX_CURRENCIES = 16; // currencies that are summed; later ones are left out
export const MAX_MEASURED_CONCURRENCY = 256; // overlapping requests counted per host; more are reported as this many
/** Different reasons counted; later ones are counted as `other`. The table has about seventy. */
export const MAX_COUNTED_REASONS = 400;
export const LOG_BUFFER_BYTES = 64 * 1024; // bytes a log holds before it writes them out
export const MAX_DECISION_LINES = 1_000_000_000; // lines of one run's decision log; as many as a crawl may have pages
/** Bytes at the end of a request log that are read before a crawl starts over: some ten thousand requests. */
export const LOG_TAIL_READ_BYTES = 4 * 1024 * 1024;
/** Bytes at the ends of the decision logs that a run reads when it begins: some 80,000 decisions, 0.3 s. */
export const LATEST_DECISIONS_BYTES = 32 * 1024 * 1024;
export const LOG_TAIL_BYTES = 64 * 1024; // bytes of a log read in one piece to find the end of its last whole line
export const MAX_RECENT_DECISIONS = 10_000; // decisions kept in memory for `explain` where there is no decision log
/** Authorities (schemes and ports) of one host whose robots.txt an explanation names. Ours: most hosts have one. */
export const MAX_HOST_AUTHORITIES = 16;
/** URLs held or failed in one run and decided by the next that a report from logs counts only once. */
export const MAX_OPEN_DECISIONS = 100_000;
/** URLs excluded or dropped repeatedly that count only once. */
export const MAX_KNOWN_EXCLUSIONS = 262_144;
/** Bytes of logs from which a resumed run computes its report, some seconds; beyond, it covers the run alone. */
export const MAX_REPORTED_LOG_BYTES = 256 * 1024 * 1024;
/** Bytes of rejected items that one process keeps in its crawl directory; more are only counted. */
export const MAX_REJECTED_BYTES = 256 * 1024 * 1024;
/** Bytes of the error log that one process keeps in its crawl directory, thousands of stacks; more are only counted. */
export const MAX_ERROR_LOG_BYTES = 16 * 1024 * 1024;
export const MAX_ERROR_MESSAGE = 2_000; // characters of an error's message that are kept
export const MAX_ERROR_STACK = 16_000; // characters of an error's stack that are kept, causes included
export const DEEP_STACK_FRAMES = 50; // frames of a stack that reach user code below cheerio; Node.js keeps 10 (our own)
export const MAX_ERROR_CAUSES = 4; // causes of an error whose stacks are kept
export const MAX_RECENT_ERRORS = 100; // errors of user code kept in memory for `explain` where there is no error log
export const MAX_EXPLAINED_FRAMES = 20; // frames of an error's stack that `explain` shows; the error log has all

export const MAX_PAGE_HOSTS = 1_000; // hosts in the table of a report: a page with more is slow to sort and read
export const MAX_TIMELINE_HOSTS = 24; // hosts in the timeline of a report
export const MAX_HOST_POINTS = 256; // requests of one host in the timeline: 24 hosts come to some thousand points. Even
export const MAX_PAGE_PAUSES = 1_000; // pauses that a report lists one by one
export const MAX_PAGE_RULES = 200; // lines of robots.txt that a report lists
export const MAX_COUNTED_RULES = 20_000; // lines of robots.txt whose URLs are counted separately; the first ones met
export const MAX_PAGE_EXAMPLES = 3; // example URLs of one reason
export const MAX_PAGE_RUNS = 100; // runs that a report lists one by one: the latest
export const MAX_PAGE_DEPTHS = 100; // depths that a report counts one by one; long lists of pages may be deeper
export const MAX_PAGE_SEEDS = 100; // seeds that a report lists
export const MAX_PAGE_SPANS = 600; // spans of time in a report's curves. Even
/** Different statuses and failures over all hosts; later ones count as `other`. HTTP can express 900. */
export const MAX_STATUSES = 1_000;
