// Items into a search index, with your own sink. A page whose process died is handled again and yields the same ids.
// The document has the item's id, so writing it twice has no effect. docs/sinks.md has the contract, and a suite for
// it.
//
//   INDEX_URL=http://127.0.0.1:9200/pages npx -y pnpm@10 example sink-of-your-own

import { createCrawler, type Sink } from 'mannerly';
import { network, seed } from './target.js';

/** Writes to an index of OpenSearch or Elasticsearch, whose address is `url`. */
export function searchIndexSink(url: string): Sink {
  return {
    name: `index ${url}`,
    async open() {
      const answer = await fetch(url, { method: 'HEAD' });
      // An error here ends the run before any page is requested.
      if (!answer.ok) throw new Error(`there is no index at ${url}: status ${answer.status}`);
    },
    async write(items) {
      if (items.length === 0) return;
      const lines = items.flatMap(({ id, url: page, fetchedAtMs, expiresAtMs, preferences, data }) => [
        { index: { _id: id } },
        // Store expiry and preferences with the item: its users have to respect them.
        { page, fetchedAtMs, expiresAtMs, preferences, data },
      ]);
      const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const answer = await fetch(`${url}/_bulk?refresh=wait_for`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body,
      });
      // A rejection ends the run, and nothing is lost: the page is requested again.
      const { errors } = (await answer.json()) as { errors?: boolean };
      if (!answer.ok || errors === true) throw new Error(`the index took no items: status ${answer.status}`);
    },
    close: async () => undefined,
  };
}

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  sinks: [searchIndexSink(process.env['INDEX_URL'] ?? 'http://127.0.0.1:9200/pages')],
  network,
});
crawler.on('html', async (page) => {
  await page.emit({ title: page.title, text: page.excerpt(page.$('body').text(), 300) });
  await page.follow();
});
const report = await crawler.run();
console.log(`${report.items} items are in the index.`);
