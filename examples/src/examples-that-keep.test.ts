// Examples that write files or serve requests, as users run them: a second time in the same folder, or with a client.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startTown, type Town } from './demo/town.js';
import { library, shore } from './library.js';

/** The published form if the whole run has made it, else the build. */
const BUILT = process.env['MANNERLY_EXAMPLES'] ?? fileURLToPath(new URL('../dist', import.meta.url));
const built = (name: string) => join(BUILT, `${name}.js`);

interface Place {
  readonly town: Town;
  readonly folder: string;
  readonly run: (name: string, args?: readonly string[], more?: object) => Promise<string>;
  /** Paths requested from the host since the last call, in order. */
  readonly newRequests: () => string[];
}

/** Runs one example with a town and an empty folder. */
async function inPlace(host: string, example: (place: Place) => Promise<void>): Promise<void> {
  const town = await startTown((port) => [library(port), shore()]);
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-example-'));
  let seenCount = 0;
  try {
    await example({
      town,
      folder,
      async run(name, args = [], more = {}) {
        const seed = `http://${host}:${town.port}/`;
        const env = { ...process.env, MANNERLY_EXAMPLE_SEED: seed, MANNERLY_EXAMPLE_LOOPBACK: '1', ...more };
        const { stdout } = await promisify(execFile)(process.execPath, [built(name), ...args], {
          cwd: folder,
          env,
          timeout: 240_000,
        });
        return stdout;
      },
      newRequests() {
        const since = town.log.slice(seenCount);
        seenCount = town.log.length;
        return since.map(({ path }) => path);
      },
    });
  } finally {
    await town.close();
    await rm(folder, { recursive: true, force: true });
  }
}

