// Moving from Scrapy: a spider that follows the next page and yields an item for each article (in comments), and the
// same crawl with Mannerly.
//
//   npx -y pnpm@10 example from-scrapy

import { createCrawler, type Sink } from 'mannerly';
import { network, seed } from './target.js';

// class ShorePipeline:                             ITEM_PIPELINES
//     def process_item(self, item, spider): …
const printer: Sink = {
  name: 'printer',
  open: async () => undefined, // open_spider
  write: async (items) => {
    for (const { data } of items) console.log(JSON.stringify(data));
  },
  close: async () => undefined, // close_spider
};

const crawler = createCrawler({
  // name = "shore"; USER_AGENT = "shore (+https://example.org/our-crawler)"
  identity: { name: 'shore', contact: 'https://example.org/our-crawler' },
  // start_urls, allowed_domains; LinkExtractor(allow=…, deny=…) are `include` and `exclude`
  scope: { seeds: [seed], within: 'domain', exclude: ['/*?print='] },
  // CLOSESPIDER_PAGECOUNT, CLOSESPIDER_TIMEOUT, DEPTH_LIMIT: at least one of the first two is required here
  bounds: { pages: 50, minutes: 10, depth: 3 },
  // ROBOTSTXT_OBEY = True, CONCURRENT_REQUESTS_PER_DOMAIN = 1: always. DOWNLOAD_DELAY and AUTOTHROTTLE_ENABLED: a
  // profile
  politeness: { profile: { factor: 2, minMs: 1_000, maxMs: 60_000 } },
  sinks: [printer],
  network,
});

// def parse(self, response):
//     yield {"url": response.url, "title": response.css("h1::text").get()}
//     yield from response.follow_all(css="ul a", callback=self.parse)
crawler.on('html', async (page) => {
  await page.emit({ url: page.url, title: page.$('h1').text() });
  await page.follow('ul a');
});

// callback=self.parse_article, cb_kwargs={…}   page.follow('ul a', { label: 'article', userData: {…} })
//                                              crawler.on('label:article', …)
// errback, handle_httpstatus_list              crawler.events.on('decision', …): each URL has one status and one reason
// raise CloseSpider("…"), IgnoreRequest        throw new StopCrawl('…'), throw new RefusePage('…')
// process_request of a middleware              hooks.beforeFetch, which may refuse and never permit

// scrapy crawl shore -s JOBDIR=shore -O items.jsonl    the same call continues; items are in shore/items.jsonl
const report = await crawler.run({ out: 'shore' });
console.log(`${report.state}: ${report.pages} pages, ${report.items} items`);
