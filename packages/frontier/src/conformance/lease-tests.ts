// Leasing: one holder, in time, oldest first, fenced (L1 … L4, L6). What comes with a lease is in `entry-tests.ts`.

import type { Lease } from '../store.js';
import { assert, assertEqual } from './assert.js';
import { ALL, names, type RegisterTest } from './store-test.js';

export function leaseTests(it: RegisterTest): void {
  it('L1', 'a leased host is not granted again, not by name either', async (test) => {
    await test.add('h', names('a', 3));
    await test.leaseOnly(10, 1);
    assertEqual(await test.dueHosts(), [], 'hosts granted a second time');
    const byName = await test.store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1, hosts: ['h'] });
    assertEqual(byName.length, 0, 'leases of a leased host by name');
    await test.pass(9);
    assertEqual(await test.dueHosts(), [], 'hosts granted a second time shortly before the lease ends');
  });

  it('L1', 'renewing a lease keeps others out', async (test) => {
    await test.add('h', names('a', 3));
    const lease = await test.leaseOnly(4, 1);
    for (let round = 0; round < 5; round += 1) {
      await test.pass(3);
      assertEqual(await test.keep(lease, 0, {}, 4), [], 'answer to a renewal under the same fencing token');
      assertEqual(await test.dueHosts(), [], 'hosts granted a second time after a renewal');
    }
  });

  it('L2', 'only hosts whose time has passed, oldest first', async (test) => {
    for (const host of ['a', 'b', 'c', 'd']) await test.add(host, ['1', '2']);
    const dueUnits: Readonly<Record<string, number>> = { a: 3, b: 1, c: 2, d: 9 };
    const leases = await test.leaseAll(100, { entriesPerHost: 1 });
    for (const lease of leases) await test.release(lease, dueUnits[lease.host] ?? 0);
    assertEqual(await test.dueHosts(), [], 'hosts due before any time has passed');
    await test.pass(4);
    const [first, ...others] = await test.leaseAll(100, { maxHosts: 1 });
    assertEqual([first?.host, others.length], ['b', 0], 'the oldest host, and others');
    assertEqual(await test.dueHosts(), ['c', 'a'], 'the others, oldest first');
  });

  it('L2', 'a host requested by name is granted with nothing queued, when its time has passed', async (test) => {
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

  it('L3', 'fencing tokens grow at every lease and every release', async (test) => {
    await test.add('h', names('a', 8));
    let last = -1n;
    const grows = ({ fencingToken }: Lease) => {
      const isLarger = /^\d+$/.test(fencingToken) && BigInt(fencingToken) > last;
      assert(isLarger, `the fencing token ${fencingToken} came after ${last}`);
      last = BigInt(fencingToken);
    };
    for (let round = 0; round < 4; round += 1) {
      const lease = await test.leaseOnly(2, 1);
      grows(lease);
      if (round % 2 === 0) await test.release(lease);
      else await test.pass(3);
    }
    if (test.capabilities.durable === 'none') return;
    await test.reopen();
    await test.pass(3);
    grows(await test.leaseOnly(2, 1));
  });

  it('L4', 'a host whose holder vanished is due at lease end + delay', async (test) => {
    await test.add('h', names('a', 3));
    await test.keep(await test.leaseOnly(4, 1), 0, { delayMs: 6 * test.unit }, 4);
    await test.pass(5);
    assertEqual(await test.dueHosts(), [], 'hosts due after the lease end, before the delay');
    await test.assertDueWithin(5);
    await test.pass(5);
    // The delay outlives the lease it was set in.
    await test.leaseOnly(2, 1);
    await test.pass(5);
    assertEqual(await test.dueHosts(), [], 'hosts due before the delay of the second holder');
    await test.pass(3);
    assertEqual(await test.dueHosts(), ['h'], 'hosts due at lease end + delay');
  });

  it('L4', 'the delay that a lease is given holds although its holder never commits', async (test) => {
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
    assertEqual((await store.lease(request)).length, 1, 'hosts granted after the delay of a commit');
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
    const rest = await test.dueHosts();
    assertEqual([...granted, ...rest].toSorted(), names('h', 40).toSorted(), 'hosts granted in all');
  });
}
