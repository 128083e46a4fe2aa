// Programs read `report.json`: it fulfils its schema, and its figures are those of the crawl. The report page is one
// file of bounded size, whatever the size of the crawl.

import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readCrawlDirectory, writeReport } from 'mannerly';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CrawlStory, crawl } from '../support/crawl.js';
import { page, startWeb, text, type Web } from '../support/web.js';

const SCHEMA = new URL('../../packages/core/schema/report.schema.json', import.meta.url);

let web: Web;
let directory: string;
let story: CrawlStory;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mannerly-report-'));
  web = await startWeb({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nDisallow: /closed\nCrawl-delay: 0.05\n'),
        '/': page('a', ['/closed/1', '/closed/2', '/b', '/gone', 'http://c.test/']),
        '/b': page('b'),
      },
      'held.test': { '/robots.txt': { status: 503 } },
    },
  });
  story = await crawl({ seeds: [web.url('a.test'), web.url('held.test')], maxIdleMs: 0, out: directory });
});

afterAll(async () => {
  await web.close();
  await rm(directory, { recursive: true, force: true });
});

type ReportData = Awaited<ReturnType<typeof writeReport>>['data'];

async function written(): Promise<ReportData> {
  await writeReport(await readCrawlDirectory(directory));
  return JSON.parse(await readFile(join(directory, 'report.json'), 'utf8')) as ReportData;
}

async function faults(report: unknown): Promise<readonly string[]> {
  const validate = new Ajv2020({ strict: true, allErrors: true, strictTuples: false }).compile(
    JSON.parse(await readFile(SCHEMA, 'utf8')),
  );
  validate(report);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('report.json', () => {
  it('matches its schema', async () => {
    expect(await faults(await written())).toEqual([]);
  });

  it.each<[string, (report: ReportData) => unknown]>([
    ['without its verdict', ({ audit: _, ...rest }) => rest],
    [
      'with a host that counts in words',
      (report) => ({ ...report, hosts: [{ ...report.hosts[0], requests: 'many' }] }),
    ],
    ['with a field that no one described', (report) => ({ ...report, mood: 'fine' })],
    ['of another format', (report) => ({ ...report, format: 1 })],
  ])('does not match its schema %s', async (_title, change) => {
    expect(await faults(change(await written()))).not.toEqual([]);
  });

  it('has the figures of the crawl', async () => {
    const report = await written();
    const { totals, audit, hosts, pauses, reasons, rules } = report;
    expect(totals).toMatchObject({ requests: web.log.length, pageRequests: 3, robotsRequests: 2, hosts: 2 });
    expect(totals.outcomes).toEqual({ fetched: 2, excluded: 2, dropped: 1, failed: 1, held: 1 });
    expect(audit).toMatchObject({ passed: true, requests: web.log.length, violations: [] });
    const [row] = hosts;
    expect(row).toMatchObject({ host: 'a.test', requests: 4, crawlDelayMs: 50, excluded: 2, failed: 1, violations: 0 });
    expect(row?.tightest?.requiredGapMs).toBe(50);
    expect(row?.tightest?.requiredBy).toBe('crawl-delay');
    expect(row?.tightest?.gapMs).toBeGreaterThanOrEqual(50);
    expect(row?.smallestGapMs).toBe(story.report.politeness.find(({ host }) => host === 'a.test')?.smallestGapMs);
    // One for the host, after the 503, and one for the authority of that robots.txt.
    const held = { host: 'held.test', nextAtMs: null, isObeyed: true };
    expect(pauses).toMatchObject([{ ...held, why: '503' }, held]);
    expect(reasons.find(({ reason }) => reason === 'robots-rule')).toMatchObject({ status: 'excluded', urls: 2 });
    expect(rules).toMatchObject([{ line: 2, pattern: '/closed', urls: 2 }]);
    expect(report.progress.queued.some((value) => value !== null && value > 0)).toBe(true);
    // What was dropped may have had no handler: it need not be outside the scope.
    expect(report.methods).toContain(
      'Of 7 URLs that we found, 2 were fetched, 2 were excluded by their sites, 1 was left out by our own settings, ' +
        '1 was not obtained because of errors, 1 was still queued when the crawl ended.',
    );
    expect(report.methods).toContain(
      'The crawl could reach the hosts of its seeds, and at most 500 pages, 20 minutes of running time.',
    );
    expect(report.methods).toContain('1 host required a pace of its own');
    expect(report.methods).toMatch(/5 HTTP requests \(3 for pages, 2 for robots\.txt\) to 2 hosts/);
  });

  it('stays small when the crawl was large, and so does the page', async () => {
    const path = join(directory, 'requests.jsonl');
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    const last = JSON.parse(lines.findLast((line) => line.includes('"purpose":"page"')) ?? '') as Record<
      string,
      unknown
    >;
    const later = (index: number) => {
      const startedAtMs = Number(last['endedAtMs']) + (index + 1) * 100;
      return `${JSON.stringify({ ...last, startedAtMs, endedAtMs: startedAtMs + 10, url: web.url('a.test', `/p/${index}`) })}\n`;
    };
    await appendFile(path, Array.from({ length: 20_000 }, (_, index) => later(index)).join(''));
    // A list without `rel=next`: each page is one deeper than the one before.
    const decisionsPath = join(directory, 'decisions.jsonl');
    const [decision = ''] = (await readFile(decisionsPath, 'utf8')).split('\n').filter((line) => line.includes('/b"'));
    const deeper = (depth: number) =>
      `${JSON.stringify({ ...(JSON.parse(decision) as object), url: web.url('a.test', `/p/${depth}`), depth })}\n`;
    await appendFile(decisionsPath, Array.from({ length: 1_500 }, (_, index) => deeper(index + 2)).join(''));
    const report = await written();
    expect(report.depths).toHaveLength(100);
    expect(report.depths.at(-1)).toMatchObject({ depth: 99, orDeeper: true, fetched: 1_500 - 97 });
    expect(report.totals.requests).toBe(web.log.length + 20_000);
    expect(report.timeline.points.length).toBeLessThan(1_000);
    expect(report.timeline.points.length + report.timeline.pointsLeftOut).toBe(report.totals.requests);
    expect(report.progress.atMs.length).toBeLessThanOrEqual(600);
    expect(report.progress.requests.at(-1)).toBe(report.totals.requests);
    expect((await stat(join(directory, 'report.html'))).size).toBeLessThan(400_000);
    expect(await faults(report)).toEqual([]);
  });
});
