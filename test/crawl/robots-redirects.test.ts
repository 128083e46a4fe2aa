// Up to five redirects of robots.txt are followed, across authorities, and the result applies only to the authority
// that was requested first. A sixth makes the file unavailable (RFC 9309 §2.3.1.2), with a warning.

import { describe, expect, it } from 'vitest';
import { CONTACT, crawl } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, type Routes, redirect, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const RULES = text('User-agent: *\nDisallow: /closed\n');
const PAGES: Routes = { '/': page('start', ['/closed/x', '/a']), '/closed/x': page('x'), '/a': page('a') };

function chain(hops: number): Routes {
  const routes: Record<string, Routes[string]> = { ...PAGES, '/robots.txt': hops === 0 ? RULES : redirect('/hop-1') };
  for (let hop = 1; hop <= hops; hop += 1) routes[`/hop-${hop}`] = hop === hops ? RULES : redirect(`/hop-${hop + 1}`);
  return routes;
}

const hopPaths = (hops: number): string[] => Array.from({ length: hops }, (_, index) => `/hop-${index + 1}`);

describe('a robots.txt behind redirects', () => {
  it.each([0, 1, 2, 5])('%d: the rules at the end hold (access §3)', async (hops) => {
    const web = await webForTest({ hosts: { 'a.test': chain(hops) } });
    await crawl({ seeds: [web.url('a.test')], politeness: { profile: { factor: 0, minMs: 40, maxMs: 40 } } });
    expect(web.paths('a.test')).toEqual(['/robots.txt', ...hopPaths(hops), '/', '/a']);
    const rules = { 'a.test': { gapMs: 40, closed: ['/closed'] } };
    expect(judge(web.log, { contact: CONTACT, rules, robotsHops: hopPaths(hops) })).toEqual(POLITE);
  });

  it('six: the sixth is not followed, everything is open, and the operator gets a warning', async () => {
    const web = await webForTest({ hosts: { 'a.test': chain(6) } });
    const { notices } = await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('a.test').filter((path) => path.startsWith('/hop'))).toEqual(hopPaths(5));
    expect(
      web
        .paths('a.test')
        .filter((path) => !/hop|robots/.test(path))
        .sort(),
    ).toEqual(['/', '/a', '/closed/x']);
    expect(notices.map((notice) => notice.code)).toContain('robots-redirect-limit');
  });

  it('in a circle: each is requested once, everything is open, and the operator gets a warning', async () => {
    const web = await webForTest({
      hosts: { 'a.test': { ...PAGES, '/robots.txt': redirect('/hop-1'), '/hop-1': redirect('/robots.txt') } },
    });
    const { notices } = await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('a.test').slice(0, 3)).toEqual(['/robots.txt', '/hop-1', '/']);
    expect(notices.map((notice) => notice.code)).toContain('robots-redirect-limit');
  });

  it('on another host: waits for that host, consults no other rules, and applies to the first authority only', async () => {
    const web = await webForTest({
      hosts: {
        'a.test': {
          ...PAGES,
          '/robots.txt': ({ headers }) => redirect(`http://b.test:${headers['host']?.split(':')[1]}/closed/rules`),
        },
        'b.test': { ...PAGES, '/robots.txt': text('User-agent: *\nDisallow: /closed/rules\n'), '/closed/rules': RULES },
      },
    });
    const seeds = [web.url('a.test'), web.url('b.test')];
    await crawl({ seeds, politeness: { profile: { factor: 0, minMs: 60, maxMs: 60 } } });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/a']);
    expect(web.paths('b.test').filter((path) => path === '/closed/rules')).toHaveLength(1);
    expect(
      web
        .paths('b.test')
        .filter((path) => path !== '/closed/rules')
        .sort(),
    ).toEqual(['/', '/a', '/closed/x', '/robots.txt']);
    const rules = { 'a.test': { gapMs: 60, closed: ['/closed'] }, 'b.test': { gapMs: 60 } };
    expect(judge(web.log, { contact: CONTACT, rules, robotsHops: ['/closed/rules'] })).toEqual(POLITE);
  });

  it('that fails at its last hop holds the host', async () => {
    const web = await webForTest({
      hosts: { 'a.test': { ...PAGES, '/robots.txt': redirect('/hop-1'), '/hop-1': { status: 503 } } },
    });
    const { report } = await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/hop-1']);
    expect(report.waiting[0]?.reason).toBe('robots-unreachable');
  });
});
