// At stake: what `JSON.stringify` silently drops would be missing in every item, and noticed months later.

import * as cheerio from 'cheerio';
import { expect, it } from 'vitest';
import { jsonCopy } from './staged.js';

it.each<[string, unknown, RegExp?]>([
  ['a bigint', 1n],
  ['nothing', undefined],
  ['a function', () => undefined],
  ['a promise', Promise.resolve(1)],
  ['a Map', new Map()],
  ['a function that was not called', { text: () => 'x' }],
  ['a promise in a field', { text: Promise.resolve('x') }],
  ['a promise deep inside', { texts: [{ text: Promise.resolve('x') }] }],
  ['a Set in a field', { tags: new Set(['x']) }, / as `tags`: make it/],
  ['a bigint in a field', { price: 1n }, /a bigint as `price`: make it a number/],
  ['a selection', { title: cheerio.load('<h1>x</h1>')('h1') }, /selection as `title`: emit its `\.text\(\)`/],
])('an item is refused if it is or contains %s', (_, item, message = /^expected an item to be JSON, got /) => {
  expect(() => jsonCopy(item, 'an item')).toThrow(expect.objectContaining({ code: 'item-invalid' }));
  expect(() => jsonCopy(item, 'an item')).toThrow(message);
});

it('half an emoji is replaced, in texts and keys: DuckDB refuses a whole file of JSON lines for one', () => {
  const emoji = '\u{1f41a}';
  const item = { name: `shell ${emoji}`.slice(0, 7), tags: [emoji.slice(1), emoji], [emoji.slice(1)]: 'key' };
  const whole = { name: 'shell \ufffd', tags: ['\ufffd', emoji], '\ufffd': 'key' };
  expect(jsonCopy(item, 'an item')).toEqual(whole);
});

it('a text that only looks like half an emoji as JSON writes it stays as it is', () => {
  const texts = ['\\ud83d', '\\\\ud83d', '"\\ud83d\n\u0000', 'C:\\udders'];
  expect(jsonCopy([...texts, '\ud83d'], 'an item')).toEqual([...texts, '\ufffd']);
});
