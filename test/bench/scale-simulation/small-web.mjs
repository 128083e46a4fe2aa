// The web of `pnpm bench scale` for the simulation: the same pages with the same links, and a server that is one
// process.

import { createWeb } from '../crawl/web.mjs';

const PORT = 8_080;
const utf8 = new TextEncoder();

/**
 * @param options `hosts`, `pages`; `server`: a process of a machine; `answerUs`: its work for one page
 * @returns a web for `crawl-process.mjs`, with its `seeds` and the number of its `pages`
 */
export function createSmallWeb({ hosts, pages, server, answerUs }) {
  const web = createWeb({ hosts, pages, port: PORT });
  const known = new Set(web.hostNames.map((name) => `${name}:${PORT}`));
  const numberOf = new Map(web.hostNames.map((name, host) => [name, host]));
  const robots = utf8.encode(web.robots);
  return {
    seeds: web.seeds,
    pages: hosts * pages,
    bytes: 30_000,
    robotsOf: () => robots,
    started: () => undefined,
    ended: () => undefined,
    exchange: (work) => server.run(work.kind === 'robots' ? answerUs / 3 : answerUs),
    linksOf(text) {
      const page = new URL(text);
      const html = web.html(numberOf.get(page.hostname), web.paths.get(page.pathname + page.search));
      const found = new Set();
      for (const [, href] of html.matchAll(/<a class="link" href="([^"]*)"/g)) {
        const url = new URL(href.replaceAll('&amp;', '&'), page);
        url.hash = '';
        if (known.has(url.host)) found.add(url.href);
      }
      return [...found];
    },
  };
}
