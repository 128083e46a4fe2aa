// Adding: known once, queued at once, due no earlier than allowed (A1 … A3; A4 is in `cost-tests.ts`).

import { assertEqual } from './assert.js';
import { names, type RegisterTest } from './store-test.js';

export function addTests(it: RegisterTest): void {
  it('A1', 'one fingerprint is new once, inside one batch too', async (test) => {
    const [a, b] = [test.entry('h', 'a'), test.entry('h', 'b')];
    assertEqual(await test.store.add([a, b, a]), ['new', 'new', 'known'], 'outcomes of a, b, a');
    assertEqual(await test.store.add([b]), ['known'], 'outcome of b added again');
    assertEqual(await test.leaseNames(), ['a', 'b'], 'what was queued');
  });

  it('A1', 'of concurrent adds of one fingerprint exactly one is new', async (test) => {
    const clients = await test.clients(4);
    const entries = names('n', 50).map((name, at) => test.entry(`h${at % 5}`, name));
    const adds = clients.flatMap((client) => [client.add(entries), client.add(entries.toReversed())]);
    const isNew = (await Promise.all(adds)).flat().filter((outcome) => outcome === 'new');
    assertEqual(isNew.length, entries.length, 'answers `new` to 50 fingerprints added eight times at once');
    assertEqual((await test.allNames()).toSorted(), names('n', 50).toSorted(), 'what was queued');
  });

  it('A1', 'an entry that is not deduped is queued although it is known', async (test) => {
    await test.add('h', ['a']);
    assertEqual(await test.add('h', ['a'], { dedupe: false }), ['new'], 'outcome of a recrawl');
    assertEqual(await test.leaseNames(), ['a', 'a'], 'what was queued');
  });

  it('A2', 'what is new is queued and what is queued was new', async (test) => {
    const asNew: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const batch = names('n', 10 + 7 * round);
      const outcomes = await test.store.add(batch.map((name, at) => test.entry(`h${at % 3}`, name)));
      asNew.push(...batch.filter((_, at) => outcomes[at] === 'new'));
    }
    await test.reopenIfDurable();
    const queued = await test.allNames();
    assertEqual(queued.toSorted(), asNew.toSorted(), 'what was queued, compared with what was answered `new`');
  });

  it('A3', 'a new host is due at once', async (test) => {
    await test.add('h', ['a']);
    assertEqual(await test.store.nextDueInMs(), 0, 'time until a fresh host is due');
    assertEqual(await test.dueHosts(), ['h'], 'hosts that are due');
  });

  it('A3', 'an idle host is due at its saved next time, not at the add', async (test) => {
    await test.add('h', ['a']);
    await test.release(await test.leaseOnly(), 4);
    await test.pass(1);
    await test.add('h', ['b']);
    assertEqual(await test.dueHosts(), [], 'hosts due before the saved next time');
    await test.assertDueWithin(3);
    await test.pass(3);
    assertEqual(await test.dueHosts(), ['h'], 'hosts due at the saved next time');
  });

  it('A3', 'a leased host is not made due', async (test) => {
    await test.add('h', ['a']);
    const lease = await test.leaseOnly();
    await test.add('h', ['b']);
    assertEqual(await test.dueHosts(), [], 'hosts due while leased');
    await test.release(lease, 1);
    assertEqual(await test.dueHosts(), [], 'hosts due before the released time');
    await test.pass(1);
    assertEqual(await test.leaseNames(), ['b'], 'what was added meanwhile');
  });
}
