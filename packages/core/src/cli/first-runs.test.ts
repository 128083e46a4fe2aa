// A newcomer's first run often fails. Each of these failures must end with a helpful message: what happened, where, and
// what to do. Otherwise people leave before they have seen one page.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND } from '../../test-support/command.js';
import { run } from '../../test-support/run-command.js';

let base: string;
let server: Server;
let site: string;
/** The site's answers; a test may add some. */
let answers: Map<string, { status: number; headers?: Record<string, string>; body: string }>;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-first-'));
  answers = new Map([['/', { status: 200, body: '<title>Front</title><a href="/a">a</a>' }]]);
  server = createServer((request, response) => {
    const path = request.url ?? '/';
    const { status, headers, body } = answers.get(path) ?? { status: 404, body: 'no' };
    const type = path === '/robots.txt' ? 'text/plain' : 'text/html';
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
  rmSync(base, { recursive: true });
});

const who = ['--name', 'tester', '--contact', 'https://example.org/us'];
const crawl = (seed: string, ...more: string[]) =>
  run('crawl', seed, ...who, '--interval', '0', '--max-idle', '1', '--out', join(base, 'out'), ...more);
const onLoopback = (...more: string[]) => crawl(`${site}/`, '--allow-address', '127.0.0.0/8', ...more);

describe('contact and seeds', () => {
  it('an unreachable contact is reported before anything else, with an example of a valid one', async () => {
    const { code, err } = await run('crawl', 'https://example.org/', '--name', 'tester', '--contact', 'me');
    expect(code).toBe(2);
    expect(err).toMatch(
      /^mannerly: .*contact.*got "me"\n.*such as https:\/\/example\.org\/our-crawler or crawler@example\.org/,
    );
    expect(err).not.toContain('Crawling');
  });

  it.each([
    ['example.org', 'did you mean https://example.org/?'],
    ['docs.example.org/guide', 'did you mean https://docs.example.org/guide?'],
    ['localhost:8080', 'did you mean http://localhost:8080/?'],
    ['htps://example.org/', 'Did you mean https://example.org/?'],
    ['ftp://example.org/', 'Only http and https are crawled.'],
    ['./index.html', 'such as https://example.org/'],
    ['https://exa mple.org/', 'such as https://example.org/'],
  ])('the seed %s is refused, and the message says what was probably meant', async (seed, says) => {
    const { code, err } = await crawl(seed);
    expect(err).toContain(`got ${JSON.stringify(seed)}`);
    expect(err).toContain(says);
    expect(err).not.toContain('Crawling');
    expect(code).toBe(2);
  });

  it('for a URL without a command, the message shows the command', async () => {
    const { code, err } = await run('https://example.org/');
    expect(err).toContain('mannerly crawl https://example.org/ --name');
    expect(code).toBe(2);
  });

  it('an address of the user’s own network is not requested, and the flag that allows it is named', async () => {
    const { code, out } = await crawl(`${site}/`);
    expect(out).toMatch(/No page was fetched:\n {2}address-forbidden \(1\): .*not public.*--allow-address/);
    expect(code).toBe(6);
  });

  it('the same crawl with that flag says what else prevents it, and runs once that is removed', async () => {
    const first = await crawl(`${site}/`);
    expect(first.out).toMatch(/^Finished without a page: .*--reset/);
    // Without requests there is no table.
    expect(first.out).not.toContain('answers');
    const second = await onLoopback();
    expect(second.out).toMatch(/^Finished earlier without a page: .*--reset[\s\S]*address-forbidden \(1\)/);
    const third = await onLoopback('--reset');
    expect(third.out).toMatch(/^Finished: nothing is left to fetch\. 2 pages/);
  });

  it('everything that is missing is named at once', async () => {
    const { code, err } = await run('crawl', `${site}/`);
    expect(code).toBe(2);
    expect(err).toMatch(/missing --name and --contact.*\n.*--name \S+ --contact \S+/);
  });

  it('for an unknown flag, the message names the help of its command', async () => {
    const { code, err } = await crawl(`${site}/`, '--page', '3');
    expect(code).toBe(2);
    expect(err).toMatch(/Did you mean --pages\?[\s\S]*mannerly crawl --help/);
  });
});