describe.skipIf(!existsSync(built('resume')))('the examples that keep something', () => {
  it.concurrent('are used over HTTP, and fetch no more than robots.txt allows', { timeout: 600_000 }, () =>
    inPlace('library.test', async ({ run, newRequests }) => {
      const out = await run('http-api');
      expect(out).toContain('added    /guides/tides  queued\n');
      expect(out).toMatch(/\nrefused {2}\S+\/staff\/rota {2}robots-rule, line \d+ of robots\.txt\n/);
      expect(out).toContain('crawled  /guides/tides  Reading the tides\n');
      expect(out).toMatch(/stopped {2}3 pages, 4 requests\n$/);
      expect(newRequests().sort()).toEqual(['/', '/guides/crabs', '/guides/tides', '/robots.txt']);
    }),
  );

  it.concurrent('continue where they were, and request no page twice', { timeout: 600_000 }, () =>
    inPlace('meadow.test', async ({ run, newRequests }) => {
      expect(await run('resume', ['2'])).toMatch(/Began: bounded, 2 pages and 2 items so far\.\nQueued: \d\. Run/);
      const first = newRequests();
      expect(await run('resume', ['4'])).toMatch(/Went on: bounded, 4 pages and 4 items so far/);
      const both = [...first, ...newRequests()].filter((path) => path !== '/robots.txt');
      expect({ pages: both.length, different: new Set(both).size }).toEqual({ pages: 4, different: 4 });
    }),
  );

  it.concurrent('request only what has changed', { timeout: 600_000 }, () =>
    inPlace('library.test', async ({ folder, run, newRequests }) => {
      expect(await run('recrawl-what-changed')).toContain('Read again: 2; as they were: 0.');
      newRequests();
      const memory = join(folder, 'last-seen.json');
      const seen = JSON.parse(readFileSync(memory, 'utf8')) as [string, string][];
      // Makes the page about crabs look changed since then.
      const older = seen.map(([url, lastmod]) => [url, url.endsWith('/crabs') ? '2025-01-01' : lastmod]);
      writeFileSync(memory, JSON.stringify(older));
      const out = await run('recrawl-what-changed');
      expect(out).toMatch(/changed {2}\S+\/guides\/crabs/);
      expect(out).toContain('Read again: 1; as they were: 1.');
      expect(newRequests().sort()).toEqual(['/', '/guides/crabs', '/robots.txt', '/sitemap.xml']);
    }),
  );

  it.concurrent('archive, and read the archive again', { timeout: 600_000 }, () =>
    inPlace('meadow.test', async ({ folder, run }) => {
      const out = await run('archive-to-warc');
      expect(out).toMatch(/3 items from 3 archived pages, and no request/);
      expect(out).toContain('{"title":"The meadow","links":5}');
      expect(existsSync(join(folder, 'archived', 'archive.wacz'))).toBe(true);
    }),
  );

  it.concurrent('archive the files that pages need', { timeout: 600_000 }, () =>
    inPlace('shore.test', async ({ folder, run }) => {
      const out = await run('archive-as-pages-look');
      expect(out).toContain('2 pages and what they need are in as-pages-look/archive.wacz');
      expect(out).toContain('fetched: /style.css, /wave.svg');
      expect(out).toContain('left alone: /fonts/shore.woff2 (robots-rule)');
      expect(existsSync(join(folder, 'as-pages-look', 'archive.wacz'))).toBe(true);
    }),
  );

  it.concurrent('write a document for each item into an index', { timeout: 600_000 }, () =>
    inPlace('meadow.test', async ({ run }) => {
      const documents = new Map<string, unknown>();
      const index = createServer(async (request, response) => {
        const lines = (await text(request)).trim().split('\n');
        for (let at = 0; at + 1 < lines.length; at += 2) {
          const { index: to } = JSON.parse(lines[at] as string) as { index: { _id: string } };
          documents.set(to._id, JSON.parse(lines[at + 1] as string));
        }
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ errors: false }));
      });
      await new Promise<void>((resolve) => index.listen(0, '127.0.0.1', resolve));
      try {
        const url = `http://127.0.0.1:${(index.address() as AddressInfo).port}/pages`;
        expect(await run('sink-of-your-own', [], { INDEX_URL: url })).toContain('3 items are in the index.');
        expect(documents.size).toBe(3);
        expect([...documents.values()]).toContainEqual(expect.objectContaining({ data: expect.anything() }));
      } finally {
        index.closeAllConnections();
        await new Promise((resolve) => index.close(resolve));
      }
    }),
  );

  it.concurrent('save pictures, each content once', { timeout: 600_000 }, () =>
    inPlace('library.test', async ({ folder, run }) => {
      const out = await run('save-pictures');
      expect(out.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^\/pictures\/crab\.gif {2}saved: [0-9a-f]{8}…$/),
        expect.stringMatching(/^\/pictures\/crab-again\.gif {2}there already: [0-9a-f]{8}…$/),
        expect.stringMatching(/^\/pictures\/limpet\.gif {2}saved: [0-9a-f]{8}…$/),
        '/staff/portrait.gif  excluded: robots-rule',
        '/pictures/gone.gif  failed: status-404',
        '6 requests, of which 1 for pages; the files are in pictures/files/media.',
      ]);
      const files = readdirSync(join(folder, 'pictures', 'files', 'media'), { recursive: true });
      expect(files.filter((name) => String(name).endsWith('.gif'))).toHaveLength(2);
    }),
  );

  it.concurrent('do the same as a Crawlee crawler', { timeout: 600_000 }, () =>
    inPlace('meadow.test', async ({ town, folder, run }) => {
      const out = await run('from-crawlee');
      expect(out).toContain(`{"url":"http://meadow.test:${town.port}/bees","title":"Bees","list":"front"}`);
      expect(out).toContain('finished: 3 items');
      expect(
        readFileSync(join(folder, 'articles', 'items.jsonl'), 'utf8')
          .trim()
          .split('\n'),
      ).toHaveLength(3);
    }),
  );

  it.concurrent('do the same as a Scrapy spider', { timeout: 600_000 }, () =>
    inPlace('meadow.test', async ({ town, folder, run }) => {
      const out = await run('from-scrapy');
      expect(out).toContain(`{"url":"http://meadow.test:${town.port}/flowers","title":"Flowers"}`);
      expect(out).toMatch(/finished: 5 pages, 5 items/);
      expect(readdirSync(join(folder, 'shore'))).toContain('items.jsonl');
    }),
  );
});
