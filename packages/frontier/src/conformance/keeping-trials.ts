// The time of the next thing due, records, reserved slots, opening, scans, and refusals that leave nothing behind
// (N1, R1, R2, O2, X1 … X3).

import { codeOf, must, mustEqual } from './must.js';
import type { StoreTrial } from './store-trial.js';
import type { SuiteOptions } from './suite-options.js';
import { ALL, nameOf, names, namesOf, type Trial } from './trial.js';

const RECORD_MOST = 1_048_576;
const STATE_MOST = 1_024;

/** The trials of everything but adding, leasing and committing. */
export function keepingTrials(options: SuiteOptions): StoreTrial[] {
  const isDurable = options.capabilities.durable !== 'none';
  return [
    { invariants: ['N1'], title: 'the next due time is never later than the truth', run: nextDue },
    { invariants: ['R1'], title: 'the last record wins, and only whole ones are read', run: records },
    { invariants: ['R1', 'X3'], title: 'a record that is too long is refused and the old one stays', run: longRecord },
    ...(isDurable ? [{ invariants: ['R1'], title: 'records survive a reopen', run: recordsReopened }] : []),
    { invariants: ['R2'], title: 'reserved slots of one key never overlap', run: reservedSlots },
    { invariants: ['O2'], title: 'verbs before open and after close are refused by name', run: openAndClosed },
    ...(isDurable ? [{ invariants: ['O2'], title: 'another crawl is refused by name', run: anotherCrawl }] : []),
    { invariants: ['X1'], title: 'only durations cross the interface', run: durations },
    { invariants: ['X1'], title: 'one host is read in durations, and reading it changes nothing', run: oneHost },
    { invariants: ['X2'], title: 'a scan lists everything once, in pages no longer than asked for', run: scanned },
    { invariants: ['X3'], title: 'a refused add leaves no entry half added', run: refusedAdd },
    { invariants: ['X3'], title: 'a refused commit leaves the host as it was', run: refusedCommit },
  ];
}

async function nextDue(trial: Trial): Promise<void> {
  mustEqual(await trial.store.nextDueInMs(), null, 'N1', 'of an empty store');
  for (const [at, host] of ['a', 'b', 'c'].entries()) {
    await trial.add(host, ['1', '2']);
    mustEqual(await trial.store.nextDueInMs(), 0, 'N1', `with ${host} due`);
    await trial.release(await trial.leaseOnly('N1', 100, 1), 9 - 2 * at);
  }
  for (let passed = 0; passed < 12; passed += 1) {
    const dueInMs = await trial.store.nextDueInMs();
    const due = await trial.leaseAll(1, { entriesPerHost: 1 });
    must(due.length === 0 || dueInMs === 0, 'N1', `said ${dueInMs} ms although ${due.length} hosts were due`);
    must(dueInMs !== null, 'N1', 'said nothing waits although entries are queued');
    for (const lease of due) await trial.release(lease, 3, namesOf(lease.entries));
    await trial.pass(1);
  }
}

async function records(trial: Trial): Promise<void> {
  const { store } = trial;
  mustEqual(await store.readRecord('k'), null, 'R1', 'a record that was never written');
  await store.writeRecord('k', new Uint8Array([1]));
  await store.writeRecord('other', new Uint8Array([7]));
  await store.writeRecord('k', new Uint8Array([2, 3]));
  mustEqual([...((await store.readRecord('k')) ?? [])], [2, 3], 'R1', 'a record written twice');
  const [one = store, other = store] = await trial.clients(2);
  const fill = (byte: number) => new Uint8Array(100_000).fill(byte);
  await Promise.all([one.writeRecord('k', fill(4)), other.writeRecord('k', fill(5))]);
  const read = await other.readRecord('k');
  must(read?.length === 100_000 && new Set(read).size === 1, 'R1', 'a record is a mixture of two writes');
  await store.writeRecord('k', null);
  mustEqual(await store.readRecord('k'), null, 'R1', 'a record that was removed');
  mustEqual([...((await store.readRecord('other')) ?? [])], [7], 'R1', 'another record');
}

async function longRecord(trial: Trial): Promise<void> {
  await trial.store.writeRecord('k', new Uint8Array(RECORD_MOST).fill(1));
  const code = await codeOf(trial.store.writeRecord('k', new Uint8Array(RECORD_MOST + 1)));
  mustEqual(code, 'record-too-large', 'X3', 'code of the refusal');
  mustEqual((await trial.store.readRecord('k'))?.length, RECORD_MOST, 'R1', 'length of the record');
}

