// Cookies are off. If an operator enables them, each origin gets back only its own, and robots.txt gets none. The
// servers' log is checked.

import type { CookieJar } from 'mannerly';
import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** A jar that accepts everything, to show that the jar is not what separates origins. */
function plainJar(): CookieJar {
  const kept: string[] = [];
  return {
    setCookie: (line) => kept.push(line.split(';')[0] ?? ''),
    getCookieString: () => kept.join('; '),
  };
}

const setting = (body: string, cookie: string) => ({
  body,
  headers: { 'content-type': 'text/html', 'set-cookie': `${cookie}; Path=/; Domain=site.test` },
});

let relaxedDefaults: readonly string[] = [];

async function visit(cookies: boolean | (() => CookieJar) | undefined) {
  const web = await webForTest({
    hosts: {
      'a.site.test': {
        '/robots.txt': { ...text(''), headers: { 'set-cookie': 'robots=1' } },
        '/': setting(page('a', ['/second']), 'a=1'),
        '/second': page('a again'),
      },
      'b.site.test': {
        '/robots.txt': text(''),
        '/': setting(page('b', ['/second']), 'b=2'),
        '/second': page('b again'),
      },
    },
  });
  const { report } = await crawl({
    seeds: [web.url('a.site.test'), web.url('b.site.test')],
    network: cookies === undefined ? {} : { cookies },
  });
  relaxedDefaults = report.relaxedDefaults;
  return web.log.map(({ host, path, headers }) => `${host}${path} ${headers['cookie'] ?? 'none'}`).sort();
}

it.each([undefined, false])('none is sent with %j', async (off) => {
  const visitResult = await visit(off);
  expect(relaxedDefaults.filter((line) => line.includes('cookies'))).toEqual([]);
  expect(visitResult.length).toBeGreaterThan(5);
  expect(visitResult.filter((line) => !line.endsWith(' none'))).toEqual([]);
});

it.each<[string, true | (() => CookieJar)]>([
  ['a jar of the operator', plainJar],
  ['`true`', true],
])('with %s each origin gets only its own back, and none with robots.txt', async (_, cookies) => {
  const visitResult = await visit(cookies);
  expect(relaxedDefaults.filter((line) => line.includes('`network.cookies`'))).toHaveLength(1);
  expect(visitResult.filter((line) => line.includes('/robots.txt'))).toEqual([
    'a.site.test/robots.txt none',
    'b.site.test/robots.txt none',
  ]);
  expect(visitResult.filter((line) => line.includes('/second'))).toEqual([
    'a.site.test/second a=1',
    'b.site.test/second b=2',
  ]);
  expect(visitResult.filter((line) => /^a\.site.*b=|^b\.site.*a=|robots=/.test(line))).toEqual([]);
});

it.each([1, { jar: 1 }, 'yes'])('%j makes no jar, and is refused', async (cookies) => {
  await expect(visit(cookies as unknown as () => CookieJar)).rejects.toThrow(/network\.cookies/);
});
