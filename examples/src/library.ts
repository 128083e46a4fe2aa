// One more host next to the town's, for the examples: a library with a section of guides, and a sitemap that says when
// each page changed.

import { host, page, sitemap, type TownHost, text } from './demo/plan.js';

/** The library, at `library.test`. Never throws. */
export function library(port: number): TownHost {
  const at = (path: string): string => `http://library.test:${port}${path}`;
  return host('library.test', 'A section of guides, and a sitemap with dates.', {
    '/robots.txt': text(`User-agent: *\nDisallow: /staff/\nSitemap: ${at('/sitemap.xml')}\n`),
    '/sitemap.xml': sitemap([
      [at('/guides/tides'), '2026-03-01'],
      [at('/guides/crabs'), '2026-04-12'],
    ]),
    '/': page('The library', ['/guides/', '/opening-hours', '/staff/rota']),
    '/guides/': page('Guides', ['/guides/tides', '/guides/crabs', '/']),
    '/guides/tides': page('Reading the tides', ['/guides/crabs', '/opening-hours']),
    '/guides/crabs': page('Crabs of the shore', ['/guides/']),
    '/opening-hours': page('Opening hours', ['/', '/prices']),
  });
}
