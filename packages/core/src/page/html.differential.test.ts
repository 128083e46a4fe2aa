// The scan compared with a complete HTML parser (cheerio on parse5) on random pages: links, title, base, metas and
// refresh. Intended differences are not generated: tables, selects and framesets, whose content a tree builder moves or
// drops, and end tags inside SVG that belong to an element around it, which end the SVG only for a parser with a stack.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadDocument } from './cheerio.js';
import { readHtml } from './html.js';

const SEED = 20_261_120;

const text = fc.constantFrom(
  'word',
  ' ',
  '\n',
  '&amp;',
  '&lt;a href=/t&gt;',
  '&nbsp;',
  'ü',
  '<',
  '>',
  '&',
  '"',
  "'",
  '< ',
  '</',
  '<3',
  '&copy',
  '&#65;',
  '-->',
  ']]>',
);
const value = fc
  .array(fc.constantFrom('/a', 'b', '?x=1', '&amp;', '&y', '&copy=', '&auml;', '#f', ' ', '%20', 'ü', '.', '..', ';'), {
    maxLength: 5,
  })
  .map((parts) => parts.join(''));
const quoted = fc.oneof(
  value.map((v) => `"${v}'"`),
  value.map((v) => `'${v}"'`),
  value.map((v) => v.replace(/\s/g, '') || 'v'),
);
const attribute = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('href', 'HREF', 'src', 'rel', 'name', 'content', 'class', 'data-href', 'target'),
      fc.constantFrom('=', ' = ', '=\n'),
      quoted,
    )
    .map((parts) => parts.join('')),
  fc.constantFrom('href', 'rel', 'disabled', 'name=robots', 'http-equiv=refresh', 'rel="nofollow UGC"'),
);
const tag = fc
  .tuple(
    fc.constantFrom(
      'a',
      'A',
      'area',
      'base',
      'link',
      'meta',
      'div',
      'p',
      'span',
      'img',
      'b',
      'ul',
      'li',
      'abbr',
      'br',
      'h1',
    ),
    fc.array(attribute, { maxLength: 4 }),
    fc.constantFrom('>', ' >', '\n>', ' />'),
  )
  .map(([name, attributes, end]) => `<${[name, ...attributes].join(' ')}${end}`);
const endTag = fc.constantFrom(
  '</a>',
  '</div>',
  '</p>',
  '</span>',
  '</b>',
  '</ul>',
  '</A >',
  '</template>',
  '</svg>',
  '</nothing>',
);
const island = fc
  .tuple(
    fc.constantFrom('script', 'style', 'textarea', 'title', 'template', 'xmp', 'TITLE', 'div', 'noscript'),
    fc.array(fc.oneof(text, tag, endTag), { maxLength: 4 }),
  )
  .map(([name, inside]) => `<${name}>${inside.join('')}</${name}>`);
const vector = fc
  .array(
    fc.constantFrom(
      'word',
      '&amp;',
      '<title>icon</title>',
      '<a href=/svg></a>',
      '<g>',
      '<path/>',
      '<desc/>',
      '<style>p{}</style>',
      '<p>',
    ),
    { maxLength: 4 },
  )
  .map((inside) => `<svg>${inside.join('')}</svg>`);
const comment = fc
  .array(fc.oneof(text, tag), { maxLength: 3 })
  .map((inside) => `<!--${inside.join('').replaceAll('--', '')}-->`);
const page = fc
  .array(fc.oneof(text, tag, endTag, island, vector, comment), { maxLength: 20 })
  .map((parts) => `<!doctype html><body>${parts.join('')}`);

const trim = (value: string): string => value.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
const split = (value: string): string[] => value.match(/[^\t\n\f\r ]+/g) ?? [];

/** The same facts from the tree. `$` also searches templates, so their content is removed first. */
function byTree(html: string) {
  const $ = loadDocument(html, false);
  $('template').remove();
  const titles = $('title')
    .toArray()
    .filter((element) => $(element).closest('svg').length === 0)
    .map((element) => split($(element).text()).join(' '));
  return {
    title: titles.find((title) => title !== '') ?? null,
    baseHref: $('base[href]').first().attr('href'),
    links: $('a[href], area[href]')
      .toArray()
      .map((element) => ({
        href: trim($(element).attr('href') ?? ''),
        rel: split($(element).attr('rel')?.toLowerCase() ?? ''),
        element: element.tagName,
      })),
    metas: $('meta[name]')
      .toArray()
      .map((element) => ({ name: $(element).attr('name'), content: $(element).attr('content') ?? null })),
    refresh: $('meta[http-equiv=refresh][content]').first().attr('content') ?? null,
  };
}

/** A tree builder repeats unclosed links, so links are compared as a set. */
const asSet = (links: readonly unknown[]): string[] => [...new Set(links.map((link) => JSON.stringify(link)))].sort();
describe('the scan and a complete parser', () => {
  it('find the same in random pages', () => {
    fc.assert(
      fc.property(page, (html) => {
        const tree = byTree(html);
        const { title, baseHref, links, metas, refresh } = readHtml(html);
        expect({
          title,
          baseHref: baseHref ?? undefined,
          links: asSet(links),
          metas: metas.map(({ name, content }) => ({ name, content })),
          refresh,
        }).toEqual({
          ...tree,
          links: asSet(tree.links),
          baseHref: tree.baseHref === undefined ? undefined : trim(tree.baseHref),
        });
      }),
      { numRuns: 1500, seed: SEED },
    );
  });

  it('agree on every beginning of a page', () => {
    const html =
      '<!doctype html><title>A &amp; b</title><base href="/x/"><p><a rel=nofollow href="/a?b&amp;c">x</a><!-- y --><script>z</script>';
    for (let end = 15; end <= html.length; end += 1) {
      const part = html.slice(0, end);
      const { title, links } = readHtml(part);
      const tree = byTree(part);
      expect({ part, title, links: asSet(links) }).toEqual({ part, title: tree.title, links: asSet(tree.links) });
    }
  });
});
