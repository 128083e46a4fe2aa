// What is done at the same time is bounded, also where some of it fails.

import { expect, it } from 'vitest';
import { Places } from './places.js';

it('does so many at a time, in the order in which they came', async () => {
  const places = new Places(2);
  const begun: number[] = [];
  const end: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((each) =>
    places.take(() => {
      begun.push(each);
      return new Promise<void>((resolve, reject) => {
        end[each] = each === 1 ? () => reject(new Error('one')) : resolve;
      });
    }),
  );
  expect([begun, places.count]).toEqual([[0, 1], 4]);
  end[1]?.();
  await expect(all[1]).rejects.toThrow('one');
  expect([begun, places.count]).toEqual([[0, 1, 2], 3]);
  end[0]?.();
  await all[0];
  expect(begun).toEqual([0, 1, 2, 3]);
  end[2]?.();
  end[3]?.();
  await Promise.all([all[2], all[3]]);
  expect(places.count).toBe(0);
});

it('fails as the work does, thrown at once too, and the place is free again', async () => {
  const places = new Places(1);
  const thrown = places.take(() => {
    throw new Error('at once');
  });
  await expect(thrown).rejects.toThrow('at once');
  expect(await places.take(() => 'done')).toBe('done');
});
