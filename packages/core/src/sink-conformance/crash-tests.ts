// Guarantees about restarts and crashes. A page whose write has resolved is settled and never comes again; a page whose
// write had not comes again, with the same ids.

import { assertEqual } from '../fetcher-conformance/assert.js';
import { assertHolds, item, opened, page, type SinkTest, session } from './sink-test.js';

const PAGES = 300;

/** The tests. */
export function crashTests(): SinkTest[] {
  return [
    {
      title: 'goes on behind what is there when it is opened again',
      needs: 'durable',
      async run(medium) {
        await session(medium, page('a'));
        await session(medium);
        await session(medium, page('b'));
        await assertHolds(medium, ['a/0', 'a/1', 'b/0', 'b/1'], 'ids after three sessions');
      },
    },
    {
      title: 'takes an item of an earlier session for the one it has',
      needs: 'durable',
      async run(medium) {
        await session(medium, page('a'), page('b', 3));
        await session(medium, page('b', 3), page('c', 1), page('a'));
        await assertHolds(
          medium,
          ['a/0', 'a/1', 'b/0', 'b/1', 'b/2', 'c/0'],
          'ids after pages came again in a second session',
        );
      },
    },
    {
      title: 'knows the pages that were in flight at a crash among hundreds',
      needs: 'durable',
      async run(medium) {
        const all = Array.from({ length: PAGES }, (_, at) => page(`p${at}`));
        await session(medium, ...all);
        await session(medium, ...all.slice(-200), page('new', 1));
        const ids = (await medium.read()).map(({ id }) => id);
        assertEqual(ids.length, PAGES * 2 + 1, 'items after two hundred pages came again');
        assertEqual(new Set(ids).size, ids.length, 'ids that are there once');
      },
    },
    {
      title: 'has what it said it has, although it was never closed',
      needs: 'durable',
      async run(medium) {
        const killed = await opened(medium);
        await killed.write(page('a'));
        await killed.write(page('b'));
        // A killed process closes nothing: what it left is read by the next one.
        await session(medium, page('b'), page('c', 1));
        await assertHolds(medium, ['a/0', 'a/1', 'b/0', 'b/1', 'c/0'], 'ids after a session that was not closed');
        await killed.close();
      },
    },
    {
      title: 'is whole after a crash in the middle of a write: what is missing is written again, what is there is not',
      needs: 'durable',
      async run(medium) {
        if (medium.tear === undefined) return;
        await session(medium, page('a'), [item('b/0', { text: 'line\nbreak, "quotes"' })]);
        for (const bytes of [1, 2, 3, 7, 20, 33]) {
          await medium.tear(bytes);
          await session(medium, page('a'), [item('b/0', { text: 'line\nbreak, "quotes"' })]);
          await assertHolds(medium, ['a/0', 'a/1', 'b/0'], `ids after ${bytes} bytes were torn off`);
        }
      },
    },
    {
      title: 'opens after a crash that left nothing whole',
      needs: 'durable',
      async run(medium) {
        if (medium.tear === undefined) return;
        await session(medium, page('a', 1));
        await medium.tear(1_000_000);
        await session(medium, page('a', 1));
        await assertHolds(medium, ['a/0'], 'ids after everything was torn off');
      },
    },
  ];
}