describe('a directory that is taken', () => {
  const taken = async (kept: string | null, seed = `${site}/`) => {
    mkdirSync(join(base, 'out'));
    if (kept !== null) writeFileSync(join(base, 'out', 'crawl.json'), kept);
    return crawl(seed);
  };
  const manifest = (more: object) =>
    JSON.stringify({ format: 3, name: 'tester', tokens: ['tester'], seeds: [`${site}/`], createdAtMs: 0, ...more });

  it.each([
    [
      'another crawl',
      { seeds: ['https://example.com/'] },
      /its seed https:\/\/example\.com\/ is missing now\n.*another directory.*--reset/,
    ],
    ['another name', { name: 'other' }, /its name "other", not "tester"\n.*another directory/],
    [
      'another version',
      { format: 99 },
      /created by another version: it has format 99\n.*reads format \d+.*another one/,
    ],
  ])('by %s says so', async (_, more, says) => {
    const { code, err } = await taken(manifest(more));
    expect(err).toMatch(says);
    expect(err).not.toContain('Continuing');
    expect(code).toBe(2);
  });

  it('by a manifest that is damaged says so', async () => {
    expect((await taken('{')).err).toMatch(/crawl\.json is damaged.*\n.*another directory/);
  });

  it('by other files is left as it is', async () => {
    mkdirSync(join(base, 'out'));
    writeFileSync(join(base, 'out', 'thesis.txt'), 'mine');
    const { code, err } = await crawl(`${site}/`);
    expect(err).toMatch(/not empty and holds no crawl\n.*an empty or a new directory/);
    expect({ code, kept: readFileSync(join(base, 'out', 'thesis.txt'), 'utf8') }).toEqual({ code: 2, kept: 'mine' });
  });

  it('by a file says what to name', async () => {
    writeFileSync(join(base, 'out'), '');
    const { code, err } = await crawl(`${site}/`);
    expect(err).toMatch(/cannot be a crawl directory.*\n.*is writable/);
    expect(code).toBe(2);
  });
});

