// At stake: if a cursor that a store cannot read started at the beginning, a loop over listings would never end.

import { expect, it } from 'vitest';
import { setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';
import { openCursor, sealCursor } from './queued.js';

it.each(['', '0 0', '0a0b', '3 w 0lane 12', '1 -2 3 münchen.test'])('returns the cursor of a store: %j', (cursor) => {
  expect(openCursor(sealCursor(cursor))).toBe(cursor);
});

it.each(['xx', '', '0 0', ' ', `${sealCursor('0 1')} `, sealCursor('0 1').replace('1', '2'), 7, {}])(
  'a listing from %j, which no listing has returned, is refused',
  async (cursor) => {
    const { frontier } = setUp(
      (nowMs) => memoryStore({ nowMs }),
      () => ({ status: 404 }),
    );
    await frontier.open();
    await frontier.add([url('http://a.test/1'), url('http://a.test/2')]);
    await expect(frontier.list({ cursor: cursor as string })).rejects.toMatchObject({ code: 'option-invalid' });
    const first = await frontier.list({ limit: 1 });
    const second = await frontier.list({ limit: 1, cursor: first.cursor });
    expect([first, second].flatMap(({ items }) => items.map(({ record }) => record.url))).toHaveLength(2);
    await frontier.close();
  },
);
