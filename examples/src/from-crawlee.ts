// Moving from Crawlee: a list of articles and their pages, with its CheerioCrawler (in comments) and with Mannerly.
//
//   npx -y pnpm@10 example from-crawlee

import { createCrawler } from 'mannerly';
import { z } from 'zod';
import { network, seed } from './target.js';

// const crawler = new CheerioCrawler({ maxRequestsPerCrawl: 50, maxCrawlDepth: 2, respectRobotsTxtFile: true,
//   sameDomainDelaySecs: 1, requestHandler: router })
//   robots.txt and spacing are not options here. Identity, scope and bounds are required.
const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' }, // strategy: 'same-hostname'
  bounds: { pages: 50, depth: 2 },
  network,
});

crawler.route({
  // router.addDefaultHandler(async ({ enqueueLinks }) => {
  //   await enqueueLinks({ selector: 'ul a', label: 'article', userData: { list: 'front' } })
  // })
  html: async (page) => {
    await page.follow('ul a', { label: 'article', userData: { list: 'front' } });
  },
  // router.addHandler('article', async ({ $, request, pushData }) => {
  //   await pushData({ url: request.loadedUrl, title: $('h1').text(), list: request.userData.list })
  // })
  'label:article': {
    userData: z.object({ list: z.string() }), // checked, and page.userData has its type
    item: z.object({ url: z.string(), title: z.string().min(1), list: z.string() }),
    async handle(page) {
      await page.emit({ url: page.url, title: page.$('h1').text(), list: page.userData.list });
    },
  },
});

// crawler.addRequests([...]) during a run   page.add(url, { label, userData })
// failedRequestHandler                      crawler.events.on('decision', …): word `failed`, and the reason
// preNavigationHooks                        hooks.beforeFetch, which may refuse and never permit
// throw new NonRetryableError(), retries    throw new RefusePage(…), throw new RetryPage(…)
// storage/datasets/default                  <out>/items.jsonl; more with `sinks`
// CRAWLEE_PURGE_ON_START=0                  run({ out }) continues by itself; `reset: true` starts over

crawler.events.on('item', ({ data }) => console.log(JSON.stringify(data)));

// await crawler.run(['https://example.org/'])
const report = await crawler.run({ out: 'articles' });
console.log(`${report.state}: ${report.items} items`);
