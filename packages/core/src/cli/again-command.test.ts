// `mannerly crawl --again`, as a user types it: what is requested, and what the last lines say.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

let server: Server;
let folder: string;
let seed: string;
let edition = 1;
let maxAge = 0;
let requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mannerly-again-'));
  server = createServer((request, response) => {
    const { url = '/', headers } = request;
    if (url === '/robots.txt') {
      response.setHeader('etag', '"robots"');
      response.end('User-agent: *\nDisallow:\n');
      return;
    }
    requests.push({ path: url, headers });
    const etag = `"${url === '/p1' ? edition : 1}"`;
    response.setHeader('etag', etag).setHeader('content-type', 'text/html');
    response.setHeader('cache-control', `max-age=${maxAge}`);
    response.statusCode = headers['if-none-match'] === etag ? 304 : 200;
    const body = `<title>${url} ${etag}</title><a href="/p1">1</a> <a href="/p2">2</a>`;
    response.end(response.statusCode === 304 ? undefined : body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  requests = [];
});

async function crawl(...more: readonly string[]) {
  const io = fakeIo();
  const code = await runCommand(['crawl', seed, ...who, '--interval', '0', '--out', join(folder, 'out'), ...more], io);
  return { code, stdout: io.outLines.join('\n'), stderr: io.errLines.join('\n') };
}

it('is a first run where there is no crawl, so that a schedule needs no other', async () => {
  const first = await crawl('--again');
  expect(first.code).toBe(0);
  expect(first.stderr).toContain('This is the first run of the crawl.');
  expect(first.stdout).not.toContain('Crawled again');
  expect(requests.map(({ path }) => path).sort()).toEqual(['/', '/p1', '/p2']);
  requests = [];
  const second = await crawl('--again');
  expect(second.code).toBe(0);
  expect(second.stderr).not.toContain('the first run');
  expect(second.stdout).toContain('Crawled again: 3 known pages visited');
  expect(requests.every(({ headers }) => headers['if-none-match'] !== undefined)).toBe(true);
  expect(requests).not.toEqual([]);
});

it('needs recorded visits where there is a crawl', async () => {
  await crawl('--reset');
  requests = [];
  const { code, stderr } = await crawl('--again');
  expect(code).toBe(2);
  expect(stderr).toMatch(/nothing to crawl again.*\n.*--recrawl/);
  expect(requests).toEqual([]);
});

it('records visits, and requests what has changed', async () => {
  expect((await crawl('--recrawl', '--reset')).code).toBe(0);
  expect(requests.map(({ path }) => path).sort()).toEqual(['/', '/p1', '/p2']);
  requests = [];
  edition = 2;
  const { code, stdout } = await crawl('--again');
  expect(code).toBe(0);
  expect(requests.map(({ path, headers }) => `${path} ${headers['if-none-match']}`).sort()).toEqual([
    '/ "1"',
    '/p1 "1"',
    '/p2 "1"',
  ]);
  expect(stdout).toMatch(/Finished: nothing is left to fetch\. 6 pages/);
  expect(stdout).toMatch(
    /Crawled again: 3 known pages visited, 1 changed, 2 unchanged \(2 by a 304, \d+ bytes not transferred\), 0 gone/,
  );
  expect(stdout).toMatch(
    /Of 3 pages 100\.0 % are expected to be unchanged since their visit \(before this run \d+\.\d %\)\./,
  );
});

it('is planned without a request, from the directory alone or with the same command line', async () => {
  const plan = async (...args: readonly string[]) => {
    const io = fakeIo();
    const code = await runCommand(['plan', '--again', ...args], io);
    return { code, stdout: io.outLines.join('\n'), stderr: io.errLines.join('\n') };
  };
  const out = join(folder, 'out');
  const { code, stdout } = await plan(out);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Of 3 known pages 3 are due, and 3 would be visited\./);
  expect(stdout).toMatch(
    /Expected to be unchanged since their visit: \d+\.\d % of the pages now, 100\.0 % after the run\./,
  );
  expect(stdout).toMatch(/127\.0\.0\.1:\d+, the first of 3:\n {2}\d+\.\d\d {2}http:\/\/127/);
  const fewer = JSON.parse((await plan(out, '--pages', '2', '--json')).stdout);
  expect(fewer).toMatchObject({ format: 1, known: 3, due: 3, visits: 2 });
  const standing = JSON.parse((await plan(out, '--every', '7', '--json')).stdout);
  expect(standing).toMatchObject({ known: 3, due: 0, visits: 0, hosts: [{ known: 3, due: 0 }] });
  expect(standing.nextDueAtMs).toBeGreaterThan(Date.now());
  const whole = await plan(seed, ...who, '--out', out, '--pages', '1', '--json');
  expect(JSON.parse(whole.stdout)).toMatchObject({ known: 3, due: 3, visits: 1 });
  expect((await plan(out, 'more')).stderr).toMatch(/"more" is one too many/);
  expect((await plan()).stderr).toMatch(/name the crawl directory, or the store/);
  expect(requests).toEqual([]);
});

