// A link checker: it reads every page of a host, requests links to other hosts once, and lists broken links with the
// page that has them. robots.txt and spacing apply to checks too. docs/tasks/site-audit.md lists all pages with a link.
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
  if (new URL(page.url).host !== host) return;
  // `follow` would skip links to PDFs and pictures. Their bodies are not read here, because no route takes them.
  for (const { url, isNofollow } of page.links) if (!isNofollow) await page.add(url);
});

// These handlers get answers that are not pages, before their URLs fail.
const report = ({ status, url, from }: HandledPage): void => {
  broken += 1;
  console.log(`${status}  ${url}  linked by ${from ?? 'a seed'}`);
};
crawler.on('status:4xx', report);
crawler.on('status:5xx', report);

const { pages, outcomes } = await crawler.run();
const unanswered = Object.values(outcomes['failed'] ?? {}).reduce((sum, count) => sum + count, 0) - broken;
console.log(`${pages} pages requested, ${broken} links are broken, ${unanswered} hosts or pages did not answer.`);
