// A web that is wider than any process can hold: hosts of every size, spaced as they ask, far away. It stores only how
// many pages of each host have been linked; the links of a page are drawn when it is read.

/** The links of a page: navigation, pages linked before, and new ones; some on other hosts. */
const [LINKS, NAVIGATION, ELSEWHERE_EVERY] = [60, 12, 6];
/** The shares of hosts with a Crawl-delay, and that delay, seconds. An assumption; see README.md. */
export const SPACING = [
  { share: 0.9, crawlDelayS: 0 },
  { share: 0.05, crawlDelayS: 2 },
  { share: 0.04, crawlDelayS: 10 },
  { share: 0.01, crawlDelayS: 30 },
];
const utf8 = new TextEncoder();

/**
 * @param options `clock`, `random` (seeded); `hosts`; `queued`: pages of each that are queued at first; `knownShare` of
 *   the links; `requestTimeoutMs`: the median duration of an exchange
 * @returns a web for `crawl-process.mjs`, its `seeds`, and `early()`: requests that came too soon
 */
export function createWideWeb({ clock, random, hosts, queued, knownShare, requestTimeoutMs }) {
  const made = new Uint32Array(hosts).fill(Math.max(queued, NAVIGATION));
  const busyUntil = new Float64Array(hosts).fill(-1);
  const lastEnd = new Float64Array(hosts).fill(Number.NEGATIVE_INFINITY);
  const delayOf = (host) => {
    let share = ((Math.imul(host + 1, 0x9e3779b1) >>> 0) % 10_000) / 10_000;
    for (const row of SPACING) {
      if (share < row.share) return row.crawlDelayS;
      share -= row.share;
    }
    return 0;
  };
  const robots = new Map(
    SPACING.map(({ crawlDelayS }) => [
      crawlDelayS,
      utf8.encode(`User-agent: *\nDisallow: /private/\n${crawlDelayS > 0 ? `Crawl-delay: ${crawlDelayS}\n` : ''}`),
    ]),
  );
  const urlOf = (host, page) => `https://h${host}.example.org/p${page}`;
  const hostOf = (url) => Number(url.slice('https://h'.length, url.indexOf('.', 9)));
  const below = (count) => Math.floor(random() * count);
  // Some hosts are linked far more often than others.
  const anyHost = () => Math.floor(random() * random() * hosts);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let early = 0;
  let requests = 0;

  return {
    bytes: 30_000,
    *seeds() {
      for (let host = 0; host < hosts; host += 1) for (let page = 0; page < queued; page += 1) yield urlOf(host, page);
    },
    early: () => early,
    requests: () => requests,
    robotsOf: (url) => robots.get(delayOf(hostOf(url))),
    started(work, nowMs) {
      const host = hostOf(work.url);
      requests += 1;
      // The clock of a frontier has whole milliseconds.
      const leastMs = Math.max(1_000, 1_000 * (work.kind === 'robots' ? 0 : delayOf(host))) - 1;
      if (busyUntil[host] > 0 || nowMs - lastEnd[host] < leastMs) early += 1;
      busyUntil[host] = 1;
    },
    ended(work, nowMs) {
      const host = hostOf(work.url);
      busyUntil[host] = -1;
      lastEnd[host] = nowMs;
    },
    exchange: () => clock.wait(Math.min(10_000, requestTimeoutMs * Math.exp(0.6 * normal()))),
    linksOf(url) {
      const host = hostOf(url);
      const found = new Set();
      for (let page = 0; page < NAVIGATION; page += 1) found.add(urlOf(host, page));
      const newShare = (LINKS * (1 - knownShare)) / (LINKS - NAVIGATION);
      for (let at = NAVIGATION; at < LINKS; at += 1) {
        const other = at % ELSEWHERE_EVERY === 0 ? anyHost() : host;
        found.add(urlOf(other, random() < newShare ? made[other]++ : below(made[other])));
      }
      return [...found];
    },
  };
}
