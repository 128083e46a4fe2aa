// What a page says about itself reaches its handler on request, and costs no request to the site.

import { expect, it } from 'vitest';
import { crawl } from '../support/crawl.js';
import { text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

/** It has no table of its objects: PDF.js finds them. */
const PDF = `%PDF-1.4
1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj
2 0 obj\n<< /Type /Pages /Kids [4 0 R] /Count 1 >>\nendobj
3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj
4 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>\nendobj
5 0 obj\n<< /Length 44 >>\nstream\nBT /F1 12 Tf 72 720 Td (Flut um sechs) Tj ET\nendstream\nendobj
trailer\n<< /Root 1 0 R >>
%%EOF
`;
const ARTICLE = `<!doctype html><html lang=de-at><head><title>Krabben</title>
  <link rel=alternate type=text/markdown href=/krabben.md>
  <meta property="og:image" content="/krabbe.png">
  <script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Krabben"}</script>
  <nav><a href=/gezeiten.pdf>Gezeiten</a></nav>
  <article><h1>Krabben</h1>${'<p>Die Krabben der Küste laufen seitwärts, und niemand fragt sie, warum sie das tun. Sie tun es.</p>'.repeat(8)}</article>`;

it('language, structure, main text, alternates and the text of a PDF, without a request', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text(''),
        '/': { body: ARTICLE, headers: { 'content-type': 'text/html; charset=utf-8', 'content-language': 'fr' } },
        '/gezeiten.pdf': { body: PDF, headers: { 'content-type': 'application/pdf' } },
      },
    },
  });
  const { report, items, requests } = await crawl({
    seeds: [web.url('a.test')],
    handlers: (crawler) => {
      crawler.on('html', async (page) => {
        const { jsonLd, openGraph } = await page.structured();
        const main = await page.mainText();
        const [alternate] = page.alternates;
        const lines = main?.text.split('\n').length;
        await page.emit({ jsonLd, openGraph, title: main?.title, lines, language: page.language, md: alternate?.type });
        await expect(page.pdfText()).rejects.toMatchObject({ code: 'page-not-pdf' });
        await page.follow();
      });
      crawler.on('pdf', async (page) => {
        await page.emit({ language: page.language, ...(await page.pdfText()) });
        // The bytes are still the page's own.
        expect((await page.bytes()).length).toBe(page.bodyBytes);
        await expect(page.mainText()).rejects.toMatchObject({ code: 'page-not-markup' });
      });
    },
  });
  expect(items.map(({ data }) => data)).toEqual([
    {
      jsonLd: [{ '@context': 'https://schema.org', '@type': 'Article', headline: 'Krabben' }],
      openGraph: { 'og:image': ['/krabbe.png'] },
      title: 'Krabben',
      lines: 8,
      language: 'de-AT',
      md: 'text/markdown',
    },
    { language: null, text: expect.stringMatching(/^Flut um sechs\s+$/), pages: 1, truncated: false },
  ]);
  expect(report.outcomes).toMatchObject({ fetched: { fetched: 2 } });
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(['/robots.txt', '/', '/gezeiten.pdf']);
});
