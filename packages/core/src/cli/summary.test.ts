// Lines at the end of a crawl that only some crawls have.

import { expect, it } from 'vitest';
import { exitCodeOf } from './exit-codes.js';
import { crawlText, summaryText, truncatedText } from './summary.js';

const textOf = (more: object, isOnServer = false): string => {
  const lists = { politeness: [], waiting: [], scopeMoves: [], traps: [], relaxedDefaults: [], bounds: [] };
  const counts = { pages: 1, requests: 8, items: 0, runningMs: 1, queued: 0, bound: null, state: 'stopped' as const };
  const report = { ...lists, ...counts, outcomes: {}, ...more };
  return summaryText(report as unknown as Parameters<typeof summaryText>[0], isOnServer);
};

it('says how long it took, in readable units', () => {
  const took = (runningMs: number) => /\bin (\d.*)\./.exec(textOf({ runningMs }))?.[1];
  expect([8_340, 725_000, 12_000_000, 187_200_000].map(took)).toEqual([
    '8.3 s',
    '12 min 5 s',
    '3 h 20 min',
    '2 days 4 h',
  ]);
});

it('says which share of requests was signed, if any', () => {
  expect(textOf({ signed: 7 })).toContain('Signed: 7 of 8 requests (87.5 %).');
  expect(textOf({})).not.toContain('Signed');
});

it('says what became of every known page that was visited again', () => {
  const none = { cosmetic: 0, bytesSaved: 0, known: 9, freshBefore: null, freshAfter: null, nextDueAtMs: null };
  const recrawl = { ...none, visits: 9, notModified: 3, sameContent: 1, changed: 2, gone: 1 };
  const line = 'Crawled again: 9 known pages visited, 2 changed, 4 unchanged (3 by a 304), 1 gone';
  expect(textOf({ recrawl })).toContain(`${line}, 2 failed or excluded.`);
  expect(textOf({ recrawl: { ...recrawl, visits: 7 } })).toMatch(/, 1 gone\./);
});

it('says how many pages were truncated, if any', () => {
  expect(textOf({ truncated: 2 })).toContain(
    'Truncated: 2 pages of this run are incomplete, longer than `network.maxBodyBytes`',
  );
  expect(textOf({})).not.toContain('Cut');
  expect(truncatedText({ truncated: 1 })).toEqual([expect.stringContaining('Truncated: 1 page is incomplete, longer')]);
});

it('says which prices pages ask for, if any', () => {
  const host = { host: 'a.test', statuses: {}, asked: [{ currency: 'USD', amount: '0.01', pages: 1 }] };
  const row = { ...host, exclusions: [], comments: [], warnings: [] };
  expect(textOf({ politeness: [row] })).toContain('Asked: 1 page of 1 host asks 0.01 USD. Nothing was paid.');
  expect(textOf({ politeness: [] })).not.toContain('Asked');
});

it('says what stopped it: a handler, or the clock', () => {
  expect(textOf({ stopReason: 'enough' })).toContain('Stopped by a handler: "enough".');
  expect(textOf({ stopReason: 'signature-clock: 60 s' })).toContain('Stopped: "signature-clock: 60 s".');
});

it('does not call a process that joins a finished crawl one without pages, and does not advise --reset', () => {
  const report = {
    state: 'finished',
    bound: null,
    alreadyFinished: true,
    pages: 1,
    requests: 0,
    outcomes: {},
  } as const;
  const lists = { politeness: [], waiting: [], scopeMoves: [], traps: [], relaxedDefaults: [], bounds: [] };
  const whole = { ...lists, ...report, items: 0, runningMs: 1, queued: 0 } as unknown as Parameters<
    typeof summaryText
  >[0];
  expect(exitCodeOf(report)).toBe(0);
  expect(summaryText(whole, true)).toMatch(/^Finished earlier: .*To fetch it all again, take another \?crawl=<name>\./);
  // A person who has an archive must not lose it to this advice.
  expect(summaryText(whole)).toMatch(/To fetch it all again, add --reset \(deletes items, logs and archive\) or name/);
  const failed = { ...whole, outcomes: { fetched: { fetched: 1 }, failed: { 'handler-error': 2 } } };
  expect(summaryText(failed)).toContain('requested. Add --retry all to request 2 failed URLs again. To fetch it all');
  expect(exitCodeOf({ ...report, pages: 0 })).toBe(6);
});

it('names a crawl by its seeds, a polite fetch by its requests', () => {
  const crawl = { name: 'tester', createdAtMs: 0, seedCount: 1 };
  expect(crawlText({ ...crawl, seeds: ['https://a.test/'] })).toMatch(/^Crawl of https:\/\/a\.test\/ by tester, begun/);
  expect(crawlText({ ...crawl, seeds: [], seedCount: 0 })).toMatch(/^Requests by tester, begun/);
});

it('distinguishes counts of a crawl on several machines from those of this one', () => {
  expect(textOf({ items: 7 })).toContain(' 1 page, 8 requests, 7 items in 0.0 s');
  expect(textOf({ items: 7 }, true)).toContain(' 1 page of the crawl in 0.0 s; here 8 requests, 7 items');
});

it('says what stopped a crawl, a handler or the crawl itself', () => {
  const stopped = (stopReason: string) => textOf({ stopReason });
  expect(stopped('no-browser: none starts')).toMatch(/^Stopped: "no-browser: none starts"\./);
  expect(stopped('enough')).toMatch(/^Stopped by a handler: "enough"\./);
});

it('a process ends as waiting while others have all hosts, or while no known page is due', () => {
  const shared = textOf({ state: 'waiting', bound: null, part: 'process-2' }, true);
  expect(shared).toMatch(/^Waiting: other processes have the remaining hosts\. The same command continues/);
  // A run that never had the host of an earlier one, which was killed during a pause, lists no wait.
  expect(textOf({ state: 'waiting', bound: null })).toMatch(
    /^Waiting: all remaining hosts have to wait\..*; a smaller --max-idle ends sooner\./,
  );
});
