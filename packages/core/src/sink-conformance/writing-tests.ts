// Guarantees about what is written: all of it, once, in order, as it was.

import type { JsonValue } from '@mannerly/frontier';
import { assertEqual } from '../fetcher-conformance/assert.js';
import { assertHolds, assertKept, item, opened, page, type SinkTest, session } from './sink-test.js';

const LONG = 'ü"\n,'.repeat(100_000);

/** What handlers emit: any JSON. */
const DATA: readonly JsonValue[] = [
  { text: 'plain' },
  {},
  { text: '' },
  { text: 'a "quoted" text, with commas; and\ttabs' },
  { text: 'line\nbreaks\r\nof every\rkind\u2028' },
  { text: 'Grüße, 日本語, 🦆, \u0000, \u001f' },
  { '': 'an empty key', 'a,b': 1, 'a"b': 2, ' spaced ': 3 },
  { id: 'not ours', url: 'https://example.org/other', fetchedAt: 0, data: 1 },
  { nested: { deep: [1, [2, { three: null }]] }, list: [] },
  { n: 0, negative: -1.5, large: 1e21, yes: true, no: false, nothing: null },
  { text: '=1+1', other: '@x' },
  ['a', 'list'],
  'a text',
  17,
  false,
  null,
];

/** The tests. */
export function writingTests(): SinkTest[] {
  return [
    {
      title: 'keeps every item of every page, in the order in which they were written',
      async run(medium) {
        await session(medium, page('a', 3), page('b', 1), page('c', 2));
        await assertHolds(medium, ['a/0', 'a/1', 'a/2', 'b/0', 'c/0', 'c/1'], 'ids after one session');
      },
    },
    {
      title: 'keeps what handlers emit, whatever JSON it is, with its URL',
      async run(medium, capabilities) {
        const items = DATA.map((data, at) => item(`d/${at}`, data));
        for (const written of items) await session(medium, [written]);
        const kept = await medium.read();
        assertEqual(kept.length, items.length, 'items kept');
        for (const [at, written] of items.entries()) assertKept(kept[at], written, capabilities);
      },
    },
    {
      title: 'keeps an item of four hundred thousand characters whole',
      async run(medium, capabilities) {
        const long = item('long/0', { text: LONG });
        await session(medium, [long], page('after', 1));
        assertKept((await medium.read())[0], long, capabilities);
        await assertHolds(medium, ['long/0', 'after/0'], 'ids around a long item');
      },
    },
    {
      title: 'keeps what the site requires of those who store it: expiry and use preferences',
      async run(medium, capabilities) {
        const restricted = item(
          'w/0',
          { n: 1 },
          {
            expiresAtMs: Date.UTC(2027, 0, 1),
            preferences: { 'train-ai': 'disallow', search: 'allow' },
          },
        );
        const plain = item('w/1', { n: 2 });
        await session(medium, [restricted, plain]);
        const kept = await medium.read();
        assertKept(kept[0], restricted, capabilities);
        assertKept(kept[1], plain, capabilities);
      },
    },
    {
      title: 'takes an item that is written again for the one it has',
      async run(medium) {
        await session(medium, page('a'), page('b'), page('a'), [...page('b'), ...page('c')]);
        await assertHolds(medium, ['a/0', 'a/1', 'b/0', 'b/1', 'c/0', 'c/1'], 'ids after pages came again');
      },
    },
    {
      title: 'takes an item that a page names twice for one',
      async run(medium) {
        await session(medium, [item('a/0'), item('a/1'), item('a/0')]);
        await assertHolds(medium, ['a/0', 'a/1'], 'ids of a page that repeats one');
      },
    },
    {
      title: 'tells ids apart that differ in their case, their end or a character',
      async run(medium) {
        const ids = ['a.test/x/1', 'a.test/x/10', 'A.test/x/1', 'a.test/X/1', 'a.test/é/1', 'a.test/e/1', 'a.test/x'];
        await session(
          medium,
          ids.map((id) => item(id)),
        );
        await assertHolds(medium, ids, 'ids that are alike');
      },
    },
    {
      title: 'writes nothing for a page without items, and does not mind',
      async run(medium) {
        await session(medium, [], page('a', 1), []);
        await assertHolds(medium, ['a/0'], 'ids with empty pages between');
      },
    },
    {
      title: 'takes pages that are written at the same time, each of them in order',
      async run(medium) {
        const sink = await opened(medium);
        const pages = Array.from({ length: 40 }, (_, at) => page(`p${at % 30}`, 3));
        await Promise.all(pages.map((items) => sink.write(items)));
        await sink.close();
        const ids = (await medium.read()).map(({ id }) => id);
        assertEqual(
          [...ids].sort(),
          Array.from({ length: 30 }, (_, at) => page(`p${at}`, 3).map(({ id }) => id))
            .flat()
            .sort(),
          'ids of forty pages',
        );
        for (let at = 0; at < 30; at += 1) {
          assertEqual(
            ids.filter((id) => id.startsWith(`p${at}/`)),
            page(`p${at}`, 3).map(({ id }) => id),
            `the order within p${at}`,
          );
        }
      },
    },
    {
      title: 'closes after the writes that are under way',
      async run(medium) {
        const sink = await opened(medium);
        const written = sink.write(page('a'));
        const looked = sink
          .close()
          .then(() => assertHolds(medium, ['a/0', 'a/1'], 'ids of a page written at the close'));
        await Promise.all([written, looked]);
      },
    },
  ];
}
