// The bounds of the report page, each with its unit and its source.

export const MAX_PAGE_HOSTS = 1_000; // hosts in the table of a report: a page with more is slow to sort and read
export const MAX_TIMELINE_HOSTS = 24; // hosts in the timeline of a report
export const MAX_HOST_POINTS = 256; // requests of one host in the timeline: 24 hosts come to some thousand points. Even
export const MAX_PAGE_PAUSES = 1_000; // pauses that a report lists one by one
export const MAX_PAGE_RULES = 200; // lines of robots.txt that a report lists
export const MAX_COUNTED_RULES = 20_000; // lines of robots.txt whose URLs are counted apart; the first ones met
export const MAX_PAGE_EXAMPLES = 3; // example URLs of one reason
export const MAX_PAGE_RUNS = 100; // runs that a report lists one by one: the latest
export const MAX_PAGE_DEPTHS = 100; // depths that a report tells apart; a list of thousands of pages may lie deeper
export const MAX_PAGE_SEEDS = 100; // seeds that a report lists
export const MAX_PAGE_SPANS = 600; // spans of time in a report's curves. Even
/** Different statuses and failures over all hosts; later ones count as `other`. HTTP can express 900. */
export const MAX_STATUSES = 1_000;
