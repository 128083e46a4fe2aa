// A healthy host and a hostile one in one crawl by the command: when did the requests to the healthy host arrive? Each
// host has a loopback address of its own, and the hostile one serves one attack on all of its pages.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND } from '../support/command.js';

/** The answers of the hostile host by path; `page` for all other paths. */
export interface Attack {
  readonly name: string;
  readonly page: Buffer;
  readonly files?: Readonly<Record<string, Buffer>>;
  /** The target to which /robots.txt redirects. */
  readonly robotsLocation?: string;
  /** Options of the crawl. */
  readonly config?: object;
  /** Whether the pages are seeds, because the attack prevents that their links are followed. */
  readonly isSeeded?: boolean;
}

/** What the healthy host saw, and how the crawl ended. */
export interface Pace {
  /** Requested pages; fewer than `HEALTHY_PAGES`: the crawl stood still or ended. */
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly medianGapMs: number;
  readonly longestGapMs: number;
  /** Requests to the hostile host while the healthy one was crawled. */
  readonly hostileRequests: number;
  /** From SIGTERM to the end of the process, milliseconds. */
  readonly endMs: number;
  readonly exitCode: number | null;
}

/** Seconds between two requests to a host. */
const INTERVAL = '0.2';
/** Pages of the healthy host that are counted. */
export const HEALTHY_PAGES = 24;
/** Files of the hostile host are delayed until the crawl of the healthy one has started. */
const FILES_AFTER_MS = 800;
/** A crawl that takes longer counts as standing still. */
const LONGEST_MS = 60_000;

const HEALTHY = '127.0.0.1';
const HOSTILE = '127.0.0.2';
const MIB = 1024 * 1024;

const html = (body: string): Buffer => Buffer.from(`<!doctype html><title>t</title>${body}`);
const filled = (piece: string, bytes: number): Buffer =>
  Buffer.from(piece.repeat(Math.ceil(bytes / piece.length)), 'latin1');
const numbered = (bytes: number, line: (at: number) => string): Buffer => {
  let text = '';
  for (let at = 0; text.length < bytes; at += 1) text += line(at);
  return Buffer.from(text);
};
const links = (count: number, href: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `<a href="${href(at)}">x</a>`).join('');
/** Links to further pages, so that the attack lasts as long as the crawl. */
const MORE = links(40, (at) => `/page-${at}`);

