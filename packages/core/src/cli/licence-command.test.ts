// `mannerly licence`: what the licences of a page say for each purpose, and what is requested to know it.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { contentsOf } from '../../test-support/rsl-document.js';
import { run } from '../../test-support/run-command.js';
import { who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

const PRICE = '<payment type="crawl"><amount currency="USD">0.015</amount></payment>';
const RSL = contentsOf([
  ['/', `<license><permits type="usage">search</permits></license>`],
  ['/paid', `<license><permits type="usage">ai-all</permits>${PRICE}</license>`],
]);

let server: Server;
let site: string;
let arrivals: { readonly path: string; readonly atMs: number }[];
let files: Record<string, { readonly body?: string; readonly link?: string }>;

beforeEach(async () => {
  arrivals = [];
  server = createServer(({ url = '/' }, response) => {
    arrivals.push({ path: url, atMs: performance.now() });
    const file = files[url];
    const link = file?.link === undefined ? {} : { link: file.link };
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': 'text/html', ...link }).end(file?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

async function licence(path: string, ...flags: readonly string[]) {
  const ended = await run('licence', `${site}${path}`, ...who, ...flags);
  return { ...ended, paths: arrivals.map((each) => each.path) };
}

it('says what each purpose may do, according to the document that robots.txt names', async () => {
  files = { '/robots.txt': { body: 'License: /rsl.xml\n' }, '/rsl.xml': { body: RSL }, '/paid': { body: 'paid' } };
  const { code, out, paths } = await licence('/paid');
  expect({ code, paths }).toEqual({ code: 0, paths: ['/robots.txt', '/paid', '/rsl.xml'] });
  expect(out).toContain(`${site}/rsl.xml: holds for 30 days`);
  // The narrower content has terms for other uses only.
  expect(out).toMatch(/^search +prohibited +content\[2\] +does not request .* excluded/m);
  expect(out).toMatch(/^archive +none +keeps the page/m);
  expect(out).toMatch(/^ai-input +payment 0\.015 USD +content\[2\]\/license\[1\] +does not request .* held/m);
  expect(out).toMatch(/^ai-train +payment 0\.015 USD .* held/m);
  // Spaced like the requests of a crawl.
  const gaps = arrivals.slice(1).map(({ atMs }, at) => atMs - arrivals[at]!.atMs);
  for (const gap of gaps) expect(gap).toBeGreaterThan(950);
});

it('reads the document that the response names instead of that of robots.txt, for a party', async () => {
  const license = `<license><permits type="user">education</permits></license>`;
  const link = '</own.xml>; rel="license"; type="application/rsl+xml"';
  files = {
    '/robots.txt': { body: 'License: /rsl.xml\n' },
    '/own.xml': { body: contentsOf([['/', license]]) },
    '/a': { body: 'a', link },
  };
  const result = await licence('/a', '--user', 'education', '--json');
  expect(result.paths).toEqual(['/robots.txt', '/a', '/own.xml']);
  const { documents, verdicts } = JSON.parse(result.out) as {
    documents: { document: string }[];
    verdicts: { purpose: string; outcome: string }[];
  };
  expect(documents.map(({ document }) => document)).toEqual([`${site}/own.xml`]);
  expect(verdicts.map(({ outcome }) => outcome)).toEqual(Array(6).fill('free'));
  // Without the party nothing is permitted, but the page has been requested by then.
  expect((await licence('/a')).out).toMatch(/^search +prohibited .* requests the page, keeps nothing of it/m);
});

it('requests nothing that robots.txt disallows, and says so', async () => {
  files = { '/robots.txt': { body: 'User-agent: *\nDisallow: /\nLicense: /rsl.xml\n' } };
  const { code, out, paths } = await licence('/a');
  expect({ code, paths }).toEqual({ code: 0, paths: ['/robots.txt'] });
  expect(out).toContain('excluded: robots-rule');
});

it('says that there is none', async () => {
  files = { '/a': { body: 'a' } };
  expect((await licence('/a')).out).toBe(`No licence of ${site}/a: none is named for it.`);
});

it.each([['ftp://example.org/'], ['x']])('refuses %s', async (url) => {
  const io = fakeIo();
  expect(await runCommand(['licence', url, '--name', 'a', '--contact', 'https://a.example/'], io)).toBe(2);
  expect(io.errLines.join('\n')).toContain('not the URL of a page');
});
