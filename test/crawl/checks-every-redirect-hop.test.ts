// A redirect target passes the same checks as any link. Otherwise one 302 opens what robots.txt closes, and leads a
// crawl out of its scope.

import { describe, expect, it } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, type Route, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const RULES = text('User-agent: *\nDisallow: /closed\n');
const toOther =
  (host: string, path: string): Route =>
  ({ headers }) =>
    redirect(`http://${host}:${headers['host']?.split(':')[1]}${path}`);

describe.each([301, 302, 303, 307, 308])('a %d', (status) => {
  it('to a disallowed path is not followed, and the line of robots.txt is reported', async () => {
    const web = await webForTest({
      hosts: {
        'a.test': {
          '/robots.txt': RULES,
          '/': page('a', ['/go']),
          '/go': redirect('/closed/x', status),
          '/closed/x': page('x'),
        },
      },
    });
    const { decisions } = await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/go']);
    expect(decisions.find((each) => each.url.endsWith('/closed/x'))).toMatchObject({
      status: 'excluded',
      reason: 'robots-rule',
      line: 2,
      pattern: '/closed',
      from: web.url('a.test', '/go'),
    });
  });
});

describe('a redirect to another host', () => {
  const scopeOf = (seed: string, hosts: readonly string[]) => ({ seeds: [seed], within: 'list' as const, hosts });

  it('waits for that host and its rules', async () => {
    const web = await webForTest({
      hosts: {
        'a.test': {
          '/': page('a', ['/in', '/out']),
          '/in': toOther('b.test', '/open'),
          '/out': toOther('b.test', '/closed/y'),
        },
        'b.test': { '/robots.txt': RULES, '/open': page('open'), '/closed/y': page('y') },
      },
    });
    const { itemUrls } = await crawl({
      seeds: [],
      scope: scopeOf(web.url('a.test'), ['a.test', 'b.test']),
      politeness: { profile: { factor: 0, minMs: 80, maxMs: 80 } },
    });
    expect(web.paths('b.test')).toEqual(['/robots.txt', '/open']);
    expect(itemUrls).toEqual([web.url('a.test'), web.url('b.test', '/open')]);
    expect(
      judge(web.log, {
        contact: CONTACT,
        rules: { 'a.test': { gapMs: 80 }, 'b.test': { gapMs: 80, closed: ['/closed'] } },
      }),
    ).toEqual(POLITE);
  });

  it('is not followed out of scope, and that host gets no request', async () => {
    const web = await webForTest({
      hosts: { 'a.test': { '/': toOther('b.test', '/') }, 'b.test': { '/': page('b') } },
    });
    const { decisions } = await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('b.test')).toEqual([]);
    expect(decisions.find((each) => each.url.includes('b.test'))).toMatchObject({
      status: 'dropped',
      reason: 'out-of-scope',
    });
  });
});

describe('a chain of redirects', () => {
  it('is spaced hop by hop, and ends at the first disallowed one', async () => {
    const web = await webForTest({
      hosts: {
        'a.test': {
          '/robots.txt': text('User-agent: *\nCrawl-delay: 0.15\nDisallow: /closed\n'),
          '/': redirect('/1'),
          '/1': redirect('/2'),
          '/2': redirect('/closed/3'),
          '/closed/3': redirect('/4'),
          '/4': page('four'),
        },
      },
    });
    await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/1', '/2']);
    expect(judge(web.log, { contact: CONTACT, rules: { 'a.test': { gapMs: 150 } } })).toEqual(POLITE);
  });

  it('that leads back to itself ends', async () => {
    const web = await webForTest({
      hosts: { 'a.test': { '/': redirect('/1'), '/1': redirect('/2'), '/2': redirect('/1') } },
    });
    const { report } = await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/1', '/2']);
    expect(report.state).toBe('finished');
  });

  it('to itself is a failure: the page cannot be had, and the report says so', async () => {
    const web = await webForTest({ hosts: { 'a.test': { '/': redirect('/#part') } } });
    const { report, decisions } = await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/']);
    expect(decisions).toMatchObject([{ status: 'failed', reason: 'redirect-invalid', httpStatus: 302 }]);
    expect(report.outcomes['failed']).toEqual({ 'redirect-invalid': 1 });
  });

  it('without end is cut', async () => {
    const web = await webForTest({
      hosts: { 'a.test': { '/robots.txt': { status: 404 }, '*': ({ path }) => redirect(`${path}x`) } },
    });
    const { report, decisions } = await crawl({ seeds: [web.url('a.test', '/x')] });
    expect(report.state).toBe('finished');
    expect(web.paths('a.test').length).toBeLessThanOrEqual(25);
    expect(decisions.some((each) => each.reason === 'redirect-limit')).toBe(true);
  });
});
