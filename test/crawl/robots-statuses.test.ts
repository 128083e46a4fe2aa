// What each status of robots.txt means: which open a site, which close it, and which warnings the operator gets. The
// statuses that hold a site are in holds-when-robots-unreachable.

import { describe, expect, it } from 'vitest';
import { CONTACT, crawl, type TestCrawlOptions } from '../support/crawl.js';
import { judge, POLITE } from '../support/politeness.js';
import { page, type ReplyParts, type Routes, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const PAGES: Routes = { '/': page('start', ['/closed/x']), '/closed/x': page('x') };
const HTML = '<!doctype html><title>Not found</title><p>User-agent: *<br>Disallow: /';
const RULES = 'User-agent: *\nDisallow: /closed\n';

/** Answer → the paths requested after robots.txt, and the expected notice. */
const OPEN_PROFILE: readonly (readonly [
  title: string,
  robots: ReplyParts,
  paths: readonly string[],
  notice: string | null,
])[] = [
  ['200 with rules', text(RULES), ['/'], 'robots-read'],
  ['200 with rules as text/html', { body: RULES, headers: { 'content-type': 'text/html' } }, ['/'], 'robots-html'],
  [
    '200 with rules as an image',
    { body: RULES, headers: { 'content-type': 'image/png' } },
    ['/'],
    'robots-content-type',
  ],
  ['200 with a byte order mark', text(`\uFEFF${RULES}`), ['/'], null],
  ['200, empty', text(''), ['/', '/closed/x'], null],
  ['204', { status: 204 }, ['/', '/closed/x'], null],
  [
    '200 with an HTML page',
    { body: HTML, headers: { 'content-type': 'text/html' } },
    ['/', '/closed/x'],
    'robots-html',
  ],
  ['404', { status: 404, body: RULES }, ['/', '/closed/x'], null],
  ['410', { status: 410, body: RULES }, ['/', '/closed/x'], null],
  ['401', { status: 401, body: RULES }, ['/', '/closed/x'], 'robots-forbidden'],
  ['403', { status: 403, body: RULES }, ['/', '/closed/x'], 'robots-forbidden'],
  ['418', { status: 418, body: RULES }, ['/', '/closed/x'], null],
];

const CLOSING: TestCrawlOptions['robots'] = { onForbidden: 'deny' };

describe('robots.txt answers, read as RFC 9309 does', () => {
  it.each(OPEN_PROFILE)('%s (access §4, §7)', async (_title, robots, paths, notice) => {
    const web = await webForTest({ hosts: { 'a.test': { ...PAGES, '/robots.txt': robots } } });
    const { notices } = await crawl({ seeds: [web.url('a.test')] });
    expect(web.paths('a.test')).toEqual(['/robots.txt', ...paths]);
    if (notice !== null) expect(notices.map((each) => each.code)).toContain(notice);
    expect(judge(web.log, { contact: CONTACT })).toEqual(POLITE);
  });

  it('a warning says what is odd, and which state follows', async () => {
    const page = { body: '<html>', headers: { 'content-type': 'text/html' } };
    const web = await webForTest({ hosts: { 'a.test': { ...PAGES, '/robots.txt': page } } });
    const { notices } = await crawl({ seeds: [web.url('a.test')] });
    const details = notices.filter(({ code }) => code !== 'robots-read').map(({ detail }) => detail);
    expect(details).toEqual([
      'robots.txt is not text/plain, and is read anyway (rules)',
      'robots.txt looks like an HTML page, and is read anyway (rules)',
    ]);
  });
});

describe('robots.txt answers, read as closing', () => {
  it.each([401, 403])('%d closes the site', async (status) => {
    const web = await webForTest({ hosts: { 'a.test': { ...PAGES, '/robots.txt': { status } } } });
    const { decisions, report } = await crawl({ seeds: [web.url('a.test')], robots: CLOSING });
    expect(web.paths('a.test')).toEqual(['/robots.txt']);
    expect(decisions.map((each) => `${each.status} ${each.reason}`)).toEqual(['excluded robots-restricted']);
    expect(report.state).toBe('finished');
  });

  it('404 does not', async () => {
    const web = await webForTest({ hosts: { 'a.test': { ...PAGES, '/robots.txt': { status: 404 } } } });
    await crawl({ seeds: [web.url('a.test')], robots: CLOSING });
    expect(web.paths('a.test')).toEqual(['/robots.txt', '/', '/closed/x']);
  });
});
