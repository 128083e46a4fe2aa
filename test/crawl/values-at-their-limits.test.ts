// Nothing that a site sends ends the crawl. Every place that stores a value of a site (logs, frontier, archive, items,
// file names, index keys) gets values at and over its limit. They end in a reason for their URL or host, and a healthy
// site next to them is crawled as if they were not there.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { exportItems, inspectCrawl, packageArchive, type ReplayRoutes, replay } from 'mannerly';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CrawlStory, crawl, memorySink } from '../support/crawl.js';

const random = seeded(20_26);
const VALUES: readonly string[] = [
  '',
  ...[253, 254, 1_024, 8_191, 8_193].map((chars) => 'a'.repeat(chars)),
  `${'a.'.repeat(126)}test`,
  `${'a'.repeat(64)}.test`,
  'xn--a.test',
  '\u001b[31m\u0007\u202e\u0000\u007f',
  '"\\\'}{[]<!--&#0;&#xD800;]]>',
  '__proto__',
  'constructor',
  '../../../etc/passwd%00',
  'CON. ',
  '\ud800\udfff\ud800',
  '😀'.repeat(2_100),
  '1e400',
  '-1',
  'NaN',
  '99999999999999999999',
  '9999-99-99T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  'http://[::1%25eth0]/',
  'http://a..b:99999/',
  'text/html; charset=\u0001; charset=utf-7',
  ...Array.from({ length: 3 }, () => noise(Math.floor(random() * 600))),
];

/**
 * The same without characters that make a header section invalid; the longest exceeds the limit of a header section.
 */
const IN_FIELDS = [
  ...VALUES.map((value) => [...value].filter((each) => each >= ' ' && each !== '\u007f').join('')),
  'a'.repeat(20_000),
];

