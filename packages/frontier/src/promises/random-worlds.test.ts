// The guarantees that must hold whatever sites do: one exchange at a time per host, never early, no page before its
// authority's robots.txt was answered, and no host is visited faster because it refused. The log of the simulated web
// is checked.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reply, Seen } from '../../test-support/fake-world.js';
import { interleavingStore, isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

/** A site of a random world. */
interface Site {
  readonly delayS: number;
  readonly rate: string | null;
  readonly closes: boolean;
  /** The answers to its robots.txt, in turn; the last one repeats. */
  readonly robots: readonly ('file' | 'missing' | 'broken' | 'refused' | 'elsewhere' | 'slow-down')[];
  /** The statuses of its pages, in turn, over all pages; then 200. */
  readonly statuses: readonly number[];
  readonly retryAfterS: number | null;
  readonly ms: number;
}

const AUTHORITIES = [
  'http://a.test',
  'https://a.test',
  'http://a.test:8080',
  'http://b.test',
  'https://c.test',
  'http://d.test',
];
const PAGES = 6;

const site: fc.Arbitrary<Site> = fc.record({
  delayS: fc.constantFrom(0, 0, 1, 2, 7),
  rate: fc.constantFrom(null, null, '1/5', '2/30s'),
  closes: fc.boolean(),
  robots: fc.array(fc.constantFrom('file', 'file', 'missing', 'broken', 'refused', 'elsewhere', 'slow-down'), {
    minLength: 1,
    maxLength: 3,
  }),
  statuses: fc.array(fc.constantFrom(200, 200, 200, 404, 429, 503, 500, 403, 301), { maxLength: 8 }),
  retryAfterS: fc.constantFrom(null, 5, 120),
  ms: fc.constantFrom(1, 40, 900, 3000),
});
const sites = fc.array(site, { minLength: AUTHORITIES.length, maxLength: AUTHORITIES.length });

function fileOf(one: Site): string {
  const lines = ['User-agent: *', one.closes ? 'Disallow: /p3' : 'Disallow:'];
  if (one.delayS > 0) lines.push(`Crawl-delay: ${one.delayS}`);
  if (one.rate !== null) lines.push(`Request-rate: ${one.rate}`);
  return `${lines.join('\n')}\n`;
}

function worldOf(list: readonly Site[]) {
  const requestCounts = new Map<string, number>();
  return (address: string, nth: number): Reply => {
    const { protocol, host, pathname } = new URL(address);
    const authority = `${protocol}//${host}`;
    const at = AUTHORITIES.indexOf(authority);
    const one = list[at]!;
    if (pathname === '/elsewhere.txt') return { status: 200, body: fileOf(one), ms: one.ms };
    if (isRobots(address)) {
      const answer = one.robots[Math.min(nth, one.robots.length - 1)]!;
      const next = AUTHORITIES[(at + 1) % AUTHORITIES.length]!;
      if (answer === 'file') return { status: 200, body: fileOf(one), ms: one.ms };
      if (answer === 'missing') return { status: 404, ms: one.ms };
      if (answer === 'refused') return { status: 403, ms: one.ms };
      if (answer === 'slow-down') return { status: 429, ms: one.ms };
      if (answer === 'broken') return { status: null, failure: 'reset', ms: one.ms };
      return { status: 302, headers: { location: `${next}/elsewhere.txt` }, ms: one.ms };
    }
    const turn = requestCounts.get(authority) ?? 0;
    requestCounts.set(authority, turn + 1);
    const status = one.statuses[turn] ?? 200;
    const throttles = status === 429 || status === 503;
    return {
      status,
      ms: one.ms,
      ...(throttles && one.retryAfterS !== null ? { headers: { 'retry-after': String(one.retryAfterS) } } : {}),
    };
  };
}

/** Numbers in [0, 1) from a seed (Lehmer, 48271). */
function drawsFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function crawl(list: readonly Site[], concurrency = 8) {
  const tools = setUp((nowMs) => memoryStore({ nowMs }), worldOf(list));
  await tools.frontier.open();
  const urls = AUTHORITIES.flatMap((authority) => Array.from({ length: PAGES }, (_, at) => url(`${authority}/p${at}`)));
  await tools.frontier.add(urls);
  let steps = 0;
  const ended = await tools.work(tools.frontier, 7 * 3_600_000, { concurrency, isStopped: () => ++steps > 20_000 });
  return { ...tools, ended, steps: () => steps };
}

/** Computes access §9 and §10 independently, from the log alone. `polite`: clamp(2 × retrieval, 1 s, 60 s). */
function faultsOf(log: readonly Seen[], list: readonly Site[]): string[] {
  const faults: string[] = [];
  for (const host of new Set(log.map((seen) => seen.host))) {
    const all = log.filter((seen) => seen.host === host);
    for (let at = 1; at < all.length; at += 1) {
      const before = all[at - 1]!;
      const now = all[at]!;
      if (now.startMs < before.endMs) faults.push(`overlap at ${host}: ${now.url}`);
      const profileMs = Math.min(60_000, Math.max(1_000, 2 * (before.endMs - before.startMs)));
      // Only files whose rules were known before this request count.
      const delays = AUTHORITIES.map((authority, index) => ({ authority, one: list[index]! }))
        .filter(({ authority }) => new URL(authority).hostname === host && knownBy(log, authority, now.startMs))
        .map(({ one }) => one);
      const delayMs = Math.max(profileMs, ...delays.map((one) => one.delayS * 1000));
      const rateMs = Math.max(0, ...delays.map((one) => (one.rate === '1/5' ? 5_000 : one.rate === null ? 0 : 15_000)));
      if (now.startMs < before.endMs + delayMs)
        faults.push(`early at ${host}: ${now.url}, ${now.startMs - before.endMs} < ${delayMs}`);
      if (now.startMs < before.startMs + rateMs) faults.push(`rate at ${host}: ${now.url}`);
      const throttled = before.status === 429 || before.status === 503;
      if (throttled && !before.isRobots && now.startMs < before.endMs + 30_000)
        faults.push(`no pause at ${host}: ${now.url}`);
    }
  }
  for (const seen of log) {
    if (!seen.isRobots && !answeredBefore(log, seen.authority, seen.startMs))
      faults.push(`page before robots.txt: ${seen.url}`);
    if (!seen.isRobots && seen.url.endsWith('/p3') && closed(log, list, seen)) faults.push(`closed page: ${seen.url}`);
  }
  for (const authority of AUTHORITIES) {
    const own = log.filter((seen) => seen.robotsAuthority === authority).sort((a, b) => a.startMs - b.startMs);
    for (let at = 1; at < own.length; at += 1) {
      if (own[at]!.startMs < own[at - 1]!.endMs) faults.push(`two requests for the robots.txt of ${authority}`);
    }
  }
  return faults;
}

/** Whether the authority's last answered robots.txt was a file with rules. */
function knownBy(log: readonly Seen[], authority: string, atMs: number): boolean {
  const last = log.filter((seen) => seen.robotsAuthority === authority && seen.endMs <= atMs).at(-1);
  return last?.status === 200 && last.authority === authority;
}

function answeredBefore(log: readonly Seen[], authority: string, atMs: number): boolean {
  const last = log.filter((seen) => seen.robotsAuthority === authority && seen.endMs <= atMs).at(-1);
  return last !== undefined && last.status !== null && last.status !== 429 && last.status < 500 && last.status !== 302;
}

function closed(log: readonly Seen[], list: readonly Site[], page: Seen): boolean {
  return knownBy(log, page.authority, page.startMs) && list[AUTHORITIES.indexOf(page.authority)]!.closes;
}

describe('random worlds', () => {
  it('one exchange at a time per host, never early, no page before robots.txt (access §2, §9, §10)', async () => {
    await fc.assert(
      fc.asyncProperty(sites, fc.constantFrom(1, 3, 8), async (list, concurrency) => {
        const { world } = await crawl(list, concurrency);
        expect(faultsOf(world.log, list)).toEqual([]);
      }),
      { numRuns: 30, seed: 20_261 },
    );
  });

  it('two processes over one store keep them too, whatever interrupts them', async () => {
    await fc.assert(
      fc.asyncProperty(sites, fc.integer({ min: 1, max: 2_147_483_646 }), async (list, seed) => {
        const random = drawsFrom(seed);
        const { make, work, world } = setUp(
          (nowMs) => interleavingStore(memoryStore({ nowMs }), random),
          worldOf(list),
        );
        const processes = [make(), make()];
        for (const frontier of processes) await frontier.open();
        const urls = AUTHORITIES.flatMap((authority) => [0, 1, 2].map((at) => url(`${authority}/p${at}`)));
        await processes[0]!.add(urls);
        let steps = 0;
        const isStopped = () => ++steps > 20_000;
        const ends = await Promise.all(
          processes.map((frontier) => work(frontier, 1_800_000, { concurrency: 3, isStopped })),
        );
        expect(ends).not.toContain('stopped');
        expect(faultsOf(world.log, list)).toEqual([]);
      }),
      { numRuns: 30, seed: 99, endOnFailure: true },
    );
  });

  it('the judge of this test finds the faults it looks for', () => {
    const list = AUTHORITIES.map(
      (): Site => ({ delayS: 2, rate: null, closes: true, robots: ['file'], statuses: [], retryAfterS: null, ms: 1 }),
    );
    const seen = (path: string, startMs: number, endMs: number): Seen => ({
      url: `http://b.test${path}`,
      host: 'b.test',
      authority: 'http://b.test',
      isRobots: path === '/robots.txt',
      robotsAuthority: path === '/robots.txt' ? 'http://b.test' : null,
      startMs,
      endMs,
      status: 200,
    });
    const faults = faultsOf(
      [seen('/p1', 0, 10), seen('/robots.txt', 5, 15), seen('/p3', 1_000, 1_010), seen('/p2', 4_000, 4_010)],
      list,
    );
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['overlap', 'early', 'early', 'page', 'closed']);
  });

  it('ends with every URL accounted for', async () => {
    await fc.assert(
      fc.asyncProperty(sites, async (list) => {
        const { frontier, world, verdicts } = await crawl(list);
        const { queued, inFlight } = frontier.counts();
        const finished = new Set(world.log.filter((seen) => !seen.isRobots).map((seen) => seen.url));
        const excluded = new Set(verdicts().map((verdict) => verdict.url));
        expect(inFlight).toBe(0);
        // Every other URL is still queued: nothing is lost.
        expect(finished.size + excluded.size + queued).toBeGreaterThanOrEqual(AUTHORITIES.length * PAGES);
      }),
      { numRuns: 20, seed: 20_262 },
    );
  });
});
