// The lean tree equals that of parse5's own adapter, node by node, on thousands of damaged pages.

import { createRequire } from 'node:module';
import type { AnyNode, ParentNode } from 'domhandler';
import { describe, expect, it } from 'vitest';
import { createRandom, damagedPage, islandsAndDamage, PAGES } from '../../test-support/page-mutations.js';
import { loadDocument } from './cheerio.js';

const PAGE_COUNT = 400;
const SEED = 20_261_122;
const { load } = createRequire(import.meta.url)('cheerio') as typeof import('cheerio');

/** Characters that end a run of others or change its meaning, and some that do not. */
const CHARACTERS = [
  ...['a', 'Bc', 'long enough to be cut from the page', ' ', '  ', '\n', '\r', '\r\n', '\r\n\n', '\t', '\f', '\0'],
  ...['&', '&amp;', '&nbsp', '&#x1f600;', ';', '<', '>', '"', "'", '-', '--', '=', '/', '!', 'é', '😀', '\ud83d'],
];
/** Contexts of the characters. */
const PLACES = [
  ...[
    '<!doctype html>%',
    '<title>%</title>',
    '<script>%</script>',
    '<style>%</style>',
    '<textarea>%</textarea>',
    '<pre>%',
  ],
  ...['<p %>', '<p x="%">', "<p x='%'>", '<p x=%>', '<p%>', '<!--%-->', '<!%>', '</p%>', '<table>%<tr>%<td>%</table>'],
  ...['<select><option>%</select>', '<svg>%<![CDATA[%]]><title>%</title></svg>', '<b>%<p>%</b>%', '<template>%'],
  ...['<frameset>%<frame>%</frameset>%', '<noscript>%</noscript>', '<xmp>%</xmp>', '</body>%', '</html>%'],
];

/** Every node as lines: its type, its content, and whether its links to its neighbours are right. */
function* nodesOf(parent: ParentNode, depth = 0): Generator<unknown> {
  let previous: AnyNode | null = null;
  for (const node of parent.children) {
    const { type, prev } = node;
    const isLinked = prev === previous && node.parent === parent && (previous === null || previous.next === node);
    const said =
      'attribs' in node
        ? { name: node.name, namespace: node.namespace, attributes: node.attributes, attribs: { ...node.attribs } }
        : { data: 'data' in node ? node.data : null };
    yield { depth, type, isLinked, ...said };
    if ('children' in node) yield* nodesOf(node, depth + 1);
    previous = node;
  }
  yield { depth, ends: (previous?.next ?? null) === null };
}

function expectSameTree(html: string): void {
  const lean = loadDocument(html, false);
  const usual = load(html, { scriptingEnabled: false });
  expect({ html, nodes: [...nodesOf(lean.root()[0] as ParentNode)] }).toEqual({
    html,
    nodes: [...nodesOf(usual.root()[0] as ParentNode)],
  });
  expect(lean.html()).toBe(usual.html());
}

describe('the lean tree', () => {
  it.each(PAGES.map((html, index) => [index, html] as const))(
    'is the same as the usual adapter’s: page %i',
    (_, html) => {
      expectSameTree(html);
    },
  );

  it.each([
    ['damaged pages', damagedPage],
    ['pages with SVG and MathML', islandsAndDamage],
  ])('is the same as the usual adapter’s: %s', (_, page) => {
    const random = createRandom(SEED);
    for (let count = 0; count < PAGE_COUNT; count += 1) expectSameTree(page(random));
  });

  it('is the same as the usual adapter’s: characters with a meaning, wherever they are', () => {
    const random = createRandom(SEED);
    const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? '';
    for (let count = 0; count < PAGE_COUNT; count += 1) {
      const text = () => Array.from({ length: 12 }, () => pick(CHARACTERS)).join('');
      expectSameTree(PLACES.map((place) => (random() < 0.5 ? place.replaceAll('%', text) : text())).join(''));
    }
  });

  it('adopts the attributes of a second html and body, and keeps those of SVG with their namespaces', () => {
    expectSameTree('<html a=1><body b=1><p>x<html a=2 c=3><body b=2 d=4><svg><a xlink:href="/x" title=t></a></svg>');
  });

  it('has no attribute names but those in the page', () => {
    const $ = loadDocument('<p>a</p><p constructor="c" __proto__="p" toString>b</p>', false);
    expect($('[constructor]').length).toBe(1);
    expect($('p').first().attr('constructor')).toBeUndefined();
    expect($('p').first().attr('toString')).toBeUndefined();
    expect(Object.keys($('p').last().attr() ?? {})).toEqual(['constructor', '__proto__', 'tostring']);
    expect($.html()).toContain('<p constructor="c" __proto__="p" tostring="">');
  });

  it('can be modified like any other', () => {
    const $ = loadDocument('<ul><li>a</li></ul>', false);
    $('ul').append('<li class="new">b</li>').prepend($('<li>0</li>'));
    $('li').first().remove();
    $('li').attr('data-x', '1').addClass('seen');
    expect($('ul').html()).toBe('<li data-x="1" class="seen">a</li><li class="new seen" data-x="1">b</li>');
    expect($('ul').clone().find('li').length).toBe(2);
  });
});
