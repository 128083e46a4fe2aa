// An entry that the list cannot find by its id can never be finished.

import { expect, it } from 'vitest';
import { type Lane, NOT_IN_HAND, type StoredEntry } from './entry-line.js';
import { EntryList } from './entry-list.js';

const lane: Lane = { name: null, lines: [], heldUntil: 0 };
const entryOf = (id: number): StoredEntry => {
  const kept = { id, lane, priority: 4, body: Uint8Array.of(id), attempt: 0 };
  return { ...kept, order: id, rank: 5, readyAt: 0, place: NOT_IN_HAND, isDone: false };
};

it('entries are found by their ids and listed in their order, whichever of them are finished', () => {
  let random = 11;
  const below = (count: number) => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((random / 0x1_0000_0000) * count);
  };
  const list = new EntryList();
  const live: StoredEntry[] = [];
  for (let id = 1; id <= 4_000; id += 1) {
    live.push(entryOf(id));
    list.push(live.at(-1)!);
    // Mostly the earliest, as a crawl does; at times all of them, or one anywhere.
    const most = id % 500 === 0 ? live.length : below(3);
    for (let tries = 0; tries < most && live.length > 0; tries += 1) {
      const [entry] = live.splice(below(5) === 0 ? below(live.length) : 0, 1);
      expect(list.find(entry!.id)).toBe(entry);
      list.finish(entry!);
      expect(list.find(entry!.id)).toBeUndefined();
    }
    for (const known of [live[0], live.at(-1), live[below(live.length)]]) {
      if (known !== undefined) expect(list.find(known.id)).toBe(known);
    }
    expect([list.size, list.find(id + 1), list.find(0), list.find(Number.NaN)]).toEqual([
      live.length,
      undefined,
      undefined,
      undefined,
    ]);
    if (id % 50 === 0) expect(list.live()).toEqual(live);
  }
});