async function recordsReopened(trial: Trial): Promise<void> {
  const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  await trial.store.writeRecord('https://example.org robots', value);
  await trial.store.writeRecord('gone', value);
  await trial.store.writeRecord('gone', null);
  await trial.reopen();
  mustEqual([...((await trial.store.readRecord('https://example.org robots')) ?? [])], [...value], 'R1', 'the record');
  mustEqual(await trial.store.readRecord('gone'), null, 'R1', 'the record that was removed');
}

async function reservedSlots(trial: Trial): Promise<void> {
  const { store, unit } = trial;
  if (store.reserve === undefined) return;
  const clients = await trial.clients(4);
  const slot = [{ key: 'address', delayMs: 10 * unit }];
  const waits = (await Promise.all([...clients, ...clients].map((client) => client.reserve?.(slot) ?? []))).flat();
  for (const [at, wait] of waits.toSorted((a, b) => a - b).entries()) {
    must(
      Math.abs(wait - at * 10 * unit) <= unit,
      'R2',
      `slot ${at} of eight waits ${wait} ms, expected ${at * 10 * unit}`,
    );
  }
  const [other] = await store.reserve([{ key: 'another', delayMs: unit }]);
  mustEqual(other, 0, 'R2', 'wait of another key');
  await trial.pass(100);
  mustEqual((await store.reserve(slot))[0], 0, 'R2', 'wait after the slots have passed');
}

async function openAndClosed(trial: Trial): Promise<void> {
  const spare = await trial.made.connect?.();
  if (spare !== undefined) {
    mustEqual(await codeOf(spare.add([])), 'not-open', 'O2', 'code of an add before open');
    await spare.close();
  }
  await trial.store.close();
  await trial.store.close();
  mustEqual(await codeOf(trial.store.add([trial.entry('h', 'a')])), 'closed', 'O2', 'code of an add after close');
  mustEqual(await codeOf(trial.store.readRecord('k')), 'closed', 'O2', 'code of a read after close');
}

async function anotherCrawl(trial: Trial): Promise<void> {
  await trial.add('h', ['a']);
  await trial.store.close();
  const other = await trial.made.reopen?.();
  must(other !== undefined, 'suite', 'a durable store needs `reopen`');
  const code = await codeOf(other.open({ crawl: 'another', owner: 'x', create: true }));
  await other.close();
  mustEqual(code, 'store-mismatch', 'O2', 'code of opening another crawl');
  await trial.reopen();
  mustEqual(namesOf((await trial.leaseOnly('O2')).entries), ['a'], 'O2', 'what the refused open left');
}

async function durations(trial: Trial): Promise<void> {
  const { unit } = trial;
  await trial.add('h', ['a']);
  await trial.add('h', ['b'], { notBeforeMs: 7 * unit });
  const lease = await trial.leaseOnly('X1', 50);
  mustEqual([lease.ttlMs, namesOf(lease.entries)], [50 * unit, ['a']], 'X1', 'duration of the lease, and its entries');
  must(lease.notBeforeMs <= unit, 'X1', `a host that was due says not before ${lease.notBeforeMs} ms`);
  const dueInMs = await trial.store.nextDueInMs();
  must(
    dueInMs === null || (dueInMs >= 0 && dueInMs <= 50 * unit),
    'X1',
    `next due in ${dueInMs} ms, expected a duration`,
  );
}

async function oneHost(trial: Trial): Promise<void> {
  const { store, unit } = trial;
  const read = store.readHost?.bind(store);
  if (read === undefined) return;
  mustEqual(await read('h'), null, 'X1', 'a host that was never met');
  await trial.add('h', ['a', 'b', 'c']);
  const due = await read('h');
  mustEqual([due?.queued, due?.inFlight, due?.isLeased, due?.dueInMs], [3, 0, false, 0], 'X1', 'a host that is due');
  const { host, fencingToken } = await trial.leaseOnly('X1', 5, 1);
  const state = new Uint8Array([1, 2]);
  await trial.commit({ host, fencingToken, state, delayMs: unit, then: { keep: { ttlMs: 5 * unit, want: 0 } } });
  const leased = await read('h');
  const { queued, inFlight, isLeased, isParked } = leased ?? {};
  mustEqual([queued, inFlight, isLeased, isParked], [2, 1, true, false], 'X1', 'a host that is leased');
  mustEqual([...(leased?.state ?? [])], [1, 2], 'X1', 'its state');
  const inMs = leased?.dueInMs ?? Number.NaN;
  must(inMs > 0 && inMs <= 6 * unit, 'X1', `a leased host is due in ${inMs} ms, expected at most six units`);
  await trial.commit({ host, fencingToken, then: { release: { dueInMs: null } } });
  const parked = await read('h');
  mustEqual([parked?.isParked, parked?.dueInMs], [true, null], 'X1', 'a host that is parked');
  mustEqual(await trial.dueHosts(), [], 'X1', 'hosts due after a parked one was read');
}