/** Attacks by one site that used to stop a crawl, or take its memory. */
export const ATTACKS: readonly Attack[] = [
  { name: 'pages of 1 MiB of unclosed `<script>` tags', page: html(MORE + '<script>'.repeat(MIB / 8)) },
  {
    name: '500 kB of Clean-param lines, which are applied; pages of links with escaped paths',
    page: html(MORE + links(200, (at) => `/${'%C3%A4'.repeat(80 + at)}?a=${at}&b=1`)),
    files: { '/robots.txt': numbered(500_000, (at) => `Clean-param: c${at} /*d${at}\n`) },
    config: { robots: { cleanParam: 'dedupe' } },
  },
  {
    name: 'robots rules of 1,000 characters; pages of links of 8 kB in which they nearly occur',
    page: html(MORE + links(40, (at) => `/${`${'a'.repeat(699)}b`.repeat(11)}${at}`)),
    files: {
      '/robots.txt': Buffer.from(
        `User-agent: *\n${numbered(490_000, (at) => `Disallow: /*${'a'.repeat(700 + at)}\n`)}`,
      ),
    },
  },
  {
    name: 'a tdmrep.json of 1.2 MB, with `--purpose tdm`',
    page: html(MORE),
    files: {
      '/.well-known/tdmrep.json': Buffer.from(
        JSON.stringify(
          Array.from({ length: 900 }, (_, at) => ({ location: `/${at}${'a'.repeat(1_300)}`, 'tdm-reservation': 1 })),
        ),
      ),
    },
    config: { purposes: ['tdm'] },
  },
  {
    name: 'a data.txt of 500 kB of agents and items, with `--data-txt`',
    page: html(MORE),
    files: { '/data.txt': Buffer.concat([filled('User-agent: a\n', 250_000), filled('- path: /a\n', 250_000)]) },
    config: { discover: { dataTxt: true } },
  },
  {
    name: 'pages with a `base` of 8,000 characters and 20,000 links',
    page: html(`${MORE}<base href="/${'b'.repeat(8_000)}/">${links(20_000, (at) => `${at}`)}`),
  },
  {
    name: 'robots.txt that leads to a host name of 3,000 characters',
    page: html(MORE),
    robotsLocation: `http://${'a.'.repeat(1_500)}example/robots.txt`,
  },
  {
    name: 'pages of 10 MiB of robots metas',
    page: html(MORE + `<meta name=robots content="${'a,'.repeat(8_000)}">`.repeat((10 * MIB) / 16_100)),
    isSeeded: true,
  },
  {
    name: 'robots.txt of 500 kB of lines that are no UTF-8',
    page: html(MORE),
    files: { '/robots.txt': filled('\xff\n', 500_000) },
  },
];

/** Crawls the healthy host next to an attack, or next to a second healthy host (`null`), and measures its pace. */
export async function paceNextTo(attack: Attack | null): Promise<Pace> {
  const arrivals: number[] = [];
  let hostileRequests = 0;
  const healthy = await listen(HEALTHY, 0, (path, response) => {
    if (path === '/robots.txt') return answer(response, 'text/plain', Buffer.from('User-agent: *\nAllow: /\n'));
    arrivals.push(performance.now());
    answer(response, 'text/html', html(links(HEALTHY_PAGES * 2, (at) => `/page-${at}`)));
  });
  const { port } = healthy.address() as AddressInfo;
  const hostile = await listen(HOSTILE, port, (path, response) => {
    hostileRequests += 1;
    const location = path === '/robots.txt' ? attack?.robotsLocation : undefined;
    const file = attack?.files?.[path];
    const type = path.endsWith('json') ? 'application/json' : 'text/plain';
    if (location !== undefined) setTimeout(() => response.writeHead(301, { location }).end(), FILES_AFTER_MS);
    else if (file !== undefined) setTimeout(() => answer(response, type, file), FILES_AFTER_MS);
    else if (path.endsWith('.txt') || path.startsWith('/.')) response.writeHead(404).end();
    else answer(response, 'text/html', attack?.page ?? html(MORE));
  });
  const folder = mkdtempSync(join(tmpdir(), 'neighbour-'));
  const hostileSeeds = Array.from({ length: attack?.isSeeded ? HEALTHY_PAGES : 1 }, (_, at) => `page-${at}`);
  const child = crawl(
    [`http://${HEALTHY}:${port}/`, ...hostileSeeds.map((page) => `http://${HOSTILE}:${port}/${page}`)],
    attack?.config ?? {},
    folder,
  );
  try {
    const deadline = performance.now() + LONGEST_MS;
    while (arrivals.length < HEALTHY_PAGES && child.exitCode === null && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const met = hostileRequests;
    const stopMs = performance.now();
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return {
      ...paceOf(arrivals, stopMs),
      hostileRequests: met,
      endMs: performance.now() - stopMs,
      exitCode: child.exitCode,
    };
  } finally {
    for (const server of [healthy, hostile]) server.closeAllConnections();
    await Promise.all([healthy, hostile].map((server) => new Promise((done) => server.close(done))));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The table of figures, in Markdown. */
export function paceTable(rows: readonly (readonly [name: string, pace: Pace])[], quiet: number): string {
  const lines = rows.map(
    ([name, { pagesPerSecond, medianGapMs, longestGapMs, hostileRequests }]) =>
      `| ${name} | ${pagesPerSecond.toFixed(2)} | ${((100 * pagesPerSecond) / quiet).toFixed(0)} % | ` +
      `${medianGapMs.toFixed(0)} | ${longestGapMs.toFixed(0)} | ${hostileRequests} |`,
  );
  const head = '| the other host | pages/s | of the pace | median gap, ms | longest, ms | requests to the other |';
  return [head, '|---|---|---|---|---|---|', ...lines].join('\n');
}

/** The pace of arrivals up to the stop, without the first page, because the process is still starting. */
function paceOf(arrivals: readonly number[], stopMs: number): Omit<Pace, 'hostileRequests' | 'endMs' | 'exitCode'> {
  const isWhole = arrivals.length >= HEALTHY_PAGES;
  const counted = isWhole ? arrivals.slice(1, HEALTHY_PAGES) : [...arrivals.slice(1), stopMs];
  const gaps = counted.slice(1).map((at, index) => at - counted[index]!);
  const sorted = gaps.toSorted((left, right) => left - right);
  const tookMs = gaps.reduce((sum, gap) => sum + gap, 0);
  return {
    pages: arrivals.length,
    pagesPerSecond: gaps.length === 0 ? 0 : (1_000 * gaps.length) / tookMs,
    medianGapMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    longestGapMs: sorted.at(-1) ?? Number.NaN,
  };
}

function crawl(seeds: readonly string[], config: object, folder: string): ChildProcess {
  const path = join(folder, 'mannerly.config.json');
  writeFileSync(path, JSON.stringify(config));
  const identity = ['--name', 'test-bot', '--contact', 'https://example.org/our-crawler'];
  const rest = ['--interval', INTERVAL, '--allow-address', '127.0.0.0/8', '--pages', '1000', '--progress', 'none'];
  return spawn(
    process.execPath,
    [COMMAND, 'crawl', ...seeds, ...identity, ...rest, '--config', path, '--out', join(folder, 'crawl')],
    { stdio: 'ignore' },
  );
}

async function listen(
  address: string,
  port: number,
  serve: (path: string, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer((request, response) => serve(request.url ?? '/', response));
  server.listen(port, address);
  await once(server, 'listening');
  return server;
}

function answer(response: ServerResponse, type: string, body: Buffer): void {
  response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
}
