// Pages that need scripts: opened in your Chromium, while the crawl requests everything that they load. Each is
// scrolled to its end, with a screenshot, before its handler gets it.
//
//   CHROMIUM=/usr/bin/chromium node examples/dist/pages-in-a-browser.js

import { createCrawler } from 'mannerly';
import { browserFetcher } from 'mannerly/browser';
import { chromium } from 'playwright-core';
import { network, seed } from './target.js';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
// Flags that containers need: `--no-sandbox --disable-dev-shm-usage --disable-gpu`.
const ownFlags = process.env['CHROMIUM_OWN_FLAGS']?.split(' ') ?? [];

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 2, minutes: 5 },
  network,
  fetcher: browserFetcher({
    launch: (flags) => chromium.launch({ executablePath, args: [...flags, ...ownFlags] }),
    // Scripts of a page wait for their host's turn, so load no more than the page needs.
    requests: 20,
    pageMs: 120_000,
    steps: 20,
  }),
});

crawler.route({
  html: {
    async inBrowser(tab) {
      while ((await tab.scroll()) === 'done');
      await tab.screenshot({ fullPage: true });
    },
    async handle(page) {
      const { endedBy, subresources } = page.rendering ?? {};
      console.log(`${page.url}  ${page.title}  ${endedBy}, ${subresources?.loaded} things loaded`);
      for (const [reason, count] of Object.entries(subresources?.refused ?? {}))
        console.log(`  ${count} left: ${reason}`);
      const picture = await page.screenshot(undefined, { folder: 'pictures' });
      if (picture.kind === 'saved') console.log(`  ${picture.path}  ${picture.bytes} bytes`);
      await page.follow();
    },
  },
});

const report = await crawler.run();
console.log(`${report.state}: ${report.pages} pages, ${report.requests} requests`);
