// Adding: known once, queued at once, due no earlier than allowed (A1 … A3). Committing: fenced, atomic, and no wake-up
// lost (C1 … C6). Reopening: a store that forgets known URLs fetches a site twice, and one that forgets its times sends
// requests too early.

import { ALL, assert, assertEqual, idsOf, nameOf, names, namesOf, RELEASE, type RegisterTest } from './store-test.js';
import type { SuiteOptions } from './suite-options.js';

export function commitTests(it: RegisterTest, { isBounded = false }: SuiteOptions): void {
  it('C1', 'a wrong fencing token changes nothing of the host', async (test) => {
    const lease = await test.leased(['a', 'b', 'c'], 100, 2);
    const before = await test.store.stats();
    const done = idsOf(lease.entries);
    const requeue = done.map((id) => ({ id, priority: 0 }));
    const ms = 50 * test.unit;
    const part = { done, requeue, state: new Uint8Array([9]), delayMs: ms, blockLanes: [{ lane: 'x', ms }] };
    const token = BigInt(lease.fencingToken);
    for (const fencingToken of [`${token + 1n}`, `${token - 1n}`, '0', '']) {
      const answer = await test.commit({ host: 'h', fencingToken }, { ...part, ...RELEASE });
      assertEqual(answer, 'lost', `answer to the fencing token ${fencingToken}`);
    }
    const unknown = await test.commit({ host: 'unknown', fencingToken: '1' }, { ...part, ...RELEASE });
    assertEqual(unknown, 'lost', 'answer for an unknown host');
    await test.assertDue([], 'hosts due after lost commits');
    assertEqual({ ...(await test.store.stats()), hosts: 0 }, { ...before, hosts: 0 }, 'counts after lost commits');
    await test.release(lease, 0, ['a']);
    const next = await test.leaseOnly();
    assertEqual([namesOf(next.entries), next.state], [['a', 'c'], null], 'entries and state after lost commits');
  });

  it('C1', 'a holder whose host was leased to another gets `lost`', async (test) => {
    const first = await test.leased(['a', 'b'], 2, 1);
    await test.pass(3);
    assertEqual(await test.keep(first, 0, {}, 2), [], 'answer to the holder of a lease that has ended, and no other');
    await test.pass(3);
    const second = await test.leaseOnly(100, 1);
    const late = await test.commit(first, { done: idsOf(first.entries), ...RELEASE });
    assertEqual(late, 'lost', 'answer to the first holder');
    await test.release(second, 0, ['a']);
    const third = await test.leaseOnly();
    assertEqual(namesOf(third.entries), ['a', 'b'], 'entries after the late commit');
    await test.release(third, 0);
    assertEqual(await test.keep(third, 0), 'lost', 'answer to a holder that has released');
  });

  it('C1', 'links of a lost commit are added', async (test) => {
    const lease = await test.leased(['a']);
    await test.release(lease);
    await test.add('live', ['a']);
    const parts = [lease, await test.leaseOnly()].map(({ host, fencingToken }) => ({ host, fencingToken, ...RELEASE }));
    const { hosts, links } = await test.store.commit(parts, [test.entry('other', 'link')]);
    const answers = [hosts.map(({ ok }) => ok), links];
    assertEqual(answers, [[false, true], ['new']], 'answers to a commit of a lost host and a live one, with a link');
    assertEqual((await test.leaseAll()).map(({ host }) => host).toSorted(), ['live', 'other'], 'hosts due by it');
  });

  it('C2', 'done entries never return, and the others stay', async (test) => {
    const lease = await test.leased(names('n', 8), 100, 6);
    await test.release(lease, 0, ['n1', 'n4']);
    await test.reopenIfDurable();
    const next = await test.leaseOnly(2);
    assertEqual(namesOf(next.entries), ['n1', 'n4', 'n6', 'n7'], 'entries after four were done');
    await test.pass(3);
    await test.release(await test.leaseOnly());
    await test.assertDue([], 'hosts due when everything is done');
    const { queued, inFlight } = await test.store.stats();
    assertEqual([queued, inFlight], [0, 0], 'entries queued and in flight');
  });

  it('C2', 'ids that are not in flight at the host are ignored', async (test) => {
    await test.add('a', ['1', '2']);
    await test.add('b', ['1']);
    const leases = await test.leaseAll(2, { entriesPerHost: 1 });
    const lease = leases.find(({ host }) => host === 'a');
    assert(lease !== undefined, 'a host with entries was not granted');
    const all = (await test.store.scan(null, ALL)).items.map(({ entry }) => entry.id);
    const done = [...all.filter((id) => !idsOf(lease.entries).includes(id)), 'unknown'];
    await test.keep(lease, 0, { done }, 2);
    await test.keep(lease, 0, { requeue: done.map((id) => ({ id, notBeforeMs: 50 * test.unit })) }, 2);
    await test.pass(3);
    const left = (await test.leaseAll()).map(({ host, entries }) => `${host} ${namesOf(entries)}`);
    assertEqual(left.toSorted(), ['a 1,2', 'b 1'], 'entries after a commit that names others than those in flight');
  });

  it('C3', 'a released host with entries is due at its time, and no earlier', async (test) => {
    await test.release(await test.leased(['a', 'b'], 100, 1), 6);
    await test.assertDueWithin(6);
    await test.assertDueAfter(5, [], 'hosts due a unit early');
    await test.assertDueAfter(1, ['h'], 'hosts due in time');
  });

  it('C3', 'an empty host leaves the index', async (test) => {
    await test.release(await test.leased(['a']), 2);
    assertEqual(await test.store.nextDueInMs(), null, 'time until something is due when nothing waits');
    await test.assertDueAfter(3, [], 'hosts due with nothing queued');
  });

  it('C4', 'no wake-up is lost when an add races the release of an empty host', async (test) => {
    const [one = test.store, other = test.store] = await test.clients(2);
    await test.add('h', ['first']);
    for (let round = 0; round < 60; round += 1) {
      const { host, fencingToken, entries } = await test.leaseOnly();
      const release = () => one.commit([{ host, fencingToken, done: idsOf(entries), ...RELEASE }]);
      const add = () => other.add([test.entry('h', `round ${round}`)]);
      await Promise.all(round % 2 === 0 ? [release(), add()] : [add(), release()]);
      assertEqual(await test.store.nextDueInMs(), 0, `time until the host is due after race ${round}`);
    }
  });

  it('C4', 'a host is due if the commit that releases it also adds links to it', async (test) => {
    const lease = await test.leased(['a']);
    const then = { release: { dueInMs: test.unit } };
    await test.commit(lease, { done: idsOf(lease.entries), then }, [test.entry('h', 'b')]);
    await test.pass(1);
    assertEqual(await test.leaseNames(), ['b'], 'entries linked by the commit that released');
  });

  it('C5', 'a page and its links are stored together', async (test) => {
    const { host, fencingToken, entries } = await test.leased(['page']);
    const links = [test.entry('h', 'page'), test.entry('h', 'l1'), test.entry('other', 'l2'), test.entry('h', 'l1')];
    const answer = await test.store.commit([{ host, fencingToken, done: idsOf(entries), ...RELEASE }], links);
    assertEqual(answer.links, ['known', 'new', 'new', 'known'], 'outcomes of the links');
    await test.reopenIfDurable();
    assertEqual((await test.allNames()).toSorted(), ['l1', 'l2'], 'what is queued after the commit');
  });

  it('C6', 'only `wake` brings a parked host back', async (test) => {
    await test.add('h', ['a', 'b']);
    const then = { release: { dueInMs: null } };
    await test.commit(await test.leaseOnly(100, 1), { delayMs: 2 * test.unit, then });
    await test.add('h', ['c']);
    await test.assertDueAfter(500, [], 'hosts due while the only one is parked');
    const byName = await test.store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: test.unit, hosts: ['h'] });
    assertEqual(byName.length, 0, 'leases of a parked host by name');
    await test.reopenIfDurable();
    await test.assertDue([], 'hosts due after a reopen');
    await test.store.wake('h');
    assertEqual(await test.leaseNames(), ['a', 'b', 'c'], 'entries after the host was woken');
  });

  it('C6', 'waking a host that is not parked changes nothing', async (test) => {
    await test.store.wake('unknown');
    const lease = await test.leased(['a', 'b'], 100, 1);
    await test.store.wake('h');
    await test.assertDue([], 'hosts due after waking a leased one');
    await test.release(lease, 5);
    await test.store.wake('h');
    await test.assertDue([], 'hosts due after waking one that waits for its time');
  });

  it('C1', 'the state of a commit comes back with the next lease', async (test) => {
    const first = await test.leased(['a', 'b', 'c'], 100, 1);
    assert(first.state === null, 'a host that was never committed has a state');
    await test.keep(first, 0, { state: new Uint8Array([1, 2, 3]) });
    await test.release(first);
    await test.reopenIfDurable();
    const next = await test.leaseOnly(100, 1);
    assertEqual([...(next.state ?? [])], [1, 2, 3], 'the state that was committed');
    assertEqual(namesOf(next.entries), ['b'], 'the next entry');
  });

  if (!isBounded) return;
  const fullIsReported: Parameters<RegisterTest>[2] = async (test) => {
    const outcomes = await test.add('h', ['a', 'b', 'c', 'd', 'a']);
    assertEqual(outcomes, ['new', 'new', 'new', 'full', 'known'], 'outcomes of five adds where three fit');
    const { host, fencingToken, entries } = await test.leaseOnly(100, 1);
    const keep = { host, fencingToken, then: { keep: { ttlMs: 100 * test.unit, want: 0 } } };
    const { links } = await test.store.commit([keep], [test.entry('h', 'e')]);
    assertEqual(links, ['full'], 'outcome of a link in a commit');
    await test.store.commit([{ ...keep, done: idsOf(entries) }]);
    assertEqual(await test.add('h', ['e']), ['new'], 'outcome of the same link once it fits');
  };
  it('C5', 'a link that does not fit is reported and not remembered', fullIsReported, 3);
}