async function scanned(trial: Trial): Promise<void> {
  for (const host of names('h', 7)) await trial.add(host, names('n', 30));
  const [lease] = await trial.leaseAll(100, { maxHosts: 1, entriesPerHost: 10 });
  must(lease !== undefined, 'X2', 'nothing was due');
  await trial.release(lease, 50, namesOf(lease.entries).slice(0, 4));
  await trial.leaseAll(100, { maxHosts: 1, entriesPerHost: 5 });
  const all = await everyPage(trial, 16);
  const expected = names('h', 7).flatMap((host) => names('n', 30).map((name) => `${host} ${name}`));
  const done = namesOf(lease.entries)
    .slice(4)
    .map((name) => `${lease.host} ${name}`);
  mustEqual(all.toSorted(), expected.filter((one) => !done.includes(one)).toSorted(), 'X2', 'what a scan lists');
  const ofOne = await everyPage(trial, 4, 'h6');
  mustEqual(
    ofOne.toSorted(),
    names('n', 30)
      .map((name) => `h6 ${name}`)
      .toSorted(),
    'X2',
    'what a scan of one host lists',
  );
  mustEqual(await everyPage(trial, 4, 'nobody'), [], 'X2', 'what a scan of an unknown host lists');
}

async function everyPage(trial: Trial, limit: number, host?: string): Promise<string[]> {
  const listed: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 1_000; page += 1) {
    const { items, cursor: next } = await trial.store.scan(cursor, limit, host);
    must(items.length <= limit, 'X2', `a page of ${items.length} items, asked for ${limit}`);
    listed.push(...items.map((item) => `${item.host} ${nameOf(item.entry)}`));
    if (next === null) return listed;
    cursor = next;
  }
  must(false, 'X2', 'a scan of 210 entries did not end in 1,000 pages');
}

async function refusedAdd(trial: Trial): Promise<void> {
  const good = ['a', 'b', 'c'].map((name) => trial.entry('h', name));
  const long = { ...trial.entry('h', 'long'), body: new Uint8Array(trial.capabilities.maxBody + 1) };
  const code = await codeOf(trial.store.add([...good, long]));
  mustEqual(code, 'record-too-large', 'X3', 'code of the refusal');
  await trial.store.add(good);
  mustEqual(
    namesOf((await trial.leaseOnly('X3')).entries),
    ['a', 'b', 'c'],
    'X3',
    'what is queued once the rest is added',
  );
}

async function refusedCommit(trial: Trial): Promise<void> {
  await trial.add('h', ['a', 'b']);
  const lease = await trial.leaseOnly('X3', 100, 1);
  const part = {
    host: 'h',
    fencingToken: lease.fencingToken,
    done: lease.entries.map(({ id }) => id),
    then: { release: { dueInMs: 0 } },
  };
  const long = { ...part, state: new Uint8Array(STATE_MOST + 1) };
  mustEqual(await codeOf(trial.store.commit([long])), 'record-too-large', 'X3', 'code of the refusal');
  mustEqual(await trial.dueHosts(), [], 'X3', 'hosts due after a refused release');
  const { host, fencingToken } = lease;
  const more = await trial.commit({ host, fencingToken, then: { keep: { ttlMs: trial.unit, want: ALL } } });
  mustEqual(more === 'lost' ? more : namesOf(more), ['b'], 'X3', 'entries after a refused commit');
  await trial.pass(2);
  mustEqual(
    namesOf((await trial.leaseOnly('X3')).entries),
    ['a', 'b'],
    'X3',
    'entries after the refused holder vanished',
  );
}
