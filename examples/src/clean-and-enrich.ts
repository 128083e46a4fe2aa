// Stages: functions between the handler and the sinks that clean, drop, divide and enrich items. Each is a function of
// one item and its page. The report counts its results under its name.
//
//   npx -y pnpm@10 example clean-and-enrich

import { createCrawler, type ItemStage, memorySink } from 'mannerly';
import { network, seed } from './target.js';

interface Section {
  title: string;
  links: string[];
}

/** Cleans: removes white space, and the text that all titles share. */
const tidy: ItemStage<Section> = (item) => ({ ...item, title: item.title.trim().replace(/^The /, '') });

/** Drops pages without links. */
const leading: ItemStage<Section> = (item) => (item.links.length === 0 ? null : item);

/** Enriches with facts about the page. It may wait for a database or another service. */
const dated: ItemStage<Section> = async (item, page) => ({
  ...item,
  on: new Date(page.fetchedAtMs),
  depth: page.depth,
});

/** Divides: one item for each link. Their ids end in `/0`, `/0.1`, `/0.2`, in every run. */
const byLink: ItemStage<Section> = ({ links, ...item }) => links.map((link) => ({ ...item, link }));

const sink = memorySink();
const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  items: [tidy, leading, dated, byLink],
  sinks: [sink],
  network,
});
crawler.on('html', async (page) => {
  await page.emit({ title: ` ${page.title} `, links: page.links.map(({ url }) => url) });
  await page.follow();
});
const report = await crawler.run();

for (const { id, data } of sink.items) {
  const { title, link, depth } = data as { title: string; link: string; depth: number };
  console.log(`${id.replace(/^.*\/(?=\d)/, '…/')}  ${title} (${depth}) → ${new URL(link).pathname}`);
}
for (const { name, dropped, ...stage } of report.stages ?? []) {
  console.log(`${name}: ${stage.in} in, ${stage.out} out, ${dropped} dropped`);
}
