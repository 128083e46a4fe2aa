// The scan of a page against a whole HTML parser, on thousands of damaged pages and on any corpus at hand. A page that
// is read wrongly here is a link never fetched, or a `noindex` never seen.
//
// `PAGE_CASES` asks for more damaged pages than usual, `PAGE_SEED` for others, `PAGE_CORPUS` names a folder of HTML
// files, for instance a package of documentation: PAGE_CORPUS=/usr/share/doc/python3-doc/html.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { HTML_LIMITS, readHtml, utf8Page } from './html.js';
import { comparable, factsByTree } from './page-by-tree.fixture.js';
import { createRandom, damagedPage, islandsAndDamage, PAGES } from './page-mutations.fixture.js';

// Much work or much waiting: a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000 });

const PAGE_COUNT = Number(process.env['PAGE_CASES'] ?? 2_000);
const SEED = Number(process.env['PAGE_SEED'] ?? 20_261_120);
const CORPUS = process.env['PAGE_CORPUS'];
/** Damage makes whole pages of titles, and a page of a corpus may have more links than are kept. */
const CAPS = { ...HTML_LIMITS, titleChars: 1_000_000, links: 1_000_000 };

describe('a scan and a tree', () => {
  it.each(PAGES.map((html, index) => [index, html] as const))('find the same in page %i', (_, html) => {
    expect(comparable(readHtml(html))).toEqual(factsByTree(html));
  });

  it.each([
    ['damaged pages', damagedPage],
    ['pages with SVG and MathML', islandsAndDamage],
  ])(
    `find the same in ${PAGE_COUNT} %s`,
    (_, page) => {
      const random = createRandom(SEED);
      for (let count = 0; count < PAGE_COUNT; count += 1) {
        const html = page(random);
        expect({ html, ...comparable(readHtml(html, CAPS)) }).toEqual({ html, ...factsByTree(html) });
      }
    },
    600_000,
  );

  it.skipIf(CORPUS === undefined)(
    'find the same in every page of the corpus',
    () => {
      for (const { path, bytes } of corpus(CORPUS ?? '')) {
        const html = bytes.toString('utf8');
        expect({ path, ...comparable(readHtml(utf8Page(bytes), CAPS)) }).toEqual({ path, ...factsByTree(html) });
      }
    },
    3_600_000,
  );
});

describe('a page in UTF-8 and the same page decoded', () => {
  it.each([
    ['damaged pages', damagedPage],
    ['pages with SVG and MathML', islandsAndDamage],
  ])('read the same: %s', (_, page) => {
    const random = createRandom(SEED);
    for (let count = 0; count < PAGE_COUNT; count += 1) {
      const bytes = Buffer.from(page(random));
      // Damage below the level of characters.
      for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      }
      expect(readHtml(utf8Page(bytes))).toEqual(readHtml(bytes.toString('utf8')));
    }
  });
});

function* corpus(folder: string): Generator<{ path: string; bytes: Buffer }> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.html(?:\.gz)?$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    yield { path, bytes: path.endsWith('.gz') ? gunzipSync(bytes) : bytes };
  }
}
