// Leasing: one holder, in time, oldest first, fenced (L1 … L4, L6). What a lease contains: entries by priority and
// arrival, none before its time, none of blocked lanes (L5, L7, L8).

import type { Lease } from '../store.js';
import { ALL, assert, assertEqual, idsOf, names, namesOf, RELEASE, type RegisterTest } from './store-test.js';

/** 35 days: a negative number in 32 bits. */
const LONG_MS = 35 * 86_400_000;

export function leaseTests(it: RegisterTest): void {
  it('L1', 'a leased host is not granted again, even by name', async (test) => {
    await test.add('h', names('a', 3));
    await test.leaseOnly(10, 1);
    await test.assertDue([], 'hosts granted a second time');
    const byName = await test.store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1, hosts: ['h'] });
    assertEqual(byName.length, 0, 'leases of a leased host by name');
    await test.assertDueAfter(9, [], 'hosts granted a second time shortly before the lease ends');
  });

  it('L1', 'renewing a lease keeps others out', async (test) => {
    const lease = await test.leased(names('a', 3), 4, 1);
    for (let round = 0; round < 5; round += 1) {
      await test.pass(3);
      assertEqual(await test.keep(lease, 0, {}, 4), [], 'answer to a renewal under the same fencing token');
      await test.assertDue([], 'hosts granted a second time after a renewal');
    }
  });

  it('L2', 'only due hosts are granted, longest due first, and how long they have been due is known', async (test) => {
    const { store, unit } = test;
    const overdue = async (limit: number) => (await store.overdueMs?.(limit))?.map((ms) => Math.floor(ms / unit));
    const assertOverdue = async (limit: number, units: readonly number[]) =>
      assertEqual((await overdue(limit)) ?? units, units, `units for which ${limit} hosts at most are due`);
    await assertOverdue(5, []);
    for (const host of ['a', 'b', 'c', 'd']) await test.add(host, ['1', '2']);
    const dueUnits: Readonly<Record<string, number>> = { a: 3, b: 1, c: 2, d: 9 };
    const leases = await test.leaseAll(100, { entriesPerHost: 1 });
    for (const lease of leases) await test.release(lease, dueUnits[lease.host] ?? 0);
    await test.assertDue([], 'hosts due before any time has passed');
    await assertOverdue(5, []);
    await test.pass(4);
    await assertOverdue(5, [3, 2, 1]);
    await assertOverdue(2, [3, 2]);
    const [first, ...others] = await test.leaseAll(100, { maxHosts: 1 });
    assertEqual([first?.host, others.length], ['b', 0], 'the oldest host, and others');
    await test.assertDue(['c', 'a'], 'the others, oldest first');
  });

  it('L2', 'a host requested by name is granted even if nothing is queued, once it is due', async (test) => {
    const leaseNamed = (hosts: readonly string[]) =>
      test.store.lease({ maxHosts: ALL, entriesPerHost: 1, ttlMs: test.unit, hosts });
    await test.add('other', ['a']);
    const [lease, ...rest] = await leaseNamed(['h']);
    const isOnly = lease?.host === 'h' && rest.length === 0;
    assert(isOnly, 'a free host without entries was not the only one granted by name');
    assertEqual([lease.entries.length, lease.queued], [0, 0], 'entries in flight and queued');
    await test.release(lease, 3);
    assertEqual((await leaseNamed(['h'])).length, 0, 'leases by name before the next allowed time');
    await test.pass(3);
    const both = (await leaseNamed(['h', 'other'])).map(({ host }) => host);
    assertEqual(both, ['h', 'other'], 'leases by name afterwards');
  });

  it('L3', 'fencing tokens grow with every lease and every release', async (test) => {
    await test.add('h', names('a', 8));
    let last = -1n;
    const assertLarger = ({ fencingToken }: Lease) => {
      const isLarger = /^\d+$/.test(fencingToken) && BigInt(fencingToken) > last;
      assert(isLarger, `the fencing token ${fencingToken} came after ${last}`);
      last = BigInt(fencingToken);
    };
    for (let round = 0; round < 4; round += 1) {
      const lease = await test.leaseOnly(2, 1);
      assertLarger(lease);
      if (round % 2 === 0) await test.release(lease);
      else await test.pass(3);
    }
    if (test.capabilities.durable === 'none') return;
    await test.reopen();
    await test.pass(3);
    assertLarger(await test.leaseOnly(2, 1));
  });

  it('L4', 'a host whose holder vanished is due after the end of the lease plus its delay', async (test) => {
    await test.keep(await test.leased(names('a', 3), 4, 1), 0, { delayMs: 6 * test.unit }, 4);
    await test.assertDueAfter(5, [], 'hosts due after the lease end, before the delay');
    await test.assertDueWithin(5);
    await test.pass(5);
    // The delay outlives the lease it was set in, and a commit that sets none.
    await test.keep(await test.leaseOnly(2, 1), 0, {}, 2);
    await test.assertDueAfter(5, [], 'hosts due before the delay of the second holder');
    await test.assertDueAfter(3, ['h'], 'hosts due at lease end + delay');
  });

  it('L4', 'the delay given with a lease holds even if its holder never commits', async (test) => {
    const { unit, store } = test;
    await test.add('h', names('a', 2));
    const request = { maxHosts: ALL, entriesPerHost: 1, ttlMs: 2 * unit };
    const granted = await store.lease({ ...request, delayMs: 6 * unit });
    assertEqual(granted.length, 1, 'hosts granted');
    await test.pass(5);
    assertEqual((await store.lease(request)).length, 0, 'hosts granted before the delay of the lease');
    await test.pass(5);
    const [next] = await store.lease({ ...request, delayMs: unit });
    assert(next !== undefined, 'the host was not granted after lease end + delay');
    // The longer delay counts until a commit sets another.
    await test.pass(5);
    assertEqual((await store.lease(request)).length, 0, 'hosts granted before the longer delay');
    await test.pass(5);
    const [last] = await store.lease(request);
    assert(last !== undefined, 'the host was not granted a third time');
    await test.keep(last, 0, { delayMs: unit }, 1);
    await test.pass(3);
    assertEqual((await store.lease({ ...request, delayMs: 6 * unit })).length, 1, 'hosts granted after its delay');
    await test.pass(5);
    assertEqual((await store.lease(request)).length, 0, 'hosts granted before the delay of a later lease');
  });

  it('L2, L4, L7, L8, C6', 'nothing is early by a part of a unit, however long it waits', async (test) => {
    const { store, unit, made } = test;
    const soonMs = 2.6 * unit;
    const startedAt = made.nowMs();
    const request = { maxHosts: ALL, entriesPerHost: 1, ttlMs: unit };
    for (const [when, waitMs] of [['soon', soonMs] as const, ['late', LONG_MS] as const]) {
      const leased = async (kind: string) => {
        const host = `${kind} ${when}`;
        await test.add(host, ['1', '2'], { lane: 'only' });
        const [lease] = await store.lease({ ...request, hosts: [host] });
        assert(lease !== undefined, `${host} was not granted by name`);
        return lease;
      };
      await test.add(`entry ${when}`, ['1'], { notBeforeMs: waitMs });
      await test.commit(await leased('released'), { then: { release: { dueInMs: waitMs } } });
      await test.commit(await leased('blocked'), { blockLanes: [{ lane: 'only', ms: waitMs }], ...RELEASE });
      await test.commit(await leased('woken'), { delayMs: waitMs, then: { release: { dueInMs: null } } });
      await store.wake(`woken ${when}`);
      await test.keep(await leased('vanished'), 0, { delayMs: waitMs / 2 }, waitMs / 2 / unit);
    }
    await made.advance(Math.max(0, startedAt + soonMs - 2 - made.nowMs()));
    const byName = { ...request, hosts: ['released soon', 'woken soon', 'vanished soon'] };
    const first = [...(await store.lease(request)), ...(await store.lease(byName))].map(({ host }) => host);
    // A real clock may have gone past the time.
    const isEarly = made.nowMs() < startedAt + soonMs - 1;
    if (isEarly) assertEqual(first, [], 'hosts granted two milliseconds early');
    await test.pass(1);
    const then = (await store.lease(request)).map(({ host }) => host);
    const expected = ['blocked', 'entry', 'released', 'vanished', 'woken'].map((kind) => `${kind} soon`);
    assertEqual([...new Set([...first, ...then])].toSorted(), expected, 'hosts due in time, not those of 35 days');
  });

  it('L6', 'concurrent callers get disjoint hosts', async (test) => {
    const clients = await test.clients(4);
    for (const host of names('h', 40)) await test.add(host, ['a']);
    const request = { maxHosts: 7, entriesPerHost: 1, ttlMs: 100 * test.unit };
    const grants = await Promise.all([...clients, ...clients].map((client) => client.lease(request)));
    const granted = grants.flat().map(({ host }) => host);
    assertEqual(new Set(granted).size, granted.length, 'hosts granted, compared with leases granted');
    const isBounded = grants.every((leases) => leases.length <= 7);
    assert(isBounded, 'a caller got more hosts than it requested');
    const rest = (await test.leaseAll()).map(({ host }) => host);
    assertEqual([...granted, ...rest].toSorted(), names('h', 40).toSorted(), 'hosts granted in all');
  });

  it('L1', 'of named hosts, at most as many are leased as requested', async (test) => {
    const hosts = names('h', 4);
    const request = { maxHosts: 3, entriesPerHost: 1, ttlMs: 100 * test.unit, hosts };
    assertEqual((await test.store.lease(request)).length, 3, 'leases of four named hosts, at most three');
    assertEqual((await test.store.lease(request)).length, 1, 'leases of the rest');
    await test.add('due', ['a']);
    assertEqual((await test.store.lease({ ...request, hosts: [] })).length, 0, 'leases of an empty list of hosts');
  });
}

