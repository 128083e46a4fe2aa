// Events, report, decision log and `explain` show the same status and reason for every URL that was excluded, dropped,
// failed or held. If they disagree, the crawl proves nothing.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UrlDecision } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** Path of a.test → the status and reason with which it must end. */
const EXPECTED: Readonly<Record<string, string>> = {
  '/': 'fetched fetched',
  '/ok': 'fetched fetched',
  '/go': 'fetched redirect',
  '/closed/a': 'excluded robots-rule',
  '/closed/b': 'excluded robots-rule',
  '/noindex': 'excluded noindex',
  '/left': 'excluded link-nofollow',
  '/nofollow-page': 'fetched fetched',
  '/unseen': 'excluded page-nofollow',
  '/gone': 'failed status-404',
  '/refused': 'failed status-403',
  '/skip/z': 'dropped scope-excluded',
};

it('in events, report, decision log and explain', async () => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const links = ['/ok', '/go', '/closed/a', '/noindex', '/nofollow-page', '/gone', '/refused', '/skip/z', '/ok'];
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text('# rules\nUser-agent: *\nDisallow: /closed\n'),
        '/': {
          body: page('a', links).replace('</body>', '<a rel=nofollow href=/left>left</a></body>'),
          headers: { 'content-type': 'text/html' },
        },
        '/ok': page('ok', ['/']),
        '/go': redirect('/closed/b'),
        '/noindex': page('n', [], '<meta name=robots content=noindex>'),
        '/nofollow-page': page('f', ['/unseen'], '<meta name=robots content=nofollow>'),
        '/refused': { status: 403 },
      },
      'dark.test': { '/robots.txt': { status: 500 } },
    },
  });
  const seeds = [web.url('a.test'), web.url('dark.test', '/x')];
  const { crawler, report, decisions } = await crawl({
    seeds,
    scope: { seeds, exclude: ['/skip'] },
    out,
    maxIdleMs: 0,
  });

  // The events: each URL once, with the expected status.
  const decided = Object.fromEntries(decisions.map((each) => [each.url, `${each.status} ${each.reason}`]));
  expect(Object.keys(decided)).toHaveLength(decisions.length);
  expect(decided).toEqual({
    ...Object.fromEntries(Object.entries(EXPECTED).map(([path, word]) => [web.url('a.test', path), word])),
    [web.url('dark.test', '/x')]: 'held robots-unreachable',
  });
  for (const decision of decisions.filter((each) => each.reason === 'robots-rule')) {
    expect(decision).toMatchObject({ line: 3, pattern: '/closed', dialect: 'rfc9309', layer: 'robots' });
    expect(decision.robots).toMatchObject({
      authority: web.url('a.test', ''),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(decision.robots?.receivedAtMs).toBeGreaterThan(0);
  }

  // The decision log: the same, line for line.
  const lines = (await readFile(join(out, 'decisions.jsonl'), 'utf8')).trim().split('\n');
  const logged = lines.map((line) => JSON.parse(line) as UrlDecision);
  expect(logged).toEqual(decisions);

  // The report: the same, counted.
  const counted: Record<string, Record<string, number>> = {};
  for (const { status, reason } of decisions) {
    const reasons = counted[status] ?? {};
    counted[status] = reasons;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  expect(report.outcomes).toEqual(counted);
  const host = report.politeness.find((each) => each.host === 'a.test');
  expect(host?.excluded).toBe(decisions.filter((each) => each.status === 'excluded').length);
  expect(host?.failed).toBe(2);
  expect(host?.dropped).toBe(1);
  expect(report.politeness.find((each) => each.host === 'dark.test')?.held).toBe(1);

  // Explain: the same, URL by URL.
  for (const decision of decisions) {
    const explained = await crawler.explain(decision.url);
    expect(`${decision.url} ${explained.status} ${explained.reason}`).toBe(
      `${decision.url} ${decision.status} ${decision.reason}`,
    );
    if (decision.status === 'excluded')
      expect([explained.line, explained.pattern]).toEqual([decision.line, decision.pattern]);
  }
  expect((await crawler.explain(web.url('a.test', '/never-met'))).status).toBe('unknown');
});
