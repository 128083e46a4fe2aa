// The command with a real server: what it writes, how it ends, and that Ctrl-C leaves complete files.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlReport, reasonOf } from 'mannerly';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeIo, fakeIo } from '../../test-support/fake-io.js';
import { who } from '../../test-support/test-site.js';
import { runCommand } from './program.js';

let base: string;
let server: Server;
let site: string;
let requestedPaths: string[];
let robots: { status: number; body: string; headers?: Record<string, string> };
let onPage: () => void;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-crawl-'));
  requestedPaths = [];
  robots = { status: 200, body: 'User-agent: *\nDisallow: /closed\n' };
  onPage = () => undefined;
  server = createServer((request, response) => {
    const path = request.url ?? '/';
    requestedPaths.push(path);
    if (path === '/robots.txt') {
      response.writeHead(robots.status, { 'content-type': 'text/plain', ...robots.headers });
      if (robots.headers?.['content-length'] === undefined) response.end(robots.body);
      else response.write(robots.body, () => response.destroy());
      return;
    }
    if (path === '/data.txt') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('path: /tides.csv\nname: Tides\n');
      return;
    }
    const number = Number(path.slice(1));
    const links = `<a href="/${number + 1}">on</a> <a href="/closed">closed</a>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Page ${number}</title>${links}`);
    onPage();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(base, { recursive: true });
});

async function crawl(io: FakeIo, ...more: string[]): Promise<{ code: number; report: CrawlReport }> {
  const argv = ['crawl', `${site}/`, ...who, '--interval', '0', '--out', join(base, 'out'), '--json', ...more];
  const code = await runCommand(argv, io);
  expect(io.outLines, io.errLines.join('\n')).toHaveLength(1);
  return { code, report: JSON.parse(io.outLines[0]!) as CrawlReport };
}

