// Structured data of pages is read as written, and hostile pages lead to reported problems.

import { expect, it } from 'vitest';
import { readStructuredData } from './structured-data.js';

const json = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const CUP = { '@context': 'https://schema.org', '@type': ['Product', 'Thing'], name: 'Cup' };

it('JSON-LD, microdata, RDFa Lite and OpenGraph', async () => {
  const html = `<html><head>
    <meta property="og:title" content="Cups"><meta property="og:image" content="/a.png">
    <meta property="og:image" content="/b.png"><meta name="twitter:card" content="summary"><meta name="robots" content="all">
    ${json(CUP)}${json({ '@context': 'https://schema.org', '@graph': [{ '@type': 'Person', name: 'Ann' }] })}
    </head><body>
    <div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Cup</b>
      <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="3"></div></div>
    <p vocab="https://schema.org/" typeof="Place"><b property="name">Shore</b></p></body></html>`;
  const found = await readStructuredData(html);
  expect(found.jsonLd).toEqual([CUP, expect.objectContaining({ '@type': 'Person', name: 'Ann' })]);
  expect(found.microdata).toMatchObject([
    { '@type': 'Product', name: 'Cup', offers: { '@type': 'Offer', price: '3' } },
  ]);
  expect(found.rdfa).toMatchObject([{ '@type': 'Place', name: 'Shore' }]);
  expect(found.openGraph).toEqual({
    'og:title': ['Cups'],
    'og:image': ['/a.png', '/b.png'],
    'twitter:card': ['summary'],
  });
});

it.each([
  ['without a tag of its head', '<!doctype html><title>t</title><meta property=og:title content=Cups><p>x'],
  ['in its body', '<html><head></head><body><meta property="og:title" content="Cups"></body></html>'],
  ['with another name', '<head><meta name="description" property="og:title" content="Cups"></head>'],
  ['with capitals', '<HEAD><META PROPERTY="og:title" CONTENT="Cups"></HEAD>'],
])('OpenGraph of a page %s', async (_what, html) => {
  expect((await readStructuredData(html)).openGraph).toEqual({ 'og:title': ['Cups'] });
});

it('unreadable data is a problem, and the rest is returned', async () => {
  const found = await readStructuredData(`<script type="application/ld+json">{ broken</script>${json(CUP)}`);
  expect(found.jsonLd).toEqual([CUP]);
  expect(found.problems).toEqual([expect.stringMatching(/^jsonld: /)]);
});

it.each([
  json({ '@context': 'x', '@type': '__proto__', polluted: 1 }),
  '<div itemscope itemtype="https://a/__proto__"><b itemprop="polluted">x</b></div>',
  '<p vocab="https://a/" typeof="__proto__"><b property="polluted">x</b></p>',
  '<i itemscope itemtype="https://a/B"><b itemprop="__proto__" itemscope itemtype="https://a/C"><b itemprop="polluted">x',
  json([null]),
])('a hostile page changes nothing: %s', async (html) => {
  const found = await readStructuredData(html);
  expect(found.problems.length).toBeGreaterThan(0);
  expect('polluted' in {}).toBe(false);
});

it('items that nest without end are a problem', async () => {
  const found = await readStructuredData('<div itemscope itemtype="https://a/B" itemprop=c>'.repeat(100_000));
  expect(found).toMatchObject({ microdata: [], problems: [expect.stringContaining('unreadable')] });
});

const item = (type: string, inside = '') =>
  `<div itemscope itemtype="${type}" vocab=b typeof="${type}" itemprop="a b">${inside}</div>`;

it.each([
  ['letters', 'a'],
  ['slashes', '/'],
])('takes linear time for a type of %s, which is invalid', async (_what, letter) => {
  const html = item(letter.repeat(1_000_000)) + item('https://schema.org/Cup', '<b itemprop=name>Red</b>');
  const { microdata, rdfa } = await readStructuredData(html);
  expect(microdata).toMatchObject([{ '@type': 'Cup', name: 'Red' }]);
  expect(rdfa).toMatchObject([{ '@type': 'Cup' }]);
});

it('takes time that is linear in white space', async () => {
  const html = json(CUP).replace(/,/g, `,${' '.repeat(1_000_000)}`);
  expect((await readStructuredData(html)).jsonLd).toEqual([CUP]);
});

it('has no items that are too large as JSON, and none that nest too deep for it', async () => {
  let doubled = '';
  for (let times = 0; times < 40; times += 1) doubled = item('https://schema.org/Cup', doubled);
  const deep = `{"@context":"a","@type":"b","c":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const html = `${json(CUP)}<script type="application/ld+json">${deep}</script>${doubled}`;
  const found = await readStructuredData(html);
  expect(found).toMatchObject({ jsonLd: [CUP], microdata: [] });
  expect(found.problems).toContain('jsonld: items too large: 1');
  expect(found.problems).toContain('microdata: items too large: 1');
});
