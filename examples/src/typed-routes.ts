// Routes in one object: the kinds of pages, their user data, the shape of items, and a hook that refuses. A label
// without a route, wrong user data or a wrong item does not compile.

import { createCrawler, RetryPage, refuse } from 'mannerly';
import { z } from 'zod';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 20, depth: 4, minutes: 5 },
  hooks: {
    // A hook may refuse, never permit: robots.txt already allows these URLs.
    beforeFetch: ({ url }) => (url.includes('?') ? refuse('one view of each page is enough') : undefined),
  },
  network,
});

crawler.route({
  html: async (page) => {
    for (const [at, link] of page.links.entries()) {
      await page.add(link.url, { label: 'article', userData: { place: at + 1 } });
    }
  },
  'label:article': {
    userData: z.object({ place: z.number() }),
    item: z.object({ place: z.number(), title: z.string().max(7) }),
    async handle(page) {
      if (page.title === null) throw new RetryPage('no title yet', { afterMs: 60_000 });
      await page.emit({ place: page.userData.place, title: page.title });
      await page.follow('a', { label: 'article', userData: { place: 0 } });
    },
  },
});

crawler.events.on('item', ({ url, data }) => console.log(`${url}  ${JSON.stringify(data)}`));
crawler.events.on('item-rejected', ({ url, issues }) => console.log(`${url}  rejected: ${issues[0]?.message}`));
crawler.events.on('decision', ({ url, status, reason, detail }) => {
  if (status === 'dropped' && reason === 'hook-refused') console.log(`${url}  ${reason}: ${detail}`);
});

const report = await crawler.run();
console.log(`${report.state}: ${report.items} items, ${report.rejected ?? 0} rejected`);
