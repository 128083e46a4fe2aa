// A host that is found under another's number is asked in that other's place.

import { expect, it } from 'vitest';
import { AwakeHosts } from './awake-hosts.js';
import { HostQueueState } from './host-queue-state.js';

const hostOf = (number: number) => new HostQueueState(`host-${number}.example`, number);

it('hosts are found by their numbers, whichever of them have gone', () => {
  const awake = new AwakeHosts();
  const numbers = [0, 5_000, 3, 4, 99_999];
  for (const number of numbers) awake.add(hostOf(number));
  for (const gone of [3, 99_999, 0]) {
    awake.remove(awake.get(gone)!);
    numbers.splice(numbers.indexOf(gone), 1);
    expect(awake.size).toBe(numbers.length);
    for (const number of [0, 3, 4, 5, 5_000, 99_999, 1_000_000]) {
      expect(awake.get(number)?.number).toBe(numbers.includes(number) ? number : undefined);
    }
  }
});

it('a host that was used is passed over once', () => {
  const awake = new AwakeHosts();
  expect(awake.nextUnused()).toBeNull();
  for (const number of [0, 1, 2]) awake.add(hostOf(number));
  const round = () => [1, 2, 3].map(() => awake.nextUnused()?.number ?? null);
  expect(round()).toEqual([null, null, null]);
  awake.get(1)!.wasUsed = true;
  expect(round()).toEqual([0, null, 2]);
  expect(round()).toEqual([0, 1, 2]);
});
