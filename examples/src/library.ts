// An additional host for the examples: a library with a section of guides, and a sitemap that says when each page
// changed.

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
    '/opening-hours': fresh(page('Opening hours', ['/', '/prices'])),
    '/gallery': { ...page('Gallery', []), body: gallery() },
    '/pictures/crab.gif': { ...text('GIF89a: a crab'), headers: { 'content-type': 'image/gif' } },
    '/pictures/crab-again.gif': { ...text('GIF89a: a crab'), headers: { 'content-type': 'image/gif' } },
    '/pictures/limpet.gif': { ...text('GIF89a: a limpet'), headers: { 'content-type': 'image/gif' } },
  });
}

/** Pictures: one is there twice, one is disallowed, one is gone. */
function gallery(): string {
  const names = ['pictures/crab', 'pictures/crab-again', 'pictures/limpet', 'staff/portrait', 'pictures/gone'];
  const figures = names.map((name) => `<figure><img src="/${name}.gif" alt=""></figure>`);
  return `<!doctype html><html><head><title>Gallery</title></head><body>${figures.join('')}</body></html>`;
}

/** An answer that is fresh for an hour, and can be revalidated afterwards. */
function fresh(answer: ReturnType<typeof page>): ReturnType<typeof page> {
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'max-age=3600', etag: '"hours-1"' } };
}

/** A newspaper at `shore.test`, whose pages have structured data. Never throws. */
export function shore(): TownHost {
  return host('shore.test', 'Articles with a language, JSON-LD and a footer.', {
    '/robots.txt': text('User-agent: *\nDisallow: /fonts/\nDisallow: /drafts/\n'),
    '/style.css': file('text/css', '@font-face { src: url(/fonts/shore.woff2) } body { background: url(wave.svg) }'),
    '/feed.xml': file('application/rss+xml', feed()),
    '/wave.svg': file('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    '/': article('The tide comes twice', ['/crabs']),
    '/crabs': article('Crabs of the shore', ['/']),
  });
}

function file(type: string, body: string): ReturnType<typeof text> {
  return { ...text(body), headers: { 'content-type': type } };
}

/** Two articles, one of them disallowed. */
function feed(): string {
  const entries = [
    ['Crabs of the shore', '/crabs', 'Sun, 12 Apr 2026 08:00:00 GMT'],
    ['Gulls', '/drafts/gulls', 'Mon, 13 Apr 2026 08:00:00 GMT'],
  ];
  const items = entries.map(
    ([title, path, date]) => `<item><title>${title}</title><link>${path}</link><pubDate>${date}</pubDate></item>`,
  );
  return `<rss version="2.0"><channel><title>The shore</title>${items.join('')}</channel></rss>`;
}

function article(title: string, links: readonly string[]): ReturnType<typeof page> {
  const about = { '@context': 'https://schema.org', '@type': 'NewsArticle', headline: title };
  const paragraph = `<p>${title}. ${'The sea rises and falls, and what lives there follows it, day and night. '.repeat(6)}</p>`;
  const body = `<!doctype html><html lang="en-gb"><head><title>${title}</title><link rel="stylesheet" href="/style.css">
    <link rel="alternate" type="application/rss+xml" href="/feed.xml">
    <script type="application/ld+json">${JSON.stringify(about)}</script></head><body>
    <nav>${links.map((link) => `<a href="${link}">More</a>`).join(' ')}</nav>
    <article><h1>${title}</h1>${paragraph.repeat(3)}</article><footer>Imprint</footer></body></html>`;
  return { ...page(title, links), body };
}
