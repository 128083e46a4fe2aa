// Debian's python3-doc, served as plain files on loopback. The crawl must fetch exactly the files that links reach,
// which another parser computes breadth-first from disk, and take none for a trap, with the smallest limit. Without the
// package the test is reported as not run; with CI=true that is a failure.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { parseUrl } from '../support/parse-url.js';

const SITE = process.env['MANNERLY_DOC_SITE'] ?? findSite();
const IS_CI = process.env['CI'] === 'true';

/** The folder `html` of a python3 documentation package. Its name contains the version, so it is found by listing. */
function findSite(): string | null {
  const docs = '/usr/share/doc';
  if (!existsSync(docs)) return null;
  const names = readdirSync(docs).filter((name) => /^python3(\.\d+)?(-doc)?$/.test(name));
  return (
    names
      .map((name) => join(docs, name, 'html'))
      .find((path) => existsSync(join(path, 'index.html')) && existsSync(join(path, 'tutorial'))) ?? null
  );
}

/** The file of a path; `null`: none. */
function fileOf(root: string, path: string): string | null {
  const inside = normalize(decodeURIComponent(path));
  const file = join(root, inside.endsWith('/') ? `${inside}index.html` : inside);
  return file.startsWith(root) && existsSync(file) && statSync(file).isFile() ? file : null;
}

type Node = DefaultTreeAdapterTypes.Node;

/** The targets of `a` and `area` that may be followed, as written, and the base. */
function linksOf(html: string): { hrefs: string[]; base: string | null } {
  const hrefs: string[] = [];
  let base: string | null = null;
  let isClosed = false;
  const visit = (node: Node): void => {
    if ('attrs' in node) {
      const attribute = (name: string) => node.attrs.find((each) => each.name === name)?.value;
      const href = attribute('href');
      const isFollowable = !(attribute('rel') ?? '').toLowerCase().split(/\s+/).includes('nofollow');
      if ((node.tagName === 'a' || node.tagName === 'area') && href !== undefined && isFollowable) hrefs.push(href);
      if (node.tagName === 'base' && base === null && href !== undefined) base = href;
      if (node.tagName === 'meta' && attribute('name')?.toLowerCase() === 'robots')
        isClosed ||= /nofollow|none/i.test(attribute('content') ?? '');
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html));
  return { hrefs: isClosed ? [] : hrefs, base };
}

/** Every path that links reach from `/`: those that exist, and those that do not. */
function reachable(root: string): { found: Set<string>; missing: Set<string> } {
  const origin = 'http://site.test';
  const found = new Set<string>();
  const missing = new Set<string>();
  const queue = ['/'];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const file = fileOf(root, path.replace(/\?.*$/, ''));
    if (file === null) {
      missing.add(path);
      continue;
    }
    found.add(path);
    if (extname(file) !== '.html') continue;
    const { hrefs, base } = linksOf(readFileSync(file, 'utf8'));
    const from = base === null ? origin + path : new URL(base, origin + path).href;
    for (const href of hrefs) {
      const url = parseUrl(href, from);
      if (url === null) continue;
      const next = url.pathname + url.search;
      if (url.origin === origin && !found.has(next) && !missing.has(next) && !queue.includes(next)) queue.push(next);
    }
  }
  return { found, missing };
}

const MEDIA: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.txt': 'text/plain',
  '.css': 'text/css',
  '.png': 'image/png',
  '.py': 'text/plain',
};

async function serve(
  root: string,
): Promise<{ port: number; requests: { path: string; status: number }[]; highest: () => number }> {
  const requests: { path: string; status: number }[] = [];
  let inFlight = 0;
  let highest = 0;
  const server = createServer((request, response) => {
    inFlight += 1;
    highest = Math.max(highest, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    const path = request.url ?? '/';
    const file = fileOf(root, path.replace(/\?.*$/, ''));
    requests.push({ path, status: file === null ? 404 : 200 });
    if (file === null) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    response
      .writeHead(200, { 'content-type': MEDIA[extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests, highest: () => highest };
}

describe.skipIf(SITE === null && !IS_CI)('a real documentation site (python3-doc; not run where it is absent)', () => {
  it('is fetched completely and exactly', { timeout: 300_000 }, async () => {
    expect(SITE, 'install the package python3-doc, or name a folder in MANNERLY_DOC_SITE').not.toBeNull();
    if (SITE === null) return;
    const expected = reachable(SITE);
    expect(expected.found.size).toBeGreaterThan(300);
    const { port, requests, highest } = await serve(SITE);
    const startedAt = Date.now();
    const { report } = await crawl({
      seeds: [`http://site.test:${port}/`],
      bounds: { pages: 100_000, depth: 1_000 },
      traps: { maxSimilarPages: 16 },
    });
    const paths = requests.filter((each) => each.path !== '/robots.txt');
    const fetched = paths.filter((each) => each.status === 200).map((each) => each.path);
    expect([...fetched].sort()).toEqual([...expected.found].sort());
    expect(new Set(paths.filter((each) => each.status === 404).map((each) => each.path))).toEqual(expected.missing);
    expect(new Set(paths.map((each) => each.path)).size).toBe(paths.length);
    expect(requests[0]).toEqual({ path: '/robots.txt', status: 404 });
    expect(highest()).toBe(1);
    expect(report).toMatchObject({ state: 'finished', traps: [] });
    expect(report.pages).toBe(paths.length);
    console.info(
      `python3-doc: ${fetched.length} files fetched, ${expected.found.size} reachable, ${expected.missing.size} links to nothing, ${Date.now() - startedAt} ms`,
    );
  });
});
