// A chain that takes a slot of another hands a host the URLs of that other.

import { describe, expect, it } from 'vitest';
import { NONE, PlaceChains } from './place-chains.js';

describe('chains of places', () => {
  it('agree with plain lists while chains come, go, and lose their beginnings', () => {
    const chains = new PlaceChains();
    const lists = Array.from({ length: 50 }, () => ({ first: NONE, last: NONE, places: [] as number[] }));
    let random = 7;
    const below = (count: number) => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((random / 0x1_0000_0000) * count);
    };
    for (let place = 0; place < 30_000; place += 1) {
      const list = lists[below(lists.length)]!;
      const slot = chains.add(list.last, place * 65_536);
      list.first = list.first === NONE ? slot : list.first;
      list.last = slot;
      list.places.push(place * 65_536);
      const other = lists[below(lists.length)]!;
      if (other.places.length > 1 && below(3) === 0) {
        const gone = other.first;
        other.first = chains.next(gone);
        chains.free(gone, gone);
        other.places.shift();
      } else if (other.places.length > 0 && below(80) === 0) {
        chains.free(other.first, other.last);
        Object.assign(other, { first: NONE, last: NONE, places: [] });
      }
      if (place % 500 === 0) for (const each of lists) expect(chains.from(each.first)).toEqual(each.places);
    }
  });
});