export function entryTests(it: RegisterTest): void {
  it('L5', 'entries are handed out by priority, then by arrival', async (test) => {
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

  it('L5', 'entries of a vanished holder come first and keep their ids', async (test) => {
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

  it('L7', 'no entry is handed out before its time', async (test) => {
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

  it('L5', 'entries that waited are handed out by priority, whichever was ready first', async (test) => {
    await test.add('h', ['low'], { notBeforeMs: 2 * test.unit, priority: 5 });
    await test.add('h', ['high'], { notBeforeMs: 3 * test.unit, priority: 0 });
    await test.pass(4);
    await test.add('h', ['usual']);
    assertEqual(await test.leaseNames(), ['high', 'usual', 'low'], 'entries after both times');
  });

  it('L7', 'a host whose entries all wait is due at the earliest of them', async (test) => {
    await test.add('h', ['late'], { notBeforeMs: 8 * test.unit });
    await test.add('h', ['soon'], { notBeforeMs: 4 * test.unit });
    await test.assertDue([], 'hosts due while all their entries wait');
    await test.assertDueWithin(4);
    await test.pass(4);
    const lease = await test.leaseOnly();
    assertEqual(namesOf(lease.entries), ['soon'], 'entries at the earliest of the times');
    await test.release(lease);
    await test.assertDue([], 'hosts due between the two times');
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

  it('L8', 'a block outlasts the holder that vanishes', async (test) => {
    await test.add('h', ['a1', 'a2'], { lane: 'a' });
    const lease = await test.leaseOnly(100, 1);
    await test.keep(lease, 0, { blockLanes: [{ lane: 'a', ms: 8 * test.unit }] }, 2);
    await test.pass(4);
    await test.assertDue([], 'hosts due after the lease, while their only lane is blocked');
    await test.assertDueWithin(5);
    await test.pass(5);
    assertEqual(await test.leaseNames(), ['a1', 'a2'], 'entries after the block');
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

  it('L8', 'a blocked lane does not delay entries without a lane, whichever came first', async (test) => {
    await test.add('h', ['a1'], { lane: 'a' });
    await test.add('h', ['own1', 'own2']);
    const lease = await test.leaseOnly(100, 0);
    const blockLanes = [{ lane: 'a', ms: 4 * test.unit }];
    assertEqual(await test.keep(lease, 1, { blockLanes }), ['own1'], 'the first entry without a lane');
    assertEqual(await test.keep(lease, ALL, { blockLanes: [{ lane: 'a', ms: 0 }] }), ['a1', 'own2'], 'all the rest');
  });

  it('L8', 'a host whose lanes are all blocked is due at the end of the first block', async (test) => {
    await test.add('h', ['a1', 'a2'], { lane: 'a' });
    const lease = await test.leaseOnly(100, 1);
    const blockLanes = [{ lane: 'a', ms: 5 * test.unit }];
    await test.commit(lease, { done: idsOf(lease.entries), blockLanes, ...RELEASE });
    await test.assertDue([], 'hosts due while their only lane is blocked');
    await test.assertDueWithin(5, 'N1');
    await test.pass(5);
    assertEqual(await test.leaseNames(), ['a2'], 'entries after the block');
  });
}
