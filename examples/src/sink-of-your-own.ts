// Items into a search index, by a sink of one's own. A page whose process died is handled again and yields the same
// ids, so the id is the document's: writing it twice is writing it once. docs/sinks.md has the contract, and a suite
// for it.
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
      // What is wrong at the start ends the run before anybody was asked for a page.
      if (!answer.ok) throw new Error(`there is no index at ${url}: status ${answer.status}`);
    },
    async write(items) {
      if (items.length === 0) return;
      const lines = items.flatMap(({ id, url: page, fetchedAtMs, expiresAtMs, preferences, data }) => [
        { index: { _id: id } },
        // Expiry and preferences go where the item goes: anyone who keeps it has to heed them.
        { page, fetchedAtMs, expiresAtMs, preferences, data },
      ]);
      const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const answer = await fetch(`${url}/_bulk?refresh=wait_for`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body,
      });
      // A rejection ends the run, and nothing is lost: the page comes again.
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
