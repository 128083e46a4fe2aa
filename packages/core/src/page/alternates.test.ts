/** Which alternate representations a page names. None must be invented. */
import { describe, expect, it } from 'vitest';
import type { HeaderLines } from '../fetch/outcome.js';
import { pageAlternates } from './alternates.js';
import { readHtml } from './html.js';

const PAGE = 'https://example.com/docs/page';
const of = (html: string, headers: HeaderLines = []) => pageAlternates(readHtml(html), headers, PAGE);

describe('pageAlternates', () => {
  it('names URL, type and language of link elements, against the base', () => {
    const html = `<base href=/en/><link rel="ALTERNATE" type="Text/Markdown" href="page.md#top">
      <link rel="alternate" hreflang=de href=/de/page><link rel=alternate href=plain>`;
    expect(of(html)).toEqual([
      { url: 'https://example.com/en/page.md', type: 'text/markdown', hreflang: null },
      { url: 'https://example.com/de/page', type: null, hreflang: 'de' },
      { url: 'https://example.com/en/plain', type: null, hreflang: null },
    ]);
  });

  it('names those of Link fields, against the page', () => {
    const field =
      '<page.md>; rel="alternate"; type="text/markdown", </x>; rel=next, <//cdn.example/p>; rel="x alternate"';
    expect(of('<base href=/en/>', [['Link', field]])).toEqual([
      { url: 'https://example.com/docs/page.md', type: 'text/markdown', hreflang: null },
      { url: 'https://cdn.example/p', type: null, hreflang: null },
    ]);
  });

  it.each([
    '<link rel="alternate stylesheet" href=a.css>',
    '<link rel=alternate>',
    '<link rel=alternate href="javascript:alert(1)">',
    '<link rel=canonical href=/other type=text/markdown>',
    '<template><link rel=alternate href=/t></template>',
  ])('leaves %s out', (html) => {
    expect(of(html)).toEqual([]);
  });

  it('names a URL twice only if its other fields differ', () => {
    const link = '<link rel=alternate href=/a type=text/markdown>';
    expect(of(`${link}${link}<link rel=alternate href=/a hreflang=fr>`)).toHaveLength(2);
  });
});
