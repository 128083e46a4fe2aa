// The bounds of the command, each with its unit and its source.

/** Milliseconds that a busy program has to answer the second Ctrl-C before it is ended. Ours. */
export const INTERRUPT_ANSWER_MS = 1_500;
export const DEFAULT_LISTEN = '127.0.0.1:0'; // any free port of this machine alone (our own)
export const MAX_READ_REQUESTS_BYTES = 16 * 1024 * 1024; // bytes of a file with requests to verify (our own)
export const STORE_POLL_MS = 1_000; // milliseconds between two reads of a crawl on a server (our own)
export const ORDER_ANSWER_MS = 60_000; // milliseconds that all processes have to obey an order (our own)
/** By how much clocks of machines may differ before `explain` mentions it, milliseconds (our own). */
export const MAX_CLOCK_LEAD_MS = 60_000;
export const ORDER_ANSWER_POLL_MS = 500; // milliseconds between two checks whether they have (our own)

export const MAX_SITEMAPS_PRINTED = 100; // of a robots.txt, as text; some name one for every page (our own)
