// At stake: a document that shares its class with others must answer as one with its own class, and the class must not
// keep it in memory.

import { createRequire } from 'node:module';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cheerio, CheerioAPI } from 'cheerio';
import type { AnyNode } from 'domhandler';
import { describe, expect, it } from 'vitest';
import { loadDocument } from './cheerio.js';

const { load } = createRequire(import.meta.url)('cheerio') as typeof import('cheerio');
const HTML =
  '<!doctype html><title>T</title><main><ul class=l><li id=a>one<li><b>two</b><li>three</ul><noscript><i>n</i></noscript></main>';
const XML = '<?xml version="1.0"?><Feed><item Id="1"><t>a&amp;b</t></item><item Id="2"/></Feed>';
const OTHER = '<title>other</title><p><b>other</b></p>';

/** Queries that handlers make, each with a comparable answer. */
const QUESTIONS: Readonly<Record<string, ($: CheerioAPI) => unknown>> = {
  'a selector': ($) => $('li').length + $('item').length,
  'a selector within another': ($) => $('b', 'ul').text(),
  'a selector within a node': ($) => $('b, t', $('li, item').get(0)).length,
  'a selector within markup': ($) => $('b', '<p><b>x</b></p>').text(),
  'a selector within other markup as its root': ($) => $('b', null, '<p><b>x</b><b>y</b></p>').text(),
  'a selection of a selection': ($) => $($('li')).eq(1).html(),
  'a step and the way back': ($) => $('ul').find('li').first().end().end().length,
  'siblings and parents': ($) =>
    $('#a')
      .nextAll()
      .parent()
      .parents()
      .map((_, node) => nameOf(node))
      .get(),
  'a step to the root': ($) =>
    $('li, t')
      .first()
      .closest(':root')
      .map((_, node) => nameOf(node))
      .get(),
  'a filter by the root': ($) => $('*').filter(':root').length + $('*').not(':root').length,
  'steps made of steps': ($) => $('ul').children().slice(1).add('title').contents().text(),
  'a selector from a step': ($) =>
    $('li')
      .add('title, Feed')
      .map((_, node) => nameOf(node))
      .get(),
  'the root': ($) => $.root().children().length,
  'all of it as HTML': ($) => $.html(),
  'a part as HTML': ($) => $.html($('li, t')),
  'all of it as XML': ($) => $.xml(),
  'all of its text': ($) => $.text(),
  'the text of a part': ($) => $.text($('li, t')),
  'values by their selectors': ($) =>
    $.extract({ first: 'li', all: ['li, item'], root: { selector: ':root', value: 'outerHTML' } }),
  'markup parsed': ($) => $.parseHTML('<td>x</td><script>y</script><p>z').map((node) => $.html(node)),
  'whether one contains the other': ($) => {
    const [outer, inner] = [$('ul, Feed').get(0), $('li, item').get(0)];
    return outer !== undefined && inner !== undefined && [$.contains(outer, inner), $.contains(inner, outer)];
  },
  'selections merged': ($) => $.merge($('li').get(), $('title, t').get())?.length,
  'what is an instance': ($) => [$('li') instanceof $, $.root() instanceof $, {} instanceof $],
  'a node made of markup': ($) => $('<a href="/x">x</a>').attr('href'),
  'a change': ($) => {
    $('ul, Feed').append('<li>four</li>').prepend($('<li>zero</li>')).wrap('<section>').find('li').first().remove();
    $('li')
      .addClass('seen')
      .each((at, node) => void $(node).attr('data-at', String(at)));
    return $.html();
  },
  'a document of its own': ($) => $.load('<p>x')('p').text(),
  nothing: ($) => [$('').length, $('nothing').end().length, $('nothing').first().text()],
};

const nameOf = (node: AnyNode): string => ('name' in node ? node.name : node.type);

describe.each([
  ['HTML', HTML, false],
  ['XML', XML, true],
])('a document of %s', (_, text, isXml) => {
  const usual = () => load(text, isXml ? { xml: true } : { scriptingEnabled: false });

  it.each(Object.entries(QUESTIONS))('answers as one with its own class: %s', (_question, ask) => {
    const shared = loadDocument(text, isXml);
    loadDocument(OTHER, isXml);
    expect(ask(shared)).toEqual(ask(usual()));
  });

  it('uses its own root among others, step by step', () => {
    const [first, second] = [loadDocument(text, isXml), loadDocument(OTHER, isXml)];
    const steps = ($: CheerioAPI) => $('*').last().parent().closest(':root').find('*').length;
    expect([steps(first), steps(second), first.root()[0] === second.root()[0]]).toEqual([
      steps(usual()),
      steps(load(OTHER, isXml ? { xml: true } : {})),
      false,
    ]);
  });

  it('has the plugins that any document was given', () => {
    const plugins = loadDocument(OTHER, isXml).fn as unknown as { shout?: (this: Cheerio<AnyNode>) => string };
    plugins.shout = function shout() {
      return this.text().toUpperCase();
    };
    const $ = loadDocument(text, isXml);
    expect(($('li, t').first() as unknown as { shout(): string }).shout()).toBe(isXml ? 'A&B' : 'ONE');
    delete plugins.shout;
  });
});

it('is collected with the young objects once it is released', () => {
  const page = `<ul>${'<li><a href="/a/b/c">text of a link</a></li>'.repeat(4_000)}</ul>`;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;
  setFlagsFromString('--no-expose-gc');
  /** Bytes in the old generation after a few documents, each queried and dropped. */
  const oldBytesOf = (make: (text: string) => CheerioAPI): number => {
    expect(make(page)('a').length).toBe(4_000);
    // The memory of the first collection is swept lazily and counts until then; the second collection waits for it.
    for (let times = 0; times < 2; times += 1) collect({ type: 'major' });
    const before = oldBytes();
    for (let made = 0; made < 6; made += 1) {
      expect(make(page)('a').length).toBe(4_000);
      for (let times = 0; times < 3; times += 1) collect({ type: 'minor' });
    }
    return oldBytes() - before;
  };
  /** The maximum of three tries: a full collection at the wrong moment lowers the figure. */
  const maxOldBytesOf = (make: (text: string) => CheerioAPI) =>
    Math.max(...Array.from({ length: 3 }, () => oldBytesOf(make)));
  const usual = maxOldBytesOf((text) => load(text));
  expect(usual).toBeGreaterThan(6 * page.length);
  expect(maxOldBytesOf((text) => loadDocument(text, false))).toBeLessThan(usual / 2);
});

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
}
