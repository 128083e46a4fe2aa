// The next due time, records, reserved slots, opening, scans, and refusals that change nothing (N1, R1, R2, O2, X1 …
// X3).

import { setImmediate } from 'node:timers/promises';
import type { FrontierStore } from '../store.js';
import {
  ALL,
  assert,
  assertEqual,
  client,
  codeOf,
  idsOf,
  nameOf,
  names,
  namesOf,
  RELEASE,
  type RegisterTest,
  type StoreTest,
} from './store-test.js';
import type { SuiteOptions } from './suite-options.js';

const MAX_RECORD_BYTES = 1_048_576;
const MAX_STATE_BYTES = 1_024;
const MAX_LISTING_PAGES = 1_000;

/** All items of a listing, read page by page. `limit`: the most items of a page. */
async function listAll<Item>(
  list: (cursor: string | null) => Promise<{ readonly cursor: string | null; readonly items: readonly Item[] }>,
  limit = ALL,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_LISTING_PAGES; page += 1) {
    const { items, cursor: next } = await list(cursor);
    assert(items.length <= limit, `a page of ${items.length} items, requested ${limit}`);
    all.push(...items);
    if (next === null) return all;
    cursor = next;
  }
  assert(false, `a listing did not end in ${MAX_LISTING_PAGES} pages`);
}

async function scanNames(store: FrontierStore, limit: number, host?: string): Promise<string[]> {
  const items = await listAll((cursor) => store.scan(cursor, limit, host), limit);
  return items.map((item) => `${item.host} ${nameOf(item.entry)}`);
}

function assertBytes(actual: Uint8Array | null | undefined, expected: Uint8Array, what: string): void {
  assert(actual != null && Buffer.compare(actual, expected) === 0, `${what} changed`);
}

