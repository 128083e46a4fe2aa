// What a durable store still has when it is opened again: a store that forgets known URLs fetches a site twice, and one
// that forgets its times sends requests too early.

import { assertEqual, idsOf, nameOf, RELEASE, type RegisterTest } from './store-test.js';
import type { SuiteOptions } from './suite-options.js';

export function reopenTests(it: RegisterTest, { capabilities }: SuiteOptions): void {
  if (capabilities.durable === 'none') return;

  it('A2', 'what is known stays known after a reopen, queued or finished', async (test) => {
    await test.add('h', ['finished', 'queued']);
    const { entries, ...lease } = await test.leaseOnly(100, 1);
    await test.commit(lease, { done: idsOf(entries), ...RELEASE });
    await test.reopen();
    const outcomes = await test.add('h', ['finished', 'queued', 'other']);
    assertEqual(outcomes, ['known', 'known', 'new'], 'a finished entry, a queued one and a new one after a reopen');
    assertEqual(await test.leaseNames(), ['queued', 'other'], 'what is queued after a reopen');
  });

  it('L2, A3, L7, L8', 'a reopen makes nothing due earlier', async (test) => {
    await test.add('entry', ['waits'], { notBeforeMs: 4 * test.unit });
    await test.add('host', ['1', '2']);
    await test.release(await test.leaseOnly(100, 1), 6);
    await test.add('idle', ['1']);
    await test.release(await test.leaseOnly(), 8);
    await test.add('lane', ['1'], { lane: 'blocked' });
    const { entries: _, ...lease } = await test.leaseOnly();
    await test.commit(lease, { blockLanes: [{ lane: 'blocked', ms: 10 * test.unit }], ...RELEASE });
    await test.reopen();
    await test.add('idle', ['2']);
    assertEqual(await test.dueHosts(), [], 'hosts due right after a reopen');
    await test.pass(5);
    assertEqual(await test.dueHosts(), ['entry'], 'hosts due when an entry has waited, after a reopen', 'L7');
    await test.pass(2);
    assertEqual(await test.dueHosts(), ['host'], 'hosts due when a host may be requested again, after a reopen');
    await test.pass(2);
    assertEqual(await test.dueHosts(), ['idle'], 'hosts due at the saved time of an idle one, after a reopen', 'A3');
    await test.pass(2);
    assertEqual(await test.dueHosts(), ['lane'], 'hosts due when a lane is open again, after a reopen', 'L8');
  });

  it('L5', 'the number of times that an entry was handed out survives a reopen', async (test) => {
    await test.add('h', ['twice', 'once']);
    await test.release(await test.leaseOnly(100, 1), 0, ['twice']);
    await test.reopen();
    const attempts = (await test.leaseOnly()).entries.map((entry) => `${nameOf(entry)} ${entry.attempt}`);
    assertEqual(attempts, ['twice 1', 'once 0'], 'entries and their attempts after a reopen');
  });
}
