// Most first mistakes are names: of another crawler, in the wrong group, or misspelt. If this breaks, the message lists
// thirty names, and the user has to find the right one.

import { describe, expect, it } from 'vitest';
import { fill } from './check.js';
import { CRAWL_ROWS } from './crawl-rows.js';
import { POLITENESS_ROWS } from './politeness-rows.js';
import { hintFor, suggestionFor } from './suggestion.js';
import { CONFIG_OPTIONS, OPTIONS } from './table.js';

describe('the suggested option', () => {
  it.each([
    ['bound', 'bounds'],
    ['politness', 'politeness'],
    ['boudns', 'bounds'],
    ['pages', 'bounds.pages'],
    ['seeds', 'scope.seeds'],
    ['startUrls', 'scope.seeds'],
    ['proxyUrls', 'network.proxy'],
    ['delayMs', 'politeness.profile'],
    ['start_urls', 'scope.seeds'],
    ['maxRequestsPerCrawl', 'bounds.pages'],
    ['concurrency', 'network.concurrency'],
    ['DOWNLOAD_DELAY', 'politeness.profile'],
    ['ITEM_PIPELINES', 'items'],
    ['FEEDS', 'sinks: [csvSink({ path })]'],
    ['DOWNLOADER_MIDDLEWARES', 'hooks.beforeFetch'],
    ['RETRY_TIMES', 'retries.failureWaitsMs'],
    ['JOBDIR', 'crawler.run({ out })'],
    ['CLOSESPIDER_TIMEOUT', 'bounds.minutes'],
    ['headers', 'network.headers'],
    ['requestHandler', "crawler.on('html', …)"],
    ['browser', 'fetcher: browserFetcher({ launch })'],
    ['headless', 'fetcher: browserFetcher({ launch })'],
    ['csv', 'sinks: [csvSink({ path })]'],
    ['handlers', "crawler.on('html', …)"],
    ['constructor', null],
    ['frobnicate', null],
    ['x', null],
    ['a'.repeat(100_000), null],
  ])('%.20s', (unknown, meant) => {
    expect(suggestionFor(unknown, '', OPTIONS)).toBe(meant);
  });

  it('within a group is one of the group', () => {
    const { shape } = CRAWL_ROWS.scope;
    if (shape.kind !== 'group') throw new Error('scope is a group');
    expect(suggestionFor('withing', 'scope.', shape.rows)).toBe('scope.within');
    expect(suggestionFor('startUrls', 'scope.', shape.rows)).toBe('scope.seeds');
    expect(suggestionFor('maxDepth', 'scope.', shape.rows)).toBeNull();
  });

  it('of a configuration file is a key of the file', () => {
    expect(suggestionFor('output', '', OPTIONS)).toBe('crawler.run({ out })');
    expect(suggestionFor('output', '', CONFIG_OPTIONS)).toBe('out');
    expect(suggestionFor('FEEDS', '', CONFIG_OPTIONS)).toBe('csv');
    expect(suggestionFor('requestHandler', '', CONFIG_OPTIONS)).toBe('handlers');
  });

  it.each([
    [{ purposes: ['rag'] }, 'ai-input'],
    [{ purposes: ['ai'] }, 'ai-train` or `ai-input'],
    [{ purposes: ['llm'] }, 'ai-train` or `ai-input'],
    [{ purposes: ['training'] }, 'ai-train'],
    [{ purposes: ['search-engine'] }, 'search'],
    [{ purposes: ['tdm-ai'] }, 'tdm'],
    [{ purposes: ['web-archive'] }, 'archive'],
    [{ purposes: ['ai_input'] }, 'ai-input'],
    [{ tdm: 'respekt' }, 'respect'],
  ])('for the value in %j is a value that is known', (given: object, meant) => {
    const { purposes, tdm } = POLITENESS_ROWS;
    const hint = `Did you mean \`${meant}\`?`;
    expect(() => fill('', { purposes, tdm }, given)).toThrow(expect.objectContaining({ hint }));
  });

  it.each(['ROBOTSTXT_OBEY', 'respectRobotsTxtFile', 'obey', 'ignore-robots', 'noRobots'])(
    'for %s, the message says that robots.txt is always obeyed, and what the user’s own site can declare',
    (name) => {
      expect(hintFor(name, '', OPTIONS)).toMatch(/^robots\.txt is always obeyed.*"User-agent: <your name>"/);
    },
  );

  it.each([{ robots: { ignore: true } }, { robots: { respect: false } }, { robots: false }])(
    'for %j too',
    (given: object) => {
      const hint = expect.stringMatching(/^robots\.txt is always obeyed/);
      expect(() => fill('', { robots: POLITENESS_ROWS.robots }, given)).toThrow(expect.objectContaining({ hint }));
    },
  );
});
