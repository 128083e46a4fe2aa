// Why hosts wait, over the restarts of several processes. At stake: a host waits for an operator who is never told,
// because the process that ended last has overwritten what the others knew.

import { expect, it } from 'vitest';
import { interleavingStore, isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const shared = (nowMs: () => number) => interleavingStore(memoryStore({ nowMs }), () => 0);
const refused = (address: string) => ({ status: isRobots(address) ? 404 : 403 });
const pages = (host: string) => Array.from({ length: 30 }, (_, at) => url(`http://${host}/${at}`));

it('a process that opens the crawl knows what every process has recorded about its hosts', async () => {
  const { make, work, clock } = setUp(shared, refused);
  const [first, second] = [make({ part: 'first' }), make({ part: 'second' })];
  await first.open();
  await second.open();
  // Twenty refusals in a row park a host; each process parks one.
  await first.add(pages('a.test'));
  await work(first, 86_400_000);
  await second.add(pages('b.test'));
  await work(second, 86_400_000);
  expect(second.waits(9).map(({ host }) => host)).toEqual(['b.test']);
  await first.close();
  await second.close();

  const third = make({ part: 'second' });
  await third.open();
  expect(third.waits(9).map(({ host, reason }) => [host, reason])).toEqual([
    ['a.test', 'host-parked'],
    ['b.test', 'host-parked'],
  ]);
  await third.unpark('a.test');
  await third.close();

  // What the first process wrote still says that the host is parked; the store knows better.
  clock.advance(1_000);
  const fourth = make({ part: 'second' });
  await fourth.open();
  expect(fourth.waits(9).map(({ host }) => host)).toEqual(['b.test']);
  await fourth.close();
});

it('a parked host is known although the process that parked it was killed', async () => {
  const { make, work } = setUp(shared, refused);
  const first = make({ part: 'first' });
  await first.open();
  await first.add(pages('a.test'));
  expect(await work(first, 86_400_000)).toBe('finished');
  const second = make({ part: 'second' });
  await second.open();
  expect(second.waits(9)).toMatchObject([{ host: 'a.test', reason: 'host-parked' }]);
});
