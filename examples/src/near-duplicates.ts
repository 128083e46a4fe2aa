// The same text at several URLs: a print view, a session in the query, a copy with one word changed. The crawl names
// the page that had the text first. The site is a fake, so that its copies are known.
//
//   npx -y pnpm@10 example near-duplicates

import { createCrawler } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';

const TIDES = `The tide comes in twice a day, and leaves pools between the rocks where crabs wait for it to return. Anemones
  close when the water goes, and open again with the first wave that reaches their ledge. Limpets return to the same place
  on the same rock, which their shells have worn to their shape, and hold on to it until the sea is back above them.`;
const BIRDS = `Gulls follow the plough inland when a storm keeps the boats in harbour. Oystercatchers pipe along the edge of
  the water and hammer mussels open on a stone. Terns dive for sand eels, and bring them to a colony that defends itself.`;

const web = createFakeWeb({
  hosts: {
    'shore.example': {
      pages: {
        '/': fakePage('Shore', ['/tides', '/tides?print=1', '/tides?session=77', '/birds']),
        '/tides': `<title>Tides</title><p>${TIDES}`,
        '/tides?print=1': `<title>Tides</title><p>${TIDES} Printed on 3 March 2026.`,
        '/tides?session=77': `<title>Tides</title><p>${TIDES}`,
        '/birds': `<title>Birds</title><p>${BIRDS}`,
      },
    },
  },
});

const { report } = await crawlInVirtualTime(web, (fakes) =>
  createCrawler({
    identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
    scope: { seeds: ['https://shore.example/'], within: 'host' },
    bounds: { pages: 10 },
    nearDuplicates: 'tell', // 'drop': no handler gets them, and their links are not followed
    ...fakes,
  }).on('html', async (page) => {
    console.log(page.similarTo === null ? page.url : `${page.url}  says what ${page.similarTo} says`);
    await page.follow();
  }),
);
for (const { url, pages } of report.duplicateText?.groups ?? []) console.log(`${pages} copies of ${url}`);
