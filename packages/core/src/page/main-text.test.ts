// The main text of a page is its article, line by line. A page that is too expensive to read is refused in time.

import { expect, it } from 'vitest';
import { readMainText } from './main-text.js';

const URL_OF_PAGE = 'https://example.com/';
const words = 'The tide rises and falls twice a day, and so do the crabs, which is why they are found there. ';

it('is the article, without navigation and footer, one line for each paragraph', async () => {
  const paragraphs = ['First', 'Second', 'Third'].map((name) => `<p>${name}. ${words.repeat(4)}</p>`).join('');
  const html = `<html><head><title>Crabs</title><meta name="author" content="Ann">
    <meta property="og:site_name" content="Shore news"></head><body>
    <nav><a href="/">Home page</a> <a href="/x">Other things</a></nav>
    <article><h1>Crabs</h1>${paragraphs}<script>globalThis.ran = true</script></article>
    <footer>Imprint of the shore</footer></body></html>`;
  const main = await readMainText(html, URL_OF_PAGE);
  expect(main).toMatchObject({ title: 'Crabs', byline: 'Ann', siteName: 'Shore news' });
  const lines = main?.text.split('\n') ?? [];
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['First.', 'Second.', 'Third.']);
  expect(lines[0]).toBe(`First. ${words.repeat(4)}`.trim());
  expect(main?.text).not.toMatch(/Home page|Imprint/);
  expect('ran' in globalThis).toBe(false);
});

it('a page without text has none', async () => {
  expect(await readMainText('<html><body></body></html>', URL_OF_PAGE)).toBeNull();
});

it.each([
  ['candidates of a picture', `<img src=a srcset="${'a'.repeat(1_000_000)} b">`],
  ['what looks like addresses of pictures', `<img data-a="${'.jpg'.repeat(500_000)} b">`],
  ['the name of what a page says', `<meta property="${' '.repeat(1_000_000)}" content=b>`],
])('takes time that is linear in %s', async (_what, markup) => {
  const html = `<body><article>${markup}${`<p>${words.repeat(4)}</p>`.repeat(3)}</article></body>`;
  expect((await readMainText(html, URL_OF_PAGE))?.text).toMatch(/^The tide/);
});

it.each([
  ['nests deep', '<div>a, b, c '.repeat(300)],
  ['nests deep and wide', `${'<div>a'.repeat(250)}${'</div>'.repeat(250)}`.repeat(100)],
  ['has very many elements', '<p>a</p>'.repeat(100_001)],
  ['repeats a long attribute', `<p><b content="${'a'.repeat(50_000)}">b</p>${'<p>a</p>'.repeat(1_000)}`],
])('a page that %s is refused', async (_what, html) => {
  await expect(readMainText(html, URL_OF_PAGE)).rejects.toMatchObject({ code: 'page-too-large' });
});