it('explains what is expected of a page, and when it is due', async () => {
  const explain = async () => {
    const io = fakeIo();
    await runCommand(['explain', join(folder, 'out'), `${seed}p1`], io);
    return io.outLines.join('\n');
  };
  const text = await explain();
  expect(text).toMatch(/Visited 2 times, last \S+Z; 1 change seen, the last \S+Z\./);
  expect(text).toMatch(/Estimate: a = \d\.\d{3}, b = \d\.\d{3} days, \d+\.\d{4} changes a day\./);
  expect(text).toMatch(/Validators: ETag "2"\./);
  expect(text).toMatch(
    /Sitemaps have not mentioned it since; those of its host are believed 0\.75 where they say changed, 0\.75/,
  );
  expect(text).toMatch(/The next visit is due \S+Z: a recrawl visits known pages in the order of their value/);
  expect(requests).toEqual([]);
});

it.each(['7x', '5m', 'soon'])('says what an interval looks like if it is given %s', async (every) => {
  const { code, stderr } = await crawl('--again', '--every', every);
  expect(code).toBe(2);
  expect(stderr).toContain('days such as 7 or 7d, hours such as 12h');
});

it('waits for what is not due, and says until when', async () => {
  const { code, stdout } = await crawl('--again', '--every', '7d');
  expect(code).toBe(3);
  expect(requests).toEqual([]);
  expect(stdout).toContain('Waiting: no known page is due. The same command continues when one is.');
  expect(stdout).toMatch(/Crawled again: 0 known pages visited.* The next page is due at \d{4}-/);
});

it('keeps visits in a later run without the flag too', async () => {
  expect((await crawl('--recrawl', '--reset', '--pages', '1')).code).toBe(0);
  expect((await crawl()).code).toBe(0);
  expect(requests).toHaveLength(3);
  requests = [];
  const { stdout } = await crawl('--again');
  expect(stdout).toContain('Crawled again: 3 known pages visited, 0 changed, 3 unchanged (3 by a 304');
});

it('does not advise to start over if no page is due', async () => {
  maxAge = 3600;
  expect((await crawl('--recrawl', '--reset')).code).toBe(0);
  maxAge = 0;
  requests = [];
  const { code, stdout } = await crawl('--again');
  expect(requests).toEqual([]);
  expect(code).toBe(0);
  expect(stdout).toContain('Finished: no known page is due, and nothing was requested.');
  expect(stdout).toMatch(/The next page is due at \d{4}-/);
  expect(stdout).not.toContain('--reset');
  expect((await crawl('--recrawl', '--reset')).code).toBe(0);
  requests = [];
});

it('counts pages from its own start', async () => {
  const { code, stdout } = await crawl('--again', '--pages', '2');
  expect(requests).toHaveLength(2);
  expect(code, stdout).toBe(0);
});
