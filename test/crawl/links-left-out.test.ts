// The links of one page take memory and disk by their length: beyond the limits they are left out, which is told.

import { expect, it } from 'vitest';
import { crawlVirtually } from '../support/virtual-crawl.js';

it('a long base and many short links cost what the limits allow, and the decision says what was left out', async () => {
  const base = `http://a.test/${'x'.repeat(8_000)}/`;
  const links = Array.from({ length: 5_000 }, (_, at) => `<a href="${at}">${at}</a>`).join('');
  const { report, decisions } = await crawlVirtually({
    seeds: ['http://a.test/'],
    bounds: { pages: 1 },
    hosts: { 'a.test': { pages: { '/': `<!doctype html><base href="${base}">${links}`, '*': 'leaf' } } },
  });
  const [page] = decisions.filter(({ status }) => status === 'fetched');
  const leftOut = Number(/^(\d+) links left out/.exec(page?.detail ?? '')?.[1] ?? 0);
  expect(leftOut).toBeGreaterThan(0);
  expect(report.queued + leftOut).toBe(5_000);
  expect(report.queued * base.length).toBeLessThan(16 * 1024 * 1024);
});
