// A link checker: every page of a host is read, links to other hosts are requested once and not followed, and what does
// not answer with a page is listed with the page that links to it. robots.txt and spacing hold for checks too.
//
//   npx -y pnpm@10 example check-links

import { createCrawler, type HandledPage } from 'mannerly';
import { network, seed } from './target.js';

const { host } = new URL(seed);
let broken = 0;

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'any' },
  bounds: { pages: 200, depth: 20 },
  network,
});

crawler.on('html', async (page) => {
  if (new URL(page.url).host === host) await page.follow();
});

// Answers that are no pages have failed all the same; these handlers see them before that is said.
const report = ({ status, url, from }: HandledPage): void => {
  broken += 1;
  console.log(`${status}  ${url}  linked by ${from ?? 'a seed'}`);
};
crawler.on('status:4xx', report);
crawler.on('status:5xx', report);

const { pages, outcomes } = await crawler.run();
const unanswered = Object.values(outcomes['failed'] ?? {}).reduce((sum, count) => sum + count, 0) - broken;
console.log(`${pages} pages requested, ${broken} links are broken, ${unanswered} hosts or pages did not answer.`);