export function addTests(it: RegisterTest): void {
  it('A1', 'a fingerprint is new only once, even within one batch', async (test) => {
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

  it('A1', 'an entry that skips deduplication is queued even if it is known', async (test) => {
    await test.add('h', ['a']);
    assertEqual(await test.add('h', ['a'], { dedupe: false }), ['new'], 'outcome of a recrawl');
    assertEqual(await test.add('h', ['b'], { dedupe: false }), ['new'], 'outcome of another page');
    assertEqual(await test.add('h', ['b']), ['known'], 'outcome of that page, added again');
    assertEqual(await test.leaseNames(), ['a', 'a', 'b'], 'what was queued');
  });

  it('A2', 'every new entry is queued, and every queued entry was new', async (test) => {
    const answeredNew: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const batch = names('n', 10 + 7 * round);
      const outcomes = await test.store.add(batch.map((name, at) => test.entry(`h${at % 3}`, name)));
      answeredNew.push(...batch.filter((_, at) => outcomes[at] === 'new'));
    }
    await test.reopenIfDurable();
    const queued = await test.allNames();
    assertEqual(queued.toSorted(), answeredNew.toSorted(), 'what was queued, compared with what was answered `new`');
  });

  it('A3', 'a new host is due at once', async (test) => {
    await test.add('h', ['a']);
    assertEqual(await test.store.nextDueInMs(), 0, 'time until a fresh host is due');
    await test.assertDue(['h'], 'hosts that are due');
  });

  it('A3', 'an idle host is due at its saved next time, not at the add', async (test) => {
    await test.release(await test.leased(['a']), 4);
    await test.pass(1);
    await test.add('h', ['b']);
    await test.assertDue([], 'hosts due before the saved next time');
    await test.assertDueWithin(3);
    await test.assertDueAfter(3, ['h'], 'hosts due at the saved next time');
  });

  it('A3', 'a leased host is not made due', async (test) => {
    const lease = await test.leased(['a']);
    await test.add('h', ['b']);
    await test.assertDue([], 'hosts due while leased');
    await test.release(lease, 1);
    await test.assertDue([], 'hosts due before the released time');
    await test.pass(1);
    assertEqual(await test.leaseNames(), ['b'], 'what was added meanwhile');
  });
}

export function reopenTests(it: RegisterTest, { capabilities }: SuiteOptions): void {
  if (capabilities.durable === 'none') return;

  it('A2', 'what is known stays known after a reopen, queued or finished', async (test) => {
    const { entries, ...lease } = await test.leased(['finished', 'queued'], 100, 1);
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
    await test.assertDue([], 'hosts due right after a reopen');
    await test.assertDueAfter(5, ['entry'], 'hosts due when an entry has waited, after a reopen', 'L7');
    await test.assertDueAfter(2, ['host'], 'hosts due when a host may be requested again, after a reopen');
    await test.assertDueAfter(2, ['idle'], 'hosts due at the saved time of an idle one, after a reopen', 'A3');
    await test.assertDueAfter(2, ['lane'], 'hosts due when a lane is open again, after a reopen', 'L8');
  });

  it('L5', 'the number of times that an entry was handed out survives a reopen', async (test) => {
    const lease = await test.leased(['again', 'back', 'once'], 100, 2);
    const requeue = idsOf(lease.entries.slice(0, 1)).map((id) => ({ id }));
    await test.commit(lease, { requeue, ...RELEASE });
    await test.reopen();
    const attempts = (await test.leaseOnly()).entries.map((entry) => `${nameOf(entry)} ${entry.attempt}`);
    assertEqual(attempts, ['back 1', 'once 0', 'again 1'], 'entries and their attempts after a reopen');
  });

  it('L4', 'a reopen ends no lease before its delay', async (test) => {
    await test.add('h', ['a', 'b']);
    const request = { maxHosts: 1, entriesPerHost: ALL, ttlMs: 6 * test.unit, delayMs: 6 * test.unit };
    await test.store.lease(request);
    await test.reopen();
    await test.assertDueAfter(5, [], 'hosts due before the delay of a lease, after a reopen');
    const byName = await test.store.lease({ ...request, hosts: ['h'] });
    assertEqual(byName.length, 0, 'leases by name before that delay, after a reopen');
    await test.pass(8);
    assertEqual(await test.leaseNames(), ['a', 'b'], 'entries of the lease, after a reopen');
  });
}
