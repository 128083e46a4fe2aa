// What becomes of each page. The crawl finds this file by `handlers` in mannerly.config.json; the test next to it
// imports it.

import type { ReplayRoutes } from 'mannerly';

/** Registers the handlers: for a crawl, or for `mannerly replay`. */
export function handlers(crawler: ReplayRoutes): void {
  crawler.route({
    html: async (page) => {
      // One item per page, a line of items.jsonl.
      await page.emit({ url: page.url, title: page.title, heading: page.$('h1').first().text() });
      // Then every link; page.follow('nav a') would take some of them.
      await page.follow();
    },
  });
}
