// From the load that a simulated crawl puts on its store to that of a larger one: cost per page, cost per pair of
// processes, and space. Pure. What does not grow in proportion is simulated and not extrapolated.

/** How busy a server may be: beyond this, waiting grows faster than work. */
export const MAX_BUSY = 0.7;
const SECONDS_PER_DAY = 86_400;

/**
 * @param figures for one layout of the store: `servers` (total cores), `serverUsPerPage`, `perProcessS`: pages per
 *   second of a process that does not wait for the store; and `readsPerPair`: reads per second for each pair of
 *   processes, `readUs` each
 * @param target `processes`, `urls`, `hosts`, `queuedShare`, `bodyBytes`, `robotsBytes` (a host's copy of robots.txt),
 *   `bytes` of the store's costs
 * @returns pages per second that all crawlers could fetch, and that as many of them fetch as the store can serve; the
 *   first bottleneck; bytes
 */
export function extrapolate(figures, target) {
  const { servers, serverUsPerPage, perProcessS, readsPerPair, readUs } = figures;
  const { processes, urls, hosts, queuedShare, bodyBytes, robotsBytes, bytes } = target;
  const accountsUs = readsPerPair * processes * processes * readUs;
  const crawlersPerS = processes * perProcessS;
  const processesServed = Math.floor(
    positiveRoot(readsPerPair * readUs, perProcessS * serverUsPerPage, servers * 1e6 * MAX_BUSY),
  );
  const pagesPerS = Math.min(processes, processesServed) * perProcessS;
  return {
    crawlersPerS,
    pagesPerS,
    first: processes <= processesServed ? 'crawlers' : 'store',
    /** Beyond this number, another process only makes the store slower. */
    processesServed,
    serversWanted: (crawlersPerS * serverUsPerPage + accountsUs) / 1e6 / MAX_BUSY,
    accountsBusy: accountsUs / (servers * 1e6),
    days: urls / pagesPerS / SECONDS_PER_DAY,
    seenBytes: urls * bytes.seen,
    queuedBytes: urls * queuedShare * (bytes.queued + bodyBytes),
    hostBytes: hosts * bytes.host,
    robotsBytes: hosts * robotsBytes,
    // Eight bytes: the expected collisions among all known URLs (the birthday bound).
    pagesLostToFingerprints: (urls * urls) / 2 ** 65,
  };
}

/** The positive x with a x² + b x = c. */
function positiveRoot(a, b, c) {
  return a === 0 ? c / b : (Math.sqrt(b * b + 4 * a * c) - b) / (2 * a);
}
