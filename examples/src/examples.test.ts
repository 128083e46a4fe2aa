// People copy the examples. Here they run against the town, as separate programs, from the build.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTown, type Town } from './demo/town.js';
import { library, shore } from './library.js';

const run = promisify(execFile);
/** The published form if the whole run has made it, else the build. */
const BUILT = process.env['MANNERLY_EXAMPLES'] ?? fileURLToPath(new URL('../dist', import.meta.url));
const built = (name: string) => join(BUILT, `${name}.js`);
/** Parts of examples, the longer example of a store, and users' own files. */
const PARTS = /\.test\.ts$|^my-|^(?:target|library|run|robots-for-crawlee|store-on-files.*)\.ts$/;

let town: Town;

beforeAll(async () => {
  town = await startTown((port) => [library(port), shore()]);
});

afterAll(() => town.close());

async function runExample(name: string, host: string): Promise<string> {
  const env = { ...process.env, MANNERLY_EXAMPLE_SEED: `http://${host}:${town.port}/`, MANNERLY_EXAMPLE_LOOPBACK: '1' };
  const { stdout } = await run(process.execPath, [built(name)], { env, timeout: 600_000 });
  return stdout;
}

describe.skipIf(!existsSync(built('smallest-crawl')))('the examples', () => {
  it.concurrent('crawl a host completely and politely', { timeout: 600_000 }, async () => {
    const out = await runExample('smallest-crawl', 'meadow.test');
    expect(out).toContain(`http://meadow.test:${town.port}/bees  Bees`);
    expect(out).toMatch(/finished: 5 pages, 6 requests/);
    expect(out).toMatch(/meadow\.test: never less than 1\d\d\d ms .* 0 of them early/);
  });

  it.concurrent('explain a refusal with the line of robots.txt', { timeout: 600_000 }, async () => {
    const out = await runExample('explain-a-refusal', 'quarry.test');
    expect(out).toContain(`Line 4 of http://quarry.test:${town.port}/robots.txt: /blasting/`);
    expect(out).toContain('2 URLs were left alone.');
  });

  it.concurrent('route pages by types, check items, and refuse by a hook', { timeout: 600_000 }, async () => {
    const out = await runExample('typed-routes', 'meadow.test');
    expect(out).toContain(`http://meadow.test:${town.port}/flowers  {"place":1,"title":"Flowers"}`);
    expect(out).toMatch(/\/brook {2}rejected: \S+/);
    expect(out).toContain('/brook?from=bees  hook-refused: one view of each page is enough');
    expect(out).toContain('finished: 2 items, 1 rejected');
  });

  it.concurrent('follow one section, and nothing outside of it', { timeout: 600_000 }, async () => {
    const out = await runExample('follow-a-section', 'library.test');
    expect(out.split('\n').slice(0, 3)).toEqual(['Guides', '  Reading the tides', '  Crabs of the shore']);
    expect(out).toContain('3 pages of the section; 2 links led out of it.');
  });

  it.concurrent('crawl one host more slowly, with fewer pages', { timeout: 600_000 }, async () => {
    const out = await runExample('single-hosts', 'meadow.test');
    expect(out).toContain(`http://meadow.test:${town.port}/flowers  Flowers, as 2 entries say`);
    expect(out).toMatch(/bounded: 2 pages, never less than 2\d\d\d ms between two requests/);
    expect(out).toContain("'scope-excluded': 1");
  });

  it.concurrent('request some hosts before others, and a limited number of pages of a label', {
    timeout: 600_000,
  }, async () => {
    const out = await runExample('order-between-hosts', 'meadow.test');
    expect(out).toContain(`http://meadow.test:${town.port}/  `);
    // Timing decides which two pages of the label come first.
    expect(out.match(/detail, of a host of weight [13]\n/g)).toHaveLength(2);
    expect(out).toContain("{ 'bound-label-pages': 3 }");
  });

  it.concurrent('check links', { timeout: 600_000 }, async () => {
    const at = `http://library.test:${town.port}`;
    const out = await runExample('check-links', 'library.test');
    expect(out).toContain(`404  ${at}/prices  linked by ${at}/opening-hours`);
    expect(out).toMatch(/6 pages requested, 1 links are broken, 0 hosts or pages did not answer/);
  });

  it.concurrent('find near duplicates', { timeout: 600_000 }, async () => {
    const out = await runExample('near-duplicates', 'library.test');
    expect(out).toContain('https://shore.example/tides?print=1  says what https://shore.example/tides says');
    expect(out).toMatch(/shore\.example\/birds\n/);
    expect(out).toContain('2 copies of https://shore.example/tides');
  });

  it.concurrent('sign in at one origin', { timeout: 600_000 }, async () => {
    const out = await runExample('sign-in', 'library.test');
    const [carrying, open] = [/^with {2}(.*)$/gm, /^without {2}(.*)$/gm].map((each) =>
      [...out.matchAll(each)].map((line) => line[1]),
    );
    expect(carrying).toEqual(['https://members.example/', 'https://members.example/tides']);
    expect(open).toEqual(expect.arrayContaining(['https://members.example/login', 'https://elsewhere.example/']));
    expect(out).toContain('asked Ann Lee');
  });

  it.concurrent('fetch politely', { timeout: 600_000 }, async () => {
    const out = await runExample('polite-fetch', 'library.test');
    const at = `http://library.test:${town.port}`;
    expect(out.trimEnd().split('\n')).toEqual([
      `  requested ${at}/robots.txt`,
      `  requested ${at}/guides/tides, a second or more after the last`,
      '/guides/tides  200  Reading the tides',
      '/staff/rota  robots-rule, line 2: /staff/',
      `  requested ${at}/prices, a second or more after the last`,
      '/prices  404',
    ]);
  });

  it.concurrent('keep responses', { timeout: 600_000 }, async () => {
    const out = await runExample('keep-responses', 'library.test');
    const requested = `  requested http://library.test:${town.port}`;
    expect(out.trimEnd().split('\n')).toEqual([
      `${requested}/robots.txt`,
      `${requested}/opening-hours`,
      'the first time: 200, with its text',
      'again: 200, with its text',
      `${requested}/opening-hours`,
      'asking whether it has changed: 200, with its text',
    ]);
  });

  it.concurrent('read what feeds list', { timeout: 600_000 }, async () => {
    const out = await runExample('read-feeds', 'shore.test');
    const at = `http://shore.test:${town.port}`;
    expect(out.trimEnd().split('\n').sort()).toEqual([
      expect.stringMatching(new RegExp(`^.*2026.*  Crabs of the shore  ${at}/crabs$`)),
      'finished: 1 entries of feeds, 4 requests.',
      `left alone: ${at}/drafts/gulls (robots-rule)`,
    ]);
  });

  it.concurrent('send requests through one proxy', { timeout: 600_000 }, async () => {
    const out = await runExample('through-a-proxy', 'meadow.test');
    const lines = out.trimEnd().split('\n');
    // One connection for robots.txt and pages, to the address and not to the name.
    expect(lines.filter((line) => line.includes('the proxy'))).toEqual(['  the proxy connects to 127.0.0.1:a port']);
    expect(lines.at(-1)).toBe('bounded: 3 pages, 4 requests');
  });

  it.concurrent('crawl on demand', { timeout: 600_000 }, async () => {
    const out = await runExample('crawl-on-demand', 'library.test');
    expect(out.trimEnd().split('\n').slice(0, 3)).toEqual([
      '/guides/tides  Reading the tides',
      '/staff/rota  excluded: robots-rule',
      '/guides/limpets  failed: status-404',
    ]);
  });

  it.concurrent('request exactly what a sitemap lists', { timeout: 600_000 }, async () => {
    const out = await runExample('sitemaps-first', 'library.test');
    expect(out).toContain(`2026-04-12  Crabs of the shore  http://library.test:${town.port}/guides/crabs`);
    expect(out).toContain('urlset of 2');
    expect(out).toContain('finished: 3 pages, the seed among them.');
  });

  it.concurrent('read the structured data of pages', { timeout: 600_000 }, async () => {
    const out = await runExample('what-pages-say', 'shore.test');
    const [first, second] = out.split('\n').sort().reverse();
    expect(first).toMatch(
      /^en-GB {2}NewsArticle: The tide comes twice {2}3 lines: The tide comes twice\. The sea rises/,
    );
    expect(second).toMatch(/^en-GB {2}NewsArticle: Crabs of the shore {2}3 lines: /);
    expect(out).not.toContain('Imprint');
  });

  it.concurrent('clean and enrich items', { timeout: 600_000 }, async () => {
    const out = await runExample('clean-and-enrich', 'library.test');
    expect(out.trimEnd().split('\n')).toEqual([
      '…/0  library (0) → /guides/',
      '…/0.1  library (0) → /opening-hours',
      '…/0.2  library (0) → /staff/rota',
      '…/0  Guides (1) → /guides/tides',
      '…/0.1  Guides (1) → /guides/crabs',
      '…/0.2  Guides (1) → /',
      '…/0  Opening hours (1) → /',
      '…/0.1  Opening hours (1) → /prices',
      'tidy: 3 in, 3 out, 0 dropped',
      'leading: 3 in, 3 out, 0 dropped',
      'dated: 3 in, 3 out, 0 dropped',
      'byLink: 3 in, 8 out, 0 dropped',
    ]);
  });

  it.concurrent('post items to a program that is busy', { timeout: 600_000 }, async () => {
    const out = await runExample('items-by-webhook', 'library.test');
    expect(out.trimEnd().split('\n')).toEqual([
      '3 items were sent, 3 rows were kept; the first request was refused.',
      '  The library',
      '  Guides',
      '  Opening hours',
    ]);
  });

  it.concurrent('crawl the datasets that a site offers', { timeout: 600_000 }, async () => {
    const out = await runExample('crawl-datasets', 'meadow.test');
    expect(out).toContain(`Flowers of the meadow: http://meadow.test:${town.port}/data/flowers.csv, 30 bytes`);
  });

  it.concurrent('answer like robots-parser, with reasons', { timeout: 600_000 }, async () => {
    const { stdout } = await run(process.execPath, [built('from-robots-parser')], { timeout: 600_000 });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'not allowed',
      'true',
      'line 2: /private/ (rule)',
      'allowed by line 3, /private/press/ in the group for examplebot (rfc9309); it outweighs line 2, disallow /private/',
      '2000 ms',
      "[ 'https://example.com/sitemap.xml' ] null",
      'true',
    ]);
  });

  it.concurrent('test a crawl of hours in no time', { timeout: 600_000 }, async () => {
    const { stdout } = await run(process.execPath, [built('testing-a-crawl')], { timeout: 600_000 });
    expect(stdout).toMatch(/(?:ok 1 -|✔) titles are read at the pace of the site/);
  });

  // The soak suite checks that it takes less than 30 seconds.
  it.concurrent('run the demo to its end, and report and log agree', { timeout: 600_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mannerly-demo-'));
    try {
      // With exit code 1 the output says how report and log differ, so it is shown.
      const { stdout } = await run(process.execPath, [built('demo/main')], { cwd: directory, timeout: 600_000 }).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(stdout).toContain('The two accounts agree, and no host has anything to object to.');
      expect(stdout).toMatch(/castle\.test is left for another time: robots-unreachable/);
      expect(stdout).toMatch(/blasting\/plan +robots-rule +4 +http:\/\/quarry\.test:\d+\/robots\.txt: \/blasting\//);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('have fewer than 60 lines each, and say what they show', () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const index = readFileSync(join(folder, '..', 'README.md'), 'utf8');
    const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !PARTS.test(name));
    expect(names.length).toBeGreaterThan(14);
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text.split('\n').length, name).toBeLessThan(60);
      expect(text, name).toMatch(/^\/\/ [A-Z]/);
      expect(index, 'examples/README.md').toContain(`(src/${name})`);
    }
  });
});