describe('a crawl that fetches nothing says why', () => {
  it('because nothing answers', async () => {
    await new Promise((resolve) => server.close(resolve));
    const { code, out, err } = await onLoopback();
    // The platform's message is included: otherwise a site that is down, a wrong name and a wrong proxy look alike.
    expect(err).toMatch(
      /robots-unreachable: attempt 1 failed \(refused\), 0 s since the first: .*ECONNREFUSED 127\.0\.0\.1/,
    );
    expect(out).toMatch(/No page was fetched:\n {2}robots-unreachable \(1\): .*site answers/);
    expect(out).toMatch(/To know:\n {2}127\.0\.0\.1: robots-unreachable .*attempt 1 failed \(refused\)/);
    expect(code).toBe(3);
  });

  it('because robots.txt answers 503', async () => {
    answers.set('/robots.txt', { status: 503, body: '' });
    const { code, out, err } = await onLoopback();
    expect(err).toMatch(/attempt 1 failed \(status 503\)/);
    expect(out).toMatch(/The same command continues when they are due[\s\S]*robots-unreachable \(1\)/);
    expect(code).toBe(3);
  });

  it('because robots.txt closes everything', async () => {
    answers.set('/robots.txt', { status: 200, body: 'User-agent: *\nDisallow: /\n' });
    const { code, out } = await onLoopback();
    expect(out).toMatch(/No page was fetched:\n {2}robots-rule \(1\): A rule in robots\.txt disallows.*ask the site/);
    expect(out).toMatch(/robots-rule +2 +http:\/\/127\.0\.0\.1:\d+\/robots\.txt: \//);
    expect(code).toBe(6);
  });

  it.each([
    [
      'the seed leads out of scope',
      { status: 302, headers: { location: 'http://example.net/' }, body: '' },
      /No page.*\n {2}out-of-scope \(1\): .*--within/,
    ],
    [
      'every link leads out of scope',
      { status: 200, body: '<a href="http://example.net/">x</a>' },
      /Only one page.*\n {2}out-of-scope \(1\): .*--within/,
    ],
    [
      'there is no link',
      { status: 200, body: 'alone' },
      /Only one page was fetched: it has no link .*, or its handler follows no links/,
    ],
    [
      'there is no such page',
      { status: 404, body: 'no' },
      /No page was fetched.*\n {2}status-404 \(1\): .*Check that the URL/,
    ],
    [
      'it is no HTML',
      { status: 200, headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4' },
      /No page was fetched.*\n {2}unwanted \(1\): .*Register a handler/,
    ],
  ])('because %s', async (_, front, says) => {
    answers.set('/', front);
    const { code, out } = await onLoopback();
    expect(out).toMatch(says);
    expect(code).toBe(out.includes('No page was fetched') ? 6 : 0);
  });
});

describe('the exit code', () => {
  it.each([
    [6, 'its only page failed', { '/': 404 }, 100],
    [6, 'its only page failed, and the bound is reached', { '/': 404 }, 1],
    [0, 'one of several pages failed', { '/': 200, '/a': 404 }, 100],
    [0, 'no page failed', { '/': 200, '/a': 200 }, 100],
  ])('is %i if %s', async (code, _, statuses, pages) => {
    for (const [path, status] of Object.entries(statuses)) {
      const { headers = {}, body = 'no' } = answers.get(path) ?? {};
      answers.set(path, { status, headers, body });
    }
    expect((await onLoopback('--pages', String(pages))).code).toBe(code);
  });

  it('is 6 if the handler threw on every page', async () => {
    const handlers = join(base, 'handlers.mjs');
    writeFileSync(handlers, 'export const handlers = { html() { throw new Error("mine") } };');
    const config = join(base, 'mannerly.config.json');
    writeFileSync(config, JSON.stringify({ handlers: './handlers.mjs' }));
    const { code, err } = await onLoopback('--config', config);
    expect(code).toBe(6);
    expect(err).toMatch(/the handler failed: Error: mine \(.*handlers\.mjs:1:\d+\)/);
    const { out } = await run('explain', join(base, 'out'), `${site}/`);
    expect(out).toContain('Failed: it was fetched, but not handled. (handler-error)');
    expect(out.match(/Error: mine/g)).toHaveLength(1);
    expect(out).toMatch(/Error of the handler, .*: Error: mine \(.*handlers\.mjs:1:\d+\)\n {4}at /);
    const silent = await onLoopback('--config', config, '--reset', '--log', 'silent');
    expect(silent.err).not.toContain('failed');
    const all = await onLoopback('--config', config, '--reset', '--log', 'debug');
    expect(all.err).toContain(`200 ${site}/ in `);
  });

  it('names the line of a selector that fails deep inside cheerio', async () => {
    writeFileSync(join(base, 'handlers.mjs'), 'export const handlers = { html(page) { page.$(":nope(x)").text() } };');
    const config = join(base, 'mannerly.config.json');
    writeFileSync(config, JSON.stringify({ handlers: './handlers.mjs' }));
    const how = ['--interval', '0', '--allow-address', '127.0.0.0/8', '--out', join(base, 'out'), '--config', config];
    const child = spawn(process.execPath, [COMMAND, 'crawl', `${site}/`, ...who, '--pages', '9', ...how]);
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close'), text(child.stdout)]);
    expect(code).toBe(6);
    expect(err).toMatch(/the handler failed: Error: Unknown pseudo-class :nope[\s\S]*handlers\.mjs:1:\d+/);
  });
});

describe('bounds that end at once', () => {
  it('cannot be zero, and say where the flags are listed', async () => {
    const { code, err } = await onLoopback('--pages', '0');
    expect(err).toMatch(/--pages.*from 1 to[\s\S]*--help/);
    expect(code).toBe(2);
  });

  it('of a crawl that has used them up say how to continue', async () => {
    expect((await onLoopback('--pages', '1')).out).toContain('To continue, give a larger --pages.');
    const { code, out } = await onLoopback('--pages', '1');
    expect(out).toMatch(/nothing was requested\. To continue, give a larger --pages; to start over, add --reset/);
    expect(code).toBe(4);
  });
});

it.each([
  ['a handler', 'export default (page) => page.emit({ t: page.title })', /threw TypeError/],
  ['an async handler', 'export default async (page) => { await page.emit({ t: page.title }) }', /threw TypeError/],
  ['a promise that is rejected', 'export async function handlers() { throw new Error("x") }', /threw Error: x/],
])('%s in place of the function that registers handlers gets its own message', async (_what, source, says) => {
  const config = join(base, 'mannerly.config.json');
  writeFileSync(join(base, 'handlers.mjs'), source);
  writeFileSync(config, JSON.stringify({ handlers: './handlers.mjs' }));
  const { code, err } = await onLoopback('--config', config);
  expect(code).toBe(2);
  expect(err).toMatch(says);
  expect(err).toContain('crawler.on(');
});

const WAITS = 'await new Promise((resolve) => setImmediate(resolve))';
it.each([
  ['after a wait', `async function handlers(crawler) { ${WAITS}; crawler.on('any', (page) => page.emit({ n: 1 })) }`],
  ['before one', `async function handlers(crawler) { crawler.on('any', (page) => page.emit({ n: 1 })); ${WAITS} }`],
])('an async function may register %s, for a crawl and for a replay', async (_when, source) => {
  const handlers = join(base, 'handlers.mjs');
  writeFileSync(handlers, `export ${source}`);
  writeFileSync(join(base, 'mannerly.config.json'), JSON.stringify({ handlers: './handlers.mjs' }));
  const { code } = await onLoopback('--warc', '--config', join(base, 'mannerly.config.json'));
  expect(code).toBe(0);
  expect(readFileSync(join(base, 'out', 'items.jsonl'), 'utf8')).toContain('"n":1');
  expect((await run('replay', join(base, 'out'), '--handlers', handlers)).out).toContain('1 page, 1 item: ');
});
