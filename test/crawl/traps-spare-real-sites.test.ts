// Trap detection can be wrong about real sites, and then pages are missing. A large documentation site is crawled
// completely, with the smallest limit, as another is in real-documentation-site.test.ts.

import { describe, expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { DOCUMENTATION_SITES, htmlPages, serveFolder } from '../support/documentation-sites.js';

describe.each(DOCUMENTATION_SITES.slice(1))('$name (not run where the package is absent)', ({ name, root }) => {
  it.skipIf(root === null)('loses no page to trap detection', { timeout: 300_000 }, async () => {
    if (root === null) return;
    const port = await serveFolder(root);
    const { report, decisions } = await crawl({
      seeds: [`http://site.test:${port}/index.html`],
      bounds: { pages: 100_000, depth: 1_000 },
      traps: { maxSimilarPages: 16 },
    });
    const dropped = decisions.filter(({ reason }) => reason === 'trap');
    console.info(
      `docs: ${name}: ${dropped.length} of ${report.pages} pages dropped, ${htmlPages(root)} HTML files in the folder`,
    );
    expect(dropped.map(({ url }) => url)).toEqual([]);
    expect(report.traps).toEqual([]);
    expect(report.state).toBe('finished');
    expect(report.pages).toBeGreaterThan(htmlPages(root) / 2);
  });
});