/** A response: header fields, and a body; the status line if it is not 200. */
interface Answer {
  readonly status?: string;
  readonly type?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

const inHeader = (name: string) => (value: string) => ({ headers: [`${name}: ${value}`] });
const inPage = (around: (value: string) => string) => (value: string) => ({ body: around(value) });

/** Where a page of a site contains a value, and how. */
const IN_PAGES: Readonly<Record<string, (value: string) => Answer>> = {
  title: inPage((value) => `<title>${value}</title>`),
  'link text': inPage((value) => `<a href="/t">${value}</a>`),
  'link path': inPage((value) => `<a href="/x/${value}">x</a>`),
  'link query': inPage((value) => `<a href="/q?${value}=${value}">x</a>`),
  'link host': inPage((value) => `<a href="http://${value}/">x</a>`),
  link: inPage((value) => `<a href="${value}" hreflang="${value}" rel="${value}">x</a>`),
  base: inPage((value) => `<base href="${value}"><a href="/b">x</a>`),
  canonical: inPage((value) => `<link rel="canonical" href="/c/${value}">`),
  'meta refresh': inPage((value) => `<meta http-equiv="refresh" content="0; url=${value}">`),
  'meta robots': inPage((value) => `<meta name="robots" content="${value}, unavailable_after: ${value}">`),
  'meta tdm': inPage((value) => `<meta name="tdm-reservation" content="0"><meta name="tdm-policy" content="${value}">`),
  'meta charset': inPage((value) => `<meta charset="${value}">`),
  language: inPage((value) => `<html lang="${value}"><p>text`),
  'data set': inPage(
    (value) => `<script type="application/ld+json">{"@type":"Dataset","name":${JSON.stringify(value)}}</script>`,
  ),
};

/** Header fields of a page that contain it. */
const IN_HEADERS: Readonly<Record<string, (value: string) => Answer>> = {
  'Content-Type': (value) => ({ type: value }),
  Location: (value) => ({ status: '301 Moved', headers: [`Location: ${value}`] }),
  'Location path': (value) => ({ status: '302 Found', headers: [`Location: /l/${value}`] }),
  'reason phrase': (value) => ({ status: `200 ${value}` }),
  cookie: (value) => ({ headers: [`Set-Cookie: ${value}=${value}; Domain=${value}; Path=${value}; Expires=${value}`] }),
  ...Object.fromEntries(
    [
      'ETag',
      'Last-Modified',
      'Content-Language',
      'Content-Disposition',
      'Content-Location',
      'Content-Usage',
      'Link',
      'Refresh',
      'X-Robots-Tag',
      'TDM-Reservation',
      'TDM-Policy',
      'Cache-Control',
      'Expires',
      'Age',
      'Date',
      'Server',
    ].map((name) => [name, inHeader(name)]),
  ),
};

/** Files of a site; each value has a host of its own. */
const IN_FILES: Readonly<Record<string, (value: string) => Readonly<Record<string, Answer>>>> = {
  'a robots.txt'(value) {
    const fields = ['User-agent', 'Disallow', 'Crawl-delay', 'Request-rate', 'Visit-time', 'Clean-param', 'Sitemap'];
    const lines = [...fields, 'Host', 'Content-Signal', 'Content-Usage', value].map((name) => `${name}: ${value}`);
    return { '/robots.txt': { type: 'text/plain', body: `User-agent: *\n${lines.join('\n')}\n` } };
  },
  'a redirect of robots.txt': (value) => ({
    '/robots.txt': { status: '301 Moved', headers: [`Location: ${value}`] },
  }),
  'a host that robots.txt leads to': (value) => ({
    '/robots.txt': { status: '301 Moved', headers: [`Location: http://${value}/robots.txt`] },
  }),
  'fields of a robots.txt': (value) => ({
    '/robots.txt': { type: value, headers: [`Cache-Control: max-age=${value}`, `ETag: "${value}"`, `Age: ${value}`] },
  }),
  'a pause': (value) => ({ '/': { status: '503 No', headers: [`Retry-After: ${value}`] } }),
  'a header section': (value) => ({ '/': { headers: [`Server: ${value}`] } }),
  'files next to robots.txt': (value) => ({
    '/robots.txt': { type: 'text/plain', body: `User-agent: *\nDisallow:\nSitemap: /sitemap.xml\nSitemap: /${value}` },
    '/sitemap.xml': {
      type: 'application/xml',
      body: `<urlset><url><loc>HOST/s/${value}</loc><lastmod>${value}</lastmod></url></urlset>`,
    },
    '/.well-known/tdmrep.json': {
      type: 'application/json',
      body: JSON.stringify(
        Array.from({ length: 40 }, () => ({ location: `/no/${value}`, 'tdm-reservation': value, 'tdm-policy': value })),
      ),
    },
    '/data.txt': { type: 'text/plain', body: `path: ${value}\nname: ${value}\nagent: ${value}\n` },
    '/feed': {
      type: 'application/rss+xml',
      body: `<rss><channel><item><link>HOST/f/${value}</link><pubDate>${value}</pubDate></item></channel></rss>`,
    },
  }),
};

const FEED: Answer = { body: '<link rel="alternate" type="application/rss+xml" href="/feed">' };

/** Invalid and interim statuses. */
const STATUSES = ['000', '099', '100', '101', '103', '199', '299', '399', '499', '600', '999', '1000', '20', '-200'];

const HEALTHY_PAGES = 10;
/** Answers by address and path. */
const web = new Map<string, Map<string, Answer>>();
let server: Server;
let base: string;
let port = 0;
let seeds: string[];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'mannerly-values-'));
  server = createServer((socket) => {
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (!received.includes('\r\n\r\n')) return;
      const [, path = ''] = received.split(' ');
      received = '';
      socket.write(responseOf(socket.localAddress ?? '', path));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  port = (server.address() as { port: number }).port;
  seeds = setUpHosts();
});
afterAll(async () => {
  server.close();
  await rm(base, { recursive: true });
});

/** Each place gets a third of the values, and each value goes to a third of the places. */
function shareOf(values: readonly string[], place: number): string[] {
  return values.filter((_, at) => (at + place) % 3 === 0);
}

/** Sets up a host for every place. @returns The seeds */
function setUpHosts(): string[] {
  let hosts = 0;
  const host = (answers: Readonly<Record<string, Answer>>): string => {
    hosts += 1;
    const address = `127.0.${10 + Math.floor(hosts / 250)}.${1 + (hosts % 250)}`;
    web.set(address, new Map(Object.entries(answers)));
    return `http://${address}:${port}/`;
  };
  const links = (count: number): Answer => ({
    body: Array.from({ length: count }, (_, at) => `<a href="/${at}">${at}</a>`).join(''),
  });
  const pages = (answers: readonly Answer[]): string =>
    host({ '/': links(answers.length), ...Object.fromEntries(answers.map((answer, at) => [`/${at}`, answer])) });
  return [
    pages(Array.from({ length: HEALTHY_PAGES }, () => ({ body: 'healthy' }))),
    ...Object.values(IN_PAGES).map((place, at) => pages(shareOf(VALUES, at).map(place))),
    ...Object.values(IN_HEADERS).map((place, at) => pages(shareOf(IN_FIELDS, at).map(place))),
    ...Object.values(IN_FILES).flatMap((place, at) =>
      shareOf(VALUES, at).map((value) => host({ '/': FEED, ...place(value) })),
    ),
    ...STATUSES.flatMap((status) => [
      host({ '/': { status: `${status} Odd` } }),
      host({ '/robots.txt': { status: `${status} Odd` } }),
    ]),
  ];
}

