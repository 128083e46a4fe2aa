// Only the pages that changed since the last run: the site's sitemap says when each changed, a small file remembers
// what was seen, and a hook refuses unchanged pages. A refused URL costs its site no request.
//
//   npx -y pnpm@10 example recrawl-what-changed      everything first; when run again, only the seed

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createCrawler, refuse } from 'mannerly';
import { network, seed } from './target.js';

const MEMORY = 'last-seen.json';
const seen = new Map<string, string>(existsSync(MEMORY) ? JSON.parse(readFileSync(MEMORY, 'utf8')) : []);

/** What the sitemap says about a page: its handler gets it as user data. */
const lastmodOf = (userData: unknown) => (userData as { lastmod?: string } | null)?.lastmod;

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 500, minutes: 60 },
  discover: { sitemaps: true },
  hooks: {
    beforeFetch: ({ url, userData }) => {
      const lastmod = lastmodOf(userData);
      return lastmod !== undefined && seen.get(url) === lastmod ? refuse('unchanged') : undefined;
    },
  },
  network,
});

let changed = 0;
crawler.on('html', async (page) => {
  const lastmod = lastmodOf(page.userData);
  if (lastmod === undefined) return;
  changed += 1;
  console.log(`${seen.has(page.url) ? 'changed' : 'new    '}  ${page.url}  ${page.title}`);
  seen.set(page.url, lastmod);
});

const report = await crawler.run();
// Written at the end: if a run fails, the next one requests its pages again.
writeFileSync(MEMORY, JSON.stringify([...seen]));
console.log(`Read again: ${changed}; as they were: ${report.outcomes['dropped']?.['hook-refused'] ?? 0}.`);