export function boundaryTests(it: RegisterTest, { capabilities }: SuiteOptions): void {
  it('N1', 'the next due time is never later than the truth', async (test) => {
    assertEqual(await test.store.nextDueInMs(), null, 'of an empty store');
    for (const [at, host] of ['a', 'b', 'c'].entries()) {
      await test.add(host, ['1', '2']);
      assertEqual(await test.store.nextDueInMs(), 0, `with ${host} due`);
      await test.release(await test.leaseOnly(100, 1), 9 - 2 * at);
    }
    for (let passed = 0; passed < 12; passed += 1) {
      const dueInMs = await test.store.nextDueInMs();
      const due = await test.leaseAll(1, { entriesPerHost: 1 });
      assert(due.length === 0 || dueInMs === 0, `said ${dueInMs} ms although ${due.length} hosts were due`);
      assert(dueInMs !== null, 'said nothing waits although entries are queued');
      for (const lease of due) await test.release(lease, 3, namesOf(lease.entries));
      await test.pass(1);
    }
  });

  it('M1', 'every known fingerprint is listed, and can be made known to another store', async (test) => {
    const { store, unit } = test;
    const listKnown = store.listKnown?.bind(store);
    const listHosts = store.listHosts?.bind(store);
    if (listKnown === undefined || listHosts === undefined || store.know === undefined) return;
    await test.add('a', names('page', 700));
    await test.add('b', ['1', '2'], { lane: 'other', notBeforeMs: 9 * unit });
    await test.add('idle', ['1']);
    await test.add('parked', ['1', '2']);
    await test.add('held', ['1']);
    const state = new Uint8Array([1, 2]);
    for (const lease of await test.leaseAll(3, { entriesPerHost: 1 })) {
      const { host, entries } = lease;
      const dueInMs = host === 'parked' ? null : host === 'idle' ? 7 * unit : 2 * unit;
      // One holder vanishes.
      const then = host === 'held' ? { keep: { ttlMs: 3 * unit, want: 0 } } : { release: { dueInMs } };
      await test.commit(lease, { done: idsOf(entries), state, delayMs: 4 * unit, then });
    }
    await test.pass(1);
    const hosts = await listAll((cursor) => listHosts(cursor, 2));
    assertEqual(hosts.map(({ host }) => host).toSorted(), ['a', 'b', 'held', 'idle', 'parked'], 'the hosts');
    const of = (name: string) => hosts.find(({ host }) => host === name)!;
    const assertWaits = (what: string, ms: number, units: number) =>
      assert(ms > (units - 0.5) * unit && ms <= units * unit, `${what} waits ${ms} ms, expected ${units * unit}`);
    assertWaits('a released host', of('a').waitMs, 1);
    assertWaits('a host with nothing queued', of('idle').waitMs, 6);
    // Until the lease ends, and then the delay.
    assertWaits('a host whose holder vanished', of('held').waitMs, 6);
    const parked = [of('parked').isParked, of('a').isParked, of('b').waitMs];
    assertEqual(parked, [true, false, 0], 'parked, not parked, new');
    assertEqual([...(of('a').state ?? [])], [1, 2], 'the state');
    assertEqual([of('a').delayMs, of('b').state], [4 * unit, null], 'delay and state');
    const waits = await listAll((cursor) => store.scan(cursor, 100));
    const waiting = waits.filter(({ waitMs = 0 }) => waitMs > 0);
    const found = waiting.map(({ host, entry }) => `${host} ${nameOf(entry)}`);
    assertEqual(found, ['b 1', 'b 2'], 'entries that wait');
    assertWaits('an entry', waiting[0]?.waitMs ?? 0, 8);
    const known = new Set((await listAll((cursor) => listKnown(cursor, 300))).map((one) => one.join()));
    assertEqual(known.size, 706, 'what is known');
    assert(known.has(test.entry('idle', '1').fingerprint.join()), 'a finished page is not known');
    const elsewhere = names('new', 1_000).map((name) => test.entry('a', name).fingerprint);
    await store.know(elsewhere);
    await store.know(elsewhere.slice(0, 9));
    const outcomes = await test.add('a', ['new0', 'new999', 'page3', 'really new']);
    assertEqual(outcomes, ['known', 'known', 'known', 'new'], 'pages that are known now, and a new one');
    await test.reopenIfDurable();
    assertEqual((await test.add('a', ['new7'])).join(), 'known', 'a page that is known, after a reopen');
  });

  const destroyed = async (test: StoreTest): Promise<void> => {
    const { store, made } = test;
    if (made.connect === undefined || store.destroy === undefined) return;
    await test.add('a', names('page', 300));
    await test.add('b', ['1'], { notBeforeMs: 5 * test.unit, lane: 'other' });
    await store.writeRecord('k', new Uint8Array([1]));
    await store.reserve?.([{ key: 'slot', delayMs: test.unit }]);
    await test.leaseAll();
    const [, other = store] = await test.clients(2);
    await other.nextDueInMs();
    await store.destroy();
    assertEqual(await codeOf(store.stats()), 'closed', 'the client that destroyed it');
    assert((await codeOf(other.add([test.entry('a', 'late')]))) !== null, 'another client took it for a new crawl');
    const absent = await made.connect();
    const opened = codeOf(absent.open({ crawl: 'another', create: false }));
    assertEqual(await opened, 'store-mismatch', 'opening what is gone');
    await absent.close();
    test.store = await made.connect();
    await test.open();
    const { queued, known, hosts, inFlight } = await test.store.stats();
    assertEqual([queued, known, hosts, inFlight], [0, 0, 0, 0], 'the new crawl has of the old one');
    assertEqual(await test.store.readRecord('k'), null, 'a record of the old one');
    assertEqual(await test.add('a', ['page1']), ['new'], 'a page of the old one');
  };
  // If no other client can have the crawl, its file is removed.
  if (capabilities.shared) it('D1', 'a destroyed crawl is gone for every client, and can be created again', destroyed);

  it('R1', 'the last write of a record wins, and no reader sees a part of one', async (test) => {
    const { store } = test;
    assertEqual(await store.readRecord('k'), null, 'a record that was never written');
    await store.writeRecord('k', new Uint8Array([1]));
    await store.writeRecord('other', new Uint8Array([7]));
    await store.writeRecord('k', new Uint8Array([2, 3]));
    assertEqual([...((await store.readRecord('k')) ?? [])], [2, 3], 'a record written twice');
    const [one = store, other = store] = await test.clients(2);
    const fill = (byte: number) => new Uint8Array(100_000).fill(byte);
    await Promise.all([one.writeRecord('k', fill(4)), other.writeRecord('k', fill(5))]);
    const read = await other.readRecord('k');
    assert(read?.length === 100_000 && new Set(read).size === 1, 'a record is a mixture of two writes');
    await store.writeRecord('k', null);
    assertEqual(await store.readRecord('k'), null, 'a record that was removed');
    assertEqual([...((await store.readRecord('other')) ?? [])], [7], 'another record');
  });

  it('R3', 'a listing has each record with the prefix once, whatever the page size', async (test) => {
    const { store } = test;
    const list = store.listRecords?.bind(store);
    if (list === undefined) return;
    const names = Array.from({ length: 250 }, (_, at) => `visit/${at * 7_919}`);
    for (const name of ['visit', 'visitor', 'other', ...names])
      await store.writeRecord(name, new TextEncoder().encode(name));
    await store.writeRecord('visit/7919', null);
    for (const limit of [1, 7, 250, 10_000]) {
      const items = await listAll((cursor) => list('visit/', cursor, limit), limit);
      for (const { key, value } of items) assertEqual(new TextDecoder().decode(value), key, 'the value of a record');
      const found = items.map(({ key }) => key);
      assertEqual(found.sort(), names.filter((name) => name !== 'visit/7919').sort(), `listed with pages of ${limit}`);
    }
  });

  it('R1, X3', 'a record that is too long is refused, and the old one stays', async (test) => {
    await test.store.writeRecord('k', new Uint8Array(MAX_RECORD_BYTES).fill(1));
    const code = await codeOf(test.store.writeRecord('k', new Uint8Array(MAX_RECORD_BYTES + 1)));
    assertEqual(code, 'record-too-large', 'code of the refusal', 'X3');
    assertEqual((await test.store.readRecord('k'))?.length, MAX_RECORD_BYTES, 'length of the record');
  });

  if (capabilities.durable !== 'none')
    it('R1', 'records survive a reopen', async (test) => {
      const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      await test.store.writeRecord('https://example.org robots', value);
      await test.store.writeRecord('gone', value);
      await test.store.writeRecord('gone', null);
      await test.reopen();
      assertEqual([...((await test.store.readRecord('https://example.org robots')) ?? [])], [...value], 'the record');
      assertEqual(await test.store.readRecord('gone'), null, 'the record that was removed');
    });

  it('R2', 'reserved slots of one key never overlap', async (test) => {
    const { store, unit } = test;
    if (store.reserve === undefined) return;
    const clients = await test.clients(4);
    const slot = [{ key: 'address', delayMs: 10 * unit }];
    const waits = (await Promise.all([...clients, ...clients].map((client) => client.reserve?.(slot) ?? []))).flat();
    for (const [at, wait] of waits.toSorted((a, b) => a - b).entries()) {
      const expected = at * 10 * unit;
      assert(Math.abs(wait - expected) <= unit, `slot ${at} of eight waits ${wait} ms, expected ${expected}`);
    }
    const [other] = await store.reserve([{ key: 'another', delayMs: unit }]);
    assertEqual(other, 0, 'wait of another key');
    await test.pass(100);
    assertEqual((await store.reserve(slot))[0], 0, 'wait after the slots have passed');
  });

  // Read one after the other: what is read second is no older.
  it('C5', 'a reader that finds a page done finds its links', async (test) => {
    const { host, fencingToken, entries } = await test.leased(['page']);
    const [, reader = test.store] = await test.clients(2);
    const linked = names('link', 20);
    const links = linked.map((name) => test.entry('other', name));
    let isAnswered = false;
    const answer = test.store.commit([{ host, fencingToken, done: idsOf(entries), ...RELEASE }], links).finally(() => {
      isAnswered = true;
    });
    // Handled at once, since a failed assertion leaves it behind.
    const settled = answer.catch(() => undefined);
    try {
      while (!isAnswered) {
        const isDone = (await scanNames(reader, ALL, 'h')).length === 0;
        const seen = await scanNames(reader, ALL, 'other');
        assert(!isDone || seen.length === linked.length, `a page was done with ${seen.length} of its 20 links`);
        await setImmediate();
      }
    } finally {
      await settled;
    }
    await answer;
  });

  it('O2', 'verbs before open and after close are refused', async (test) => {
    const connected = await test.made.connect?.();
    if (connected !== undefined) {
      const spare = client(connected);
      assertEqual(await codeOf(spare.add([])), 'not-open', 'code of an add before open');
      await spare.close();
    }
    await test.store.close();
    await test.store.close();
    assertEqual(await codeOf(test.store.add([test.entry('h', 'a')])), 'closed', 'code of an add after close');
    assertEqual(await codeOf(test.store.readRecord('k')), 'closed', 'code of a read after close');
  });

  if (capabilities.durable !== 'none')
    it('O2', 'another crawl is refused', async (test) => {
      await test.add('h', ['a']);
      await test.store.close();
      const other = await test.made.reopen?.();
      assert(other !== undefined, 'a durable store needs `reopen`', 'suite');
      const code = await codeOf(other.open({ crawl: 'another', create: true }));
      await other.close();
      assertEqual(code, 'store-mismatch', 'code of opening another crawl');
      await test.reopen();
      assertEqual(await test.leaseNames(), ['a'], 'what the refused open left');
    });

  it('X1', 'only durations cross the interface', async (test) => {
    const { unit } = test;
    await test.add('h', ['a']);
    await test.add('h', ['b'], { notBeforeMs: 7 * unit });
    const lease = await test.leaseOnly(50);
    assertEqual(namesOf(lease.entries), ['a'], 'the entries of the lease');
    const dueInMs = await test.store.nextDueInMs();
    const isDuration = dueInMs === null || (dueInMs >= 0 && dueInMs <= 50 * unit);
    assert(isDuration, `next due in ${dueInMs} ms, expected a duration`);
  });

  it('X1', 'reading one host returns durations and changes nothing', async (test) => {
    const { store, unit } = test;
    const read = store.readHost?.bind(store);
    if (read === undefined) return;
    assertEqual(await read('h'), null, 'an unknown host');
    await test.add('h', ['a', 'b', 'c']);
    const due = await read('h');
    assertEqual([due?.queued, due?.inFlight, due?.isLeased, due?.dueInMs], [3, 0, false, 0], 'a host that is due');
    const lease = await test.leaseOnly(5, 1);
    await test.keep(lease, 0, { state: new Uint8Array([1, 2]), delayMs: unit }, 5);
    const leased = await read('h');
    const { queued, inFlight, isLeased, isParked } = leased ?? {};
    assertEqual([queued, inFlight, isLeased, isParked], [2, 1, true, false], 'a host that is leased');
    assertEqual([...(leased?.state ?? [])], [1, 2], 'its state');
    const inMs = leased?.dueInMs ?? Number.NaN;
    assert(inMs > 0 && inMs <= 6 * unit, `a leased host is due in ${inMs} ms, expected at most six units`);
    await test.release(lease, null, namesOf(lease.entries));
    const parked = await read('h');
    assertEqual([parked?.isParked, parked?.dueInMs], [true, null], 'a host that is parked');
    await test.assertDue([], 'hosts due after a parked one was read');
  });

  it('X1', 'a fingerprint is known from when it is added, also after its entry is done', async (test) => {
    if (test.store.isKnown === undefined) return;
    const isKnown = (name: string) => test.store.isKnown?.(test.entry('h', name).fingerprint, 'h');
    assertEqual(await isKnown('a'), false, 'a page that was never added');
    await test.add('h', names('a', 300));
    const lease = await test.leaseOnly(5, 300);
    await test.release(lease, 0, namesOf(lease.entries));
    await test.reopenIfDurable();
    assertEqual([await isKnown('a0'), await isKnown('a299')], [true, true], 'pages that are done');
    assertEqual(
      [await isKnown('b'), (await test.store.stats()).known],
      [false, 300],
      'another page, and what is known',
    );
  });

  it('X2', 'a scan lists everything once, in pages no larger than requested', async (test) => {
    for (const host of names('h', 7)) await test.add(host, names('n', 30));
    const [lease] = await test.leaseAll(100, { maxHosts: 1, entriesPerHost: 10 });
    assert(lease !== undefined, 'nothing was due');
    await test.release(lease, 50, namesOf(lease.entries).slice(0, 4));
    await test.leaseAll(100, { maxHosts: 1, entriesPerHost: 5 });
    const all = await scanNames(test.store, 16);
    const expected = names('h', 7).flatMap((host) => names('n', 30).map((name) => `${host} ${name}`));
    const done = namesOf(lease.entries.slice(4)).map((name) => `${lease.host} ${name}`);
    assertEqual(all.toSorted(), expected.filter((one) => !done.includes(one)).toSorted(), 'what a scan lists');
    const ofOne = names('n', 30).map((name) => `h6 ${name}`);
    assertEqual((await scanNames(test.store, 4, 'h6')).toSorted(), ofOne.toSorted(), 'what a scan of one host lists');
    assertEqual(await scanNames(test.store, 4, 'unknown'), [], 'what a scan of an unknown host lists');
  });

  it('X3', 'values as long as allowed, in any characters, are stored unchanged', async (test) => {
    const { store, capabilities: limits } = test;
    const oddName = `'"\\;--$1 $$ %*?[a]\t\u0001\u202e\u{1f600}`;
    const hosts = [`${'a.'.repeat(126)}b`, '__proto__', 'constructor', '[2001:db8::1]', oddName, oddName.repeat(9)];
    // Keys are compared byte by byte.
    hosts.push('key', 'KEY', 'key ', 'k\u00e9y', 'ke\u0301y');
    const bytesOf = (count: number, first: number) =>
      Uint8Array.from({ length: count }, (_, at) => (at * 7 + first) % 256);
    for (const [at, host] of hosts.entries()) {
      const entry = { ...test.entry(host, 'a'), lane: host, body: bytesOf(limits.maxBody, at) };
      assertEqual(await store.add([entry]), ['new'], `an entry of ${host}`);
      await store.writeRecord(host, bytesOf(1_000, at));
    }
    const leases = await test.leaseAll(100);
    assertEqual(leases.map(({ host }) => host).toSorted(), hosts.toSorted(), 'hosts that are due');
    for (const lease of leases) {
      const at = hosts.indexOf(lease.host);
      const [entry] = lease.entries;
      assertBytes(entry?.body, bytesOf(limits.maxBody, at), `the entry of ${lease.host}`);
      await test.commit(lease, { done: [], state: bytesOf(MAX_STATE_BYTES, at), then: { release: { dueInMs: 0 } } });
    }
    for (const lease of await test.leaseAll(100)) {
      const at = hosts.indexOf(lease.host);
      assertBytes(lease.state, bytesOf(MAX_STATE_BYTES, at), `the state of ${lease.host}`);
      assertBytes(await store.readRecord(lease.host), bytesOf(1_000, at), `the record of ${lease.host}`);
      assertEqual((await store.scan(null, 10, lease.host)).items.length, 1, `what a scan of ${lease.host} lists`);
    }
  });

  it('X3', 'a refused add leaves no entry half added', async (test) => {
    const good = ['a', 'b', 'c'].map((name) => test.entry('h', name));
    const long = { ...test.entry('h', 'long'), body: new Uint8Array(test.capabilities.maxBody + 1) };
    const code = await codeOf(test.store.add([...good, long]));
    assertEqual(code, 'record-too-large', 'code of the refusal');
    await test.store.add(good);
    assertEqual(await test.leaseNames(), ['a', 'b', 'c'], 'what is queued once the rest is added');
  });

  it('X3', 'a refused commit leaves the host as it was', async (test) => {
    const lease = await test.leased(['a', 'b'], 100, 1);
    const [id = ''] = idsOf(lease.entries);
    const long = { done: [id], state: new Uint8Array(MAX_STATE_BYTES + 1), ...RELEASE };
    assertEqual(await codeOf(test.commit(lease, long)), 'record-too-large', 'code of the refusal of a state');
    const requeue = [{ id, body: new Uint8Array(test.capabilities.maxBody + 1) }];
    const longBody = test.commit(lease, { requeue, ...RELEASE });
    assertEqual(await codeOf(longBody), 'record-too-large', 'code of the refusal of a body that is queued again');
    await test.assertDue([], 'hosts due after a refused release');
    assertEqual(await test.keep(lease, ALL, {}, 1), ['b'], 'entries after a refused commit');
    await test.pass(2);
    assertEqual(await test.leaseNames(), ['a', 'b'], 'entries after the refused holder vanished');
  });
}
