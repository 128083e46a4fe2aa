// Random webs in virtual time: robots.txt files in many spellings that change, move, fail and expire, several
// authorities of one host and several hosts of one address, redirects, refusals, Retry-After in every form, files next
// to robots.txt, requests of handlers, and runs that are stopped and continued. Single rules have their own tests; here
// they are combined. The web's log is judged by what the web knows, and the crawl's logs must agree.
//
// MANNERLY_WEBS=200 npx vitest run test/crawl/random-webs.test.ts runs 200 webs. MANNERLY_WEBS_FROM sets the first
// seed.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { auditCrawl, readCrawlDirectory } from 'mannerly';
import { createPoliteFetch } from 'mannerly/fetch';
import { createVirtualClock, runCrawl, type VirtualClock } from 'mannerly/testing';
import { expect, it } from 'vitest';
import { CONTACT, type Crawler, makeCrawler } from '../support/crawl.js';
import { type DecisionOfRun, decisionFaults, faultsOf } from '../support/judge-random-web.js';
import { Chance, ITEMS } from '../support/random-rules.js';
import { createRandomWeb, type RandomWeb } from '../support/random-web.js';

// Loads what the store loads when it is opened. vitest asks another process for it, and virtual time does not wait.
await lmdbStore({ path: join(tmpdir(), 'mannerly-none') })
  .open({ crawl: 'none', create: false })
  .catch(() => undefined);

const HOUR = 3_600_000;
/** Each stop comes in the first fifty minutes of a run. */
const MAX_STOP_MS = 3_000_000;
const FETCHES = 40;

const numberFrom = (name: string, other: number): number => Number(process.env[name] ?? other);
const SEEDS = Array.from(
  { length: numberFrom('MANNERLY_WEBS', 4) },
  (_, at) => numberFrom('MANNERLY_WEBS_FROM', 20) + at,
);

/** Starts at a random time of day, so that hours start and end, and midnight passes. */
function clockFor(seed: number): VirtualClock {
  return createVirtualClock({ startMs: Date.UTC(2026, 0, 1) + new Chance(seed + 9).below(24 * HOUR) });
}

function registerHandler(crawler: Crawler): void {
  crawler.on('html', async (page) => {
    if (new URL(page.url).pathname === '/') await page.fetch('/f9', { waitMs: 20_000 });
    await page.emit({ url: page.url });
    await page.follow();
  });
}

/** Crawls a web in one to three runs. */
async function crawled(seed: number, clock: VirtualClock, out: string) {
  const random = createRandomWeb(seed, clock.nowMs());
  const chance = new Chance(seed + 5_000);
  const requests: string[] = [];
  const decisions: DecisionOfRun[] = [];
  const stops = chance.below(3);
  for (let run = 0; run <= stops; run += 1) {
    const crawler = makeCrawler({
      ...random.web.fakes(clock),
      seeds: random.seeds,
      handlers: registerHandler,
      politeness: { profile: 'polite' },
      purposes: ['tdm'],
      discover: { sitemaps: true, dataTxt: true },
      maxIdleMs: 2 * HOUR,
      bounds: { pages: 2_000, minutes: 20_000 },
      store: lmdbStore({ path: join(out, 'store'), nowMs: clock.nowMs }),
    });
    crawler.events.on('request', ({ url, startedAtMs, endedAtMs, status }) =>
      requests.push(`${url} ${startedAtMs} ${endedAtMs} ${status}`),
    );
    crawler.events.on('decision', (decision) => decisions.push({ ...decision, run }));
    if (run < stops) clock.after(chance.below(MAX_STOP_MS), () => crawler.stop());
    await runCrawl(crawler, clock, { out });
  }
  return { random, requests, decisions };
}

it.each(SEEDS)('web %i is crawled politely, and the logs say what it saw', async (seed) => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-random-'));
  const clock = clockFor(seed);
  try {
    const { random, requests, decisions } = await crawled(seed, clock, out);
    if (random.web.errors.length > 0) throw random.web.errors[0];
    const log = random.log();
    expect(faultsOf(random)).toEqual([]);
    expect(decisionFaults(random, decisions)).toEqual([]);
    const seen = log.map(({ url, startMs, endMs, status }) => `${url} ${startMs} ${endMs} ${status}`);
    expect(requests.sort()).toEqual(seen.sort());
    const audit = await auditCrawl(await readCrawlDirectory(out));
    expect(audit.violations).toEqual([]);
    expect(audit.requests).toBe(log.length);
  } finally {
    clock.end();
    await rm(out, { recursive: true, force: true });
  }
});

/** Requests pages at random times, like a script that does not know the sites. */
async function fetched(random: RandomWeb, chance: Chance, clock: VirtualClock): Promise<void> {
  const identity = { name: 'test-bot', contact: CONTACT };
  const fetch = createPoliteFetch({ identity, ...random.web.fakes(clock), waitMs: 600_000 });
  const calls = Array.from({ length: FETCHES }, async () => {
    await new Promise<void>((over) => clock.after(chance.below(MAX_STOP_MS), over));
    // Refusals are expected; the web's log is judged.
    await fetch(chance.of(random.authorities).origin + chance.of(ITEMS).path).catch(() => undefined);
  });
  await Promise.all(calls);
  await fetch.close();
}

it.each(SEEDS)('web %i is fetched politely', async (seed) => {
  const clock = clockFor(seed);
  try {
    const random = createRandomWeb(seed, clock.nowMs());
    await clock.finish(fetched(random, new Chance(seed + 7_000), clock));
    if (random.web.errors.length > 0) throw random.web.errors[0];
    expect(random.log().length).toBeGreaterThan(0);
    expect(faultsOf(random)).toEqual([]);
  } finally {
    clock.end();
  }
});

it('the check finds impolite requests', async () => {
  const clock = clockFor(1);
  try {
    const random = createRandomWeb(1, clock.nowMs());
    const { fetcher } = random.web.fakes(clock);
    const send = (url: string) =>
      fetcher.fetch({
        url,
        method: 'GET',
        headers: {},
        address: { address: '198.18.0.1', family: 4 },
        limits: {
          connectTimeoutMs: 1_000,
          headersTimeoutMs: 10_000,
          requestTimeoutMs: 10_000,
          maxBodyBytes: 10_000,
          maxEncodedBytes: 10_000,
        },
        mayStart: () => true,
        signal: new AbortController().signal,
      });
    const [first] = random.authorities;
    await clock.finish(Promise.all([send(`${first?.origin}/p0`), send(`${first?.origin}/p0`)]));
    await clock.finish(send(`${first?.origin}/robots.txt`));
    const found = faultsOf(random).map((fault) => fault.replace(/:? http.*/, ''));
    expect(found).toEqual(expect.arrayContaining(['without an answer of robots.txt', 'two at once']));
    expect(found.some((fault) => fault.includes('ms after the last'))).toBe(true);
    expect(decisionFaults(random, [])).toEqual(expect.arrayContaining([expect.stringContaining('without a decision')]));
  } finally {
    clock.end();
  }
});
