// A crawl that stays open: a program requests pages one by one, whenever it needs them. Each is checked by robots.txt
// and waits for its host's turn. Here the URLs come from a list; in a service they would come from users.
//
//   npx -y pnpm@10 example crawl-on-demand

import { createCrawler } from 'mannerly';
import { network, seed } from './target.js';

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed] },
  bounds: { pages: 1_000 },
  network,
});

const wanted = new Map<string, (title: string) => void>();
crawler.on('html', (page) => wanted.get(page.url)?.(page.title ?? ''));
crawler.events.on('decision', ({ url, status, reason }) => {
  if (status !== 'fetched') wanted.get(url)?.(`${status}: ${reason}`);
});

/** The title of a page, or why there is none. */
function titleOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    wanted.set(url, resolve);
    crawler.add(url).catch(reject);
  });
}

const run = crawler.run({ keepOpen: true });
for (const path of ['/guides/tides', '/staff/rota', '/guides/limpets']) {
  console.log(`${path}  ${await titleOf(new URL(path, seed).href)}`);
}
crawler.stop();
const { requests } = await run;
console.log(`${requests} requests.`);