const lines = (name: string): Record<string, unknown>[] =>
  readFileSync(join(base, 'out', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('mannerly crawl', () => {
  it('crawls to its bound, writes an item per page, and requests nothing disallowed', async () => {
    const io = fakeIo();
    const { code, report } = await crawl(io, '--pages', '4');
    expect({ code, state: report.state, bound: report.bound, pages: report.pages }).toEqual({
      code: 0,
      state: 'bounded',
      bound: 'pages',
      pages: 4,
    });
    expect(requestedPaths).toEqual(['/robots.txt', '/', '/1', '/2', '/3']);
    expect(lines('items.jsonl')).toMatchObject(
      ['/', '/1', '/2', '/3'].map((path, depth) => ({
        url: site + path,
        title: `Page ${Number(path.slice(1))}`,
        status: 200,
        depth,
      })),
    );
    expect(lines('runs.jsonl')).toHaveLength(1);
    expect(lines('requests.jsonl')).toHaveLength(5);
    expect(lines('decisions.jsonl')).toContainEqual(
      expect.objectContaining({ url: `${site}/closed`, status: 'excluded', reason: 'robots-rule', line: 2 }),
    );
    for (const { reason, status, layer } of lines('decisions.jsonl')) {
      expect(reasonOf(String(reason)), String(reason)).toMatchObject({
        statuses: expect.arrayContaining([status]),
        layer,
      });
    }
    expect(io.errLines.join('\n')).toMatch(/At most 4 pages, 30 minutes/);
    expect(io.errLines.join('\n')).toMatch(/Warning: --interval 0/);
  });

  it('ends with 0 when nothing is left', async () => {
    const { code, report } = await crawl(fakeIo(), '--exclude', '*/2');
    expect({ code, state: report.state, pages: report.pages }).toEqual({ code: 0, state: 'finished', pages: 2 });
  });

  it('ends with 7 and names the bound if only dropped URLs are left', async () => {
    const io = fakeIo();
    const argv = ['crawl', `${site}/`, ...who, '--interval', '0', '--depth', '1', '--out', join(base, 'out')];
    expect(await runCommand(argv, io)).toBe(7);
    expect(io.outLines.join('\n')).toContain('nothing is left except URLs beyond the bounds, 1 URL by `bounds.depth`');
  });

  it('ends with 3 if only a waiting host is left', async () => {
    robots = { status: 503, body: '' };
    const { code, report } = await crawl(fakeIo(), '--max-idle', '1');
    expect({ code, state: report.state }).toEqual({ code: 3, state: 'waiting' });
    expect(report.waiting).toMatchObject([{ host: '127.0.0.1', reason: 'robots-unreachable' }]);
    expect(requestedPaths).toEqual(['/robots.txt']);
  });

  it('stops cleanly at Ctrl-C, says what was done, and ends with 130', async () => {
    const io = fakeIo();
    onPage = () => {
      if (requestedPaths.length === 4) io.interrupt();
    };
    const { code, report } = await crawl(io, '--pages', '1000', '--depth', '999');
    expect({ code, state: report.state }).toEqual({ code: 130, state: 'stopped' });
    expect(io.errLines.join('\n')).toContain('Stopping');
    expect(report.pages).toBeGreaterThan(0);
    expect(lines('items.jsonl')).toHaveLength(report.items);
    expect(io.exits).toEqual([]);
  });

  it('continues after Ctrl-C, ends with 4 if its bounds are used up, and starts over with --reset', async () => {
    const io = fakeIo();
    onPage = () => {
      if (requestedPaths.length === 3) io.interrupt();
    };
    const { code, report } = await crawl(io, '--pages', '4');
    expect(code).toBe(130);
    onPage = () => undefined;
    const second = await crawl(fakeIo(), '--pages', '4');
    expect(second).toMatchObject({
      code: 0,
      report: { state: 'bounded', resumed: true, alreadyFinished: false, pages: 4 },
    });
    expect(second.report.requests).toBeGreaterThan(report.requests);
    expect(requestedPaths).toEqual(['/robots.txt', '/', '/1', '/2', '/3']);
    const third = fakeIo();
    expect(await crawl(third, '--pages', '4')).toMatchObject({ code: 4, report: { alreadyFinished: true, pages: 4 } });
    expect(third.errLines.join('\n')).toContain('Continuing in');
    const firstIo = fakeIo();
    const argv = ['crawl', `${site}/`, ...who, '--interval', '0', '--out', join(base, 'out'), '--pages', '4'];
    expect(await runCommand(argv, firstIo)).toBe(4);
    expect(firstIo.outLines.join('\n')).toMatch(
      /Ended earlier by its bound of pages: nothing was requested.*larger --pages.*--reset/,
    );
    expect(requestedPaths).toHaveLength(5);
    const over = await crawl(fakeIo(), '--depth', '0', '--reset');
    expect(over).toMatchObject({ code: 7, report: { state: 'bounded', resumed: false, pages: 1, items: 1 } });
    expect(requestedPaths.slice(5)).toEqual(['/robots.txt', '/']);
    expect(lines('items.jsonl')).toHaveLength(1);
  });

  it('continues in the directory that it chose, and says when nothing is left', async () => {
    const before = process.cwd();
    process.chdir(base);
    try {
      const argv = ['crawl', `${site}/`, ...who, '--interval', '0', '--exclude', '*/2'];
      expect(await runCommand(argv, fakeIo())).toBe(0);
      const again = fakeIo();
      expect(await runCommand(argv, again)).toBe(0);
      expect(again.outLines.join('\n')).toMatch(/Finished earlier: nothing was left to fetch.*--reset/);
      expect(requestedPaths).toEqual(['/robots.txt', '/', '/1']);
      expect(readdirSync('crawls')).toHaveLength(1);
      // A different crawl gets another directory.
      expect(await runCommand(['crawl', `${site}/7`, ...who, '--interval', '0', '--depth', '0'], fakeIo())).toBe(7);
      expect(readdirSync('crawls')).toHaveLength(2);
    } finally {
      process.chdir(before);
    }
  });

  it('names the flag for a sitemap that was given as a seed', async () => {
    const io = fakeIo();
    const sitemap = `${site}/sitemap_index.xml.gz`;
    await runCommand(['crawl', `${site}/`, sitemap, ...who, '--interval', '0', '--pages', '1', '--out', base], io);
    expect(io.errLines).toContain(`Warning: as a seed, ${sitemap} is a page. --sitemap reads the URLs in it.`);
  });

  it('says that a table keeps its items when a crawl starts over or starts again', async () => {
    const table = join(base, 'items.csv');
    const flags: boolean[] = [];
    for (const more of [[], [], ['--reset'], ['--out', join(base, 'other')]]) {
      const io = fakeIo();
      await crawl(io, '--pages', '1', '--csv', table, ...more);
      flags.push(
        io.errLines.some((line) => line.startsWith(`Warning: ${table} may contain items from the same pages`)),
      );
    }
    expect(flags).toEqual([false, false, true, true]);
    expect(readFileSync(table, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('ends at once at the second Ctrl-C', async () => {
    const io = fakeIo();
    onPage = () => {
      io.interrupt();
      io.interrupt();
    };
    await crawl(io, '--depth', '0');
    expect(io.exits).toEqual([130]);
  });

  it('refuses the directory of another crawl with 2, before any request', async () => {
    await crawl(fakeIo(), '--depth', '0');
    requestedPaths.length = 0;
    const io = fakeIo();
    const argv = ['crawl', `${site}/other`, ...who, '--interval', '0', '--out', join(base, 'out')];
    expect(await runCommand(argv, io)).toBe(2);
    expect(io.errLines.join('\n')).toContain('belongs to another crawl');
    expect(requestedPaths).toEqual([]);
  });

  it('prints the politeness table, and the report command prints the same from the logs', async () => {
    const io = fakeIo();
    const argv = ['crawl', `${site}/`, ...who, '--interval', '0', '--exclude', '*/2', '--out', join(base, 'out')];
    expect(await runCommand(argv, io)).toBe(0);
    const printed = io.outLines.join('\n');
    expect(printed).toMatch(/Finished: nothing is left.*2 pages, 3 requests, 2 items/);
    const table = printed.slice(printed.indexOf('host '), printed.search(/\n\n(?:Relaxed default|Items:)/));
    expect(printed).toMatch(/Relaxed default: .*minMs` is 0/);
    const again = fakeIo();
    expect(await runCommand(['report', join(base, 'out')], again)).toBe(0);
    expect(again.outLines.join('\n')).toContain(table);
  });
});

describe('requesting one file of a site', () => {
  it.each([
    ['its robots.txt and a page', ['/robots.txt', '/closed']],
    ['a page alone', ['/closed']],
  ])('mannerly robots with %s requests robots.txt once, and nothing else', async (_what, paths) => {
    const io = fakeIo();
    const code = await runCommand(['robots', ...paths.map((path) => site + path), ...who], io);
    expect(io.outLines.join('\n')).toMatch(/Disallow: \/closed[\s\S]*disallowed .*\/closed\n.*line 2/);
    expect({ code, requestedPaths }).toEqual({ code: 0, requestedPaths: ['/robots.txt'] });
  });

  it.each([
    [404, 'the answer was 404', 'allowed', 0],
    [503, 'the answer was 503', 'held', 6],
    [206, 'the answer was 206', 'held', 6],
    [302, 'the answer was 302, a redirect too many', 'allowed', 0],
  ])('mannerly robots says what an answer of %i means for a crawl: %s', async (status, why, access, exitCode) => {
    robots = { status, body: 'User-agent: *\nDisallow: /closed\n', headers: { location: '/robots.txt' } };
    const io = fakeIo();
    const code = await runCommand(['robots', site, ...who], io);
    const means = { allowed: /may request every URL/, held: /requests nothing of this site until/ }[access]!;
    expect(io.outLines.join('\n')).toContain(why);
    expect(io.outLines.join('\n')).toMatch(means);
    // Only robots.txt, not even the page that no rule closes.
    expect({ code, requestedPaths }).toEqual({ code: exitCode, requestedPaths: ['/robots.txt'] });
    const machine = fakeIo();
    await runCommand(['robots', site, ...who, '--json'], machine);
    expect(JSON.parse(machine.outLines.join('\n'))).toEqual({ why, access });
  });

  it('mannerly robots does not take a truncated file for one without rules', async () => {
    robots = { status: 200, body: 'User-agent: *\nDisallow: /closed\n', headers: { 'content-length': '1000' } };
    const io = fakeIo();
    const code = await runCommand(['robots', ...who, site, `${site}/closed`], io);
    expect(io.outLines.join('\n')).toMatch(/ended too early\.\nA crawl requests nothing of this site until/);
    expect({ code, requestedPaths }).toEqual({ code: 6, requestedPaths: ['/robots.txt'] });
  });

  it('mannerly robots says what failed if no connection was made', async () => {
    const closedServer = createServer();
    await new Promise<void>((resolve) => closedServer.listen(0, '127.0.0.1', resolve));
    const { port } = closedServer.address() as AddressInfo;
    await new Promise((resolve) => closedServer.close(resolve));
    const io = fakeIo();
    expect(await runCommand(['robots', `http://127.0.0.1:${port}/`, ...who], io)).toBe(6);
    expect(io.outLines.join('\n')).toMatch(
      /it could not be fetched \(attempt 1 failed \(refused\).*\)\.\nA crawl requests nothing/,
    );
  });

  it('mannerly datasets reads robots.txt and then data.txt', { timeout: 300_000 }, async () => {
    const io = fakeIo();
    const code = await runCommand(['datasets', site, ...who], io);
    expect(io.outLines.join('\n')).toContain(`Tides\n  at: ${site}/tides.csv`);
    expect({ code, requestedPaths }).toEqual({ code: 0, requestedPaths: ['/robots.txt', '/data.txt'] });
  });

  it('mannerly datasets does not request a disallowed data.txt', async () => {
    robots = { status: 200, body: 'User-agent: *\nDisallow: /data.txt\n' };
    const io = fakeIo();
    expect(await runCommand(['datasets', site, ...who], io)).toBe(0);
    expect(io.outLines.join('\n')).toContain('excluded: robots-rule');
    expect(requestedPaths).toEqual(['/robots.txt']);
  });

  it.each(['robots', 'datasets', 'licence'])('mannerly %s ends with 6 if nothing answers', async (command) => {
    // Loopback is not allowed, so nothing is requested, as if the name or the server were not found.
    const io = fakeIo();
    const code = await runCommand([command, site, '--name', 'tester', '--contact', 'https://example.org/us'], io);
    expect({ code, requestedPaths }).toEqual({ code: 6, requestedPaths: [] });
    expect(io.outLines.join('\n')).toMatch(/^No (?:rules from|datasets from|licence of) .*address-forbidden/);
  });
});