function responseOf(address: string, path: string): Buffer {
  const known = web.get(address)?.get(path);
  const {
    status = known === undefined ? '404 No' : '200 OK',
    type = 'text/html',
    headers = [],
    body = 'x',
  } = known ?? {};
  const content = Buffer.from(body.replaceAll('HOST', `http://${address}:${port}`));
  const head = [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, ...headers, `Content-Length: ${content.length}`];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]);
}

it('values at their limits lead to reasons for their URLs and hosts, and to files that every reader can read', {
  timeout: 120_000,
}, async () => {
  const out = join(base, 'crawl');
  const { report, decisions, requests, notices } = await crawlIt(out);
  expect(report.state).toBe('waiting');
  const healthy = decisions.filter(({ url }) => url.startsWith(seeds[0] as string) && /\/\d*$/.test(url));
  expect(healthy.map(({ httpStatus }) => httpStatus)).toEqual(Array(HEALTHY_PAGES + 1).fill(200));
  // Each host has a decision or a notice.
  const hostsReported = new Set([
    ...decisions.map(({ url }) => new URL(url).hostname),
    ...notices.map(({ host }) => host),
  ]);
  expect(seeds.filter((seed) => !hostsReported.has(new URL(seed).hostname))).toEqual([]);
  expect(decisions.filter(({ reason }) => reason === 'internal')).toEqual([]);
  expect(requests.length).toBeGreaterThan(500);
  expect(await readdir(out)).not.toContain('errors.jsonl');

  for (const name of (await readdir(out)).filter((each) => each.endsWith('.jsonl'))) {
    const lines = (await readFile(join(out, name), 'utf8')).split('\n').slice(0, -1);
    for (const line of lines) {
      expect(() => JSON.parse(line), `${name}: ${line.slice(0, 200)}`).not.toThrow();
      expect(line.length).toBeLessThan(256 * 1_024);
    }
  }
  const inspection = await inspectCrawl(out);
  for (const { url, status } of decisions.filter((_, at) => at % 41 === 0))
    expect((await inspection.explain(url)).url.length, status).toBeGreaterThan(0);
  expect((await inspection.queued({ limit: 1_000 })).items.length).toBeGreaterThan(0);
  await inspection.close();
  expect(await exportItems({ from: [out], to: join(base, 'items.csv'), format: 'csv' })).toMatchObject({
    items: report.items,
  });
  const again = await replay({ from: out, handlers, sinks: [memorySink([])], filesPath: join(base, 'again') });
  expect(again.failed).toEqual([]);
  expect(again.pages).toBeGreaterThan(200);
  expect(await packageArchive({ from: out })).toMatchObject({ path: join(out, 'archive.wacz') });

  // The same command continues the crawl.
  expect((await crawlIt(out)).report).toMatchObject({ state: 'waiting', resumed: true });
});

function handlers(crawler: ReplayRoutes | CrawlStory['crawler']): void {
  crawler.on('any', async (page) => {
    await page.emit({ url: page.url, title: page.title, links: page.links.map(({ url }) => url) });
    if (page.title !== null) await page.save(page.title);
    await page.follow();
  });
}

function crawlIt(out: string): Promise<CrawlStory> {
  return crawl({
    seeds,
    out,
    scope: { seeds, within: 'host' },
    bounds: { pages: 20_000, minutes: 5 },
    maxIdleMs: 300,
    discover: { sitemaps: true, dataTxt: true },
    purposes: ['tdm'],
    archive: true,
    network: { cookies: true },
    handlers,
  });
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

/** Characters of all kinds except line ends, which would start another field. */
function noise(chars: number): string {
  return Array.from({ length: chars }, () => {
    const code = Math.floor(random() * (random() < 0.7 ? 128 : 0x1_0000));
    return code === 10 || code === 13 ? ' ' : String.fromCharCode(code);
  }).join('');
}
