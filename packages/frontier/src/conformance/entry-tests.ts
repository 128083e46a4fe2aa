// What comes with a lease: entries by priority and arrival, none before its time, blocked lanes left out (L5, L7, L8).

import { assertEqual } from './assert.js';
import { ALL, idsOf, namesOf, RELEASE, type RegisterTest } from './store-test.js';

export function entryTests(it: RegisterTest): void {
  it('L5', 'entries come by priority, then by arrival', async (test) => {
    const priorities = [5, 0, 7, 5, 0, 2];
    for (const [at, priority] of priorities.entries()) await test.add('h', [`${priority}-${at}`], { priority });
    const first = await test.leaseOnly(100, 4);
    assertEqual(namesOf(first.entries), ['0-1', '0-4', '2-5', '5-0'], 'the first four entries');
    assertEqual(first.queued, 2, 'entries left');
    await test.add('h', ['0-9'], { priority: 0 });
    assertEqual(await test.keep(first, 9), ['0-9', '5-3', '7-2'], 'entries that came with a renewal');
  });

  it('L5', 'arrival counts across lanes', async (test) => {
    const order = ['x0', 'y1', 'y2', 'x3', 'z4', 'x5', 'y6'];
    for (const name of order) await test.add('h', [name], { lane: name.slice(0, 1) });
    const lease = await test.leaseOnly(100, 3);
    const names = [...namesOf(lease.entries), ...(await test.keep(lease, ALL))];
    assertEqual(names, order, 'entries of one priority and three lanes');
  });

  it('L5', 'those of a vanished holder come first and keep their ids', async (test) => {
    await test.add('h', ['a', 'b', 'c', 'd'], { priority: 4 });
    const first = await test.leaseOnly(2, 2);
    await test.add('h', ['urgent'], { priority: 0 });
    await test.pass(3);
    const second = await test.leaseOnly(2, 4);
    assertEqual(namesOf(second.entries), ['a', 'b', 'urgent', 'c'], 'entries after the holder vanished');
    assertEqual(idsOf(second.entries.slice(0, 2)), idsOf(first.entries), 'ids of the entries that came back');
    const attempts = second.entries.map(({ attempt }) => attempt);
    assertEqual(attempts, [1, 1, 0, 0], 'times handed out before');
  });

  it('L7', 'no entry before its time', async (test) => {
    await test.add('h', ['now']);
    await test.add('h', ['later'], { notBeforeMs: 5 * test.unit, priority: 0 });
    const lease = await test.leaseOnly();
    assertEqual(namesOf(lease.entries), ['now'], 'entries whose time has come');
    const [id = ''] = idsOf(lease.entries);
    const requeue = [{ id, notBeforeMs: 2 * test.unit, body: new TextEncoder().encode('again') }];
    assertEqual(await test.keep(lease, ALL, { requeue }), [], 'entries at once after a requeue');
    await test.pass(3);
    assertEqual(await test.keep(lease, ALL), ['again'], 'entries after three units');
    await test.pass(2);
    assertEqual(await test.keep(lease, ALL), ['later'], 'entries after five units');
  });

  it('L5', 'entries that waited come by priority, whichever time came first', async (test) => {
    await test.add('h', ['low'], { notBeforeMs: 2 * test.unit, priority: 5 });
    await test.add('h', ['high'], { notBeforeMs: 3 * test.unit, priority: 0 });
    await test.pass(4);
    await test.add('h', ['usual']);
    assertEqual(await test.leaseNames(), ['high', 'usual', 'low'], 'entries after both times');
  });

  it('L7', 'a host whose entries all wait is due at the earliest of them', async (test) => {
    await test.add('h', ['late'], { notBeforeMs: 8 * test.unit });
    await test.add('h', ['soon'], { notBeforeMs: 4 * test.unit });
    assertEqual(await test.dueHosts(), [], 'hosts due while all their entries wait');
    await test.assertDueWithin(4);
    await test.pass(4);
    const lease = await test.leaseOnly();
    assertEqual(namesOf(lease.entries), ['soon'], 'entries at the earliest of the times');
    await test.release(lease);
    assertEqual(await test.dueHosts(), [], 'hosts due between the two times');
    await test.add('h', ['now']);
    assertEqual(await test.leaseNames(), ['now'], 'entries added in between');
  });

  it('L8', 'a blocked lane does not delay the others', async (test) => {
    await test.add('h', ['a1', 'a2', 'a3'], { lane: 'a', priority: 0 });
    await test.add('h', ['b1', 'b2'], { lane: 'b', priority: 7 });
    const lease = await test.leaseOnly(100, 1);
    assertEqual(namesOf(lease.entries), ['a1'], 'the first entry');
    const blockLanes = [{ lane: 'a', ms: 4 * test.unit }];
    const others = await test.keep(lease, ALL, { requeue: idsOf(lease.entries).map((id) => ({ id })), blockLanes });
    assertEqual(others, ['b1', 'b2'], 'entries of the other lane');
    await test.add('h', ['a4'], { lane: 'a' });
    assertEqual(await test.keep(lease, ALL), [], 'entries of the blocked lane');
    await test.pass(4);
    assertEqual(await test.keep(lease, ALL), ['a2', 'a3', 'a1', 'a4'], 'entries after the block');
  });

  it('L8', 'a block that is replaced ends at its new time, earlier or later', async (test) => {
    await test.add('h', ['a1', 'a2', 'a3', 'a4'], { lane: 'a' });
    const lease = await test.leaseOnly(100, 1);
    const block = (units: number) => test.keep(lease, 0, { blockLanes: [{ lane: 'a', ms: units * test.unit }] });
    const next = () => test.keep(lease, 1);
    await block(3);
    await test.pass(1);
    await block(6);
    await test.pass(4);
    assertEqual(await next(), [], 'entries of a lane whose block was made longer');
    await test.pass(2);
    assertEqual(await next(), ['a2'], 'entries after the longer block');
    await block(50);
    await block(2);
    assertEqual(await next(), [], 'entries of a lane whose block was made shorter');
    await test.pass(2);
    assertEqual(await next(), ['a3'], 'entries after the shorter block');
    await block(5);
    await block(0);
    assertEqual(await next(), ['a4'], 'entries of a lane that was unblocked');
  });

  it('L8', 'a host whose lanes are all blocked is due at the end of the first block', async (test) => {
    await test.add('h', ['a1', 'a2'], { lane: 'a' });
    const lease = await test.leaseOnly(100, 1);
    const blockLanes = [{ lane: 'a', ms: 5 * test.unit }];
    await test.commit(lease, { done: idsOf(lease.entries), blockLanes, ...RELEASE });
    assertEqual(await test.dueHosts(), [], 'hosts due while their only lane is blocked');
    await test.assertDueWithin(5, 'N1');
    await test.pass(5);
    assertEqual(await test.leaseNames(), ['a2'], 'entries after the block');
  });
}
