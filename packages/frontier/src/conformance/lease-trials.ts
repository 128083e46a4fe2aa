// Leasing: one holder, in time, oldest first, fenced (L1 … L4, L6). What comes with a lease is tried in `entry-trials.ts`.

import type { Lease } from '../store.js';
import { must, mustEqual } from './must.js';
import type { StoreTrial } from './store-trial.js';
import { ALL, names, type Trial } from './trial.js';

/** The trials of `lease`. */
export function leaseTrials(): StoreTrial[] {
  return [
    { invariants: ['L1'], title: 'a leased host is granted to nobody else, by name neither', run: oneHolder },
    { invariants: ['L1'], title: 'renewing a lease keeps others out', run: renewedHolder },
    { invariants: ['L2'], title: 'only hosts whose time has passed, oldest first', run: oldestFirst },
    {
      invariants: ['L2'],
      title: 'a host asked for by name is granted with nothing queued, when its time has passed',
      run: byName,
    },
    { invariants: ['L3'], title: 'fencingTokens grow at every lease and every release', run: fencingTokensGrow },
    { invariants: ['L4'], title: 'a host whose holder vanished is due at lease end + delay', run: vanishedHolder },
    {
      invariants: ['L4'],
      title: 'the delay that a lease is given holds although its holder never said a word',
      run: vanishedBeforeItsFirstWord,
    },
    { invariants: ['L6'], title: 'concurrent callers get disjoint hosts', run: disjoint },
  ];
}

async function oneHolder(trial: Trial): Promise<void> {
  await trial.add('h', names('a', 3));
  await trial.leaseOnly('L1', 10, 1);
  mustEqual(await trial.dueHosts(), [], 'L1', 'hosts granted a second time');
  const byName = await trial.store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: 1, hosts: ['h'] });
  mustEqual(byName.length, 0, 'L1', 'leases of a leased host by name');
  await trial.pass(9);
  mustEqual(await trial.dueHosts(), [], 'L1', 'hosts granted a second time shortly before the lease ends');
}

async function renewedHolder(trial: Trial): Promise<void> {
  await trial.add('h', names('a', 3));
  const { host, fencingToken } = await trial.leaseOnly('L1', 4, 1);
  for (let round = 0; round < 5; round += 1) {
    await trial.pass(3);
    const more = await trial.commit({ host, fencingToken, then: { keep: { ttlMs: 4 * trial.unit, want: 0 } } });
    mustEqual(more, [], 'L1', 'answer to a renewal under the same fencingToken');
    mustEqual(await trial.dueHosts(), [], 'L1', 'hosts granted a second time after a renewal');
  }
}

async function oldestFirst(trial: Trial): Promise<void> {
  for (const host of ['a', 'b', 'c', 'd']) await trial.add(host, ['1', '2']);
  const dueUnits: Readonly<Record<string, number>> = { a: 3, b: 1, c: 2, d: 9 };
  for (const lease of await trial.leaseAll(100, { entriesPerHost: 1 }))
    await trial.release(lease, dueUnits[lease.host] ?? 0);
  mustEqual(await trial.dueHosts(), [], 'L2', 'hosts due before any time has passed');
  await trial.pass(4);
  const first = await trial.leaseAll(100, { maxHosts: 1 });
  mustEqual(
    first.map(({ host }) => host),
    ['b'],
    'L2',
    'the oldest host',
  );
  mustEqual(await trial.dueHosts(), ['c', 'a'], 'L2', 'the others, oldest first');
}

async function byName(trial: Trial): Promise<void> {
  const ask = (hosts: readonly string[]) =>
    trial.store.lease({ maxHosts: ALL, entriesPerHost: 1, ttlMs: trial.unit, hosts });
  await trial.add('other', ['a']);
  const [lease, ...rest] = await ask(['h']);
  must(
    lease?.host === 'h' && rest.length === 0,
    'L2',
    'a free host without entries was not granted by name, or not it alone',
  );
  mustEqual([lease.entries.length, lease.queued], [0, 0], 'L2', 'entries in hand and queued');
  await trial.release(lease, 3);
  mustEqual((await ask(['h'])).length, 0, 'L2', 'leases by name before the next allowed time');
  await trial.pass(3);
  mustEqual(
    (await ask(['h', 'other'])).map(({ host }) => host),
    ['h', 'other'],
    'L2',
    'leases by name afterwards',
  );
}

async function fencingTokensGrow(trial: Trial): Promise<void> {
  await trial.add('h', names('a', 8));
  let last = -1n;
  const grows = ({ fencingToken }: Lease) => {
    must(
      /^\d+$/.test(fencingToken) && BigInt(fencingToken) > last,
      'L3',
      `fencingToken ${fencingToken} came after ${last}`,
    );
    last = BigInt(fencingToken);
  };
  for (let round = 0; round < 4; round += 1) {
    const lease = await trial.leaseOnly('L3', 2, 1);
    grows(lease);
    if (round % 2 === 0) await trial.release(lease);
    else await trial.pass(3);
  }
  if (trial.capabilities.durable === 'none') return;
  await trial.reopen();
  await trial.pass(3);
  grows(await trial.leaseOnly('L3', 2, 1));
}

async function vanishedHolder(trial: Trial): Promise<void> {
  await trial.add('h', names('a', 3));
  const { host, fencingToken } = await trial.leaseOnly('L4', 4, 1);
  await trial.commit({
    host,
    fencingToken,
    delayMs: 6 * trial.unit,
    then: { keep: { ttlMs: 4 * trial.unit, want: 0 } },
  });
  await trial.pass(5);
  mustEqual(await trial.dueHosts(), [], 'L4', 'hosts due after the lease end, before the delay');
  const dueInMs = await trial.store.nextDueInMs();
  must(dueInMs !== null && dueInMs <= 5 * trial.unit, 'L4', `due in ${dueInMs} ms, expected at most five units`);
  await trial.pass(5);
  // The delay outlives the lease it was set in.
  await trial.leaseOnly('L4', 2, 1);
  await trial.pass(5);
  mustEqual(await trial.dueHosts(), [], 'L4', 'hosts due before the delay of the second holder');
  await trial.pass(3);
  mustEqual(await trial.dueHosts(), ['h'], 'L4', 'hosts due at lease end + delay');
}

/** A holder may die after its first request and before its first commit: what the lease said of the delay must hold. */
async function vanishedBeforeItsFirstWord(trial: Trial): Promise<void> {
  const { unit, store } = trial;
  await trial.add('h', names('a', 2));
  const ask = { maxHosts: ALL, entriesPerHost: 1, ttlMs: 2 * unit };
  const granted = await store.lease({ ...ask, delayMs: 6 * unit });
  mustEqual(granted.length, 1, 'L4', 'hosts granted');
  await trial.pass(5);
  mustEqual((await store.lease(ask)).length, 0, 'L4', 'hosts granted before the delay that the lease was given');
  await trial.pass(5);
  const [next] = await store.lease({ ...ask, delayMs: unit });
  must(next !== undefined, 'L4', 'the host was not granted after lease end + delay');
  // The longer one counts until a commit says another.
  await trial.pass(5);
  mustEqual((await store.lease(ask)).length, 0, 'L4', 'hosts granted before the longer delay');
  await trial.pass(5);
  const [last] = await store.lease(ask);
  must(last !== undefined, 'L4', 'the host was not granted a third time');
  const { host, fencingToken } = last;
  await trial.commit({ host, fencingToken, delayMs: unit, then: { keep: { ttlMs: unit, want: 0 } } });
  await trial.pass(3);
  mustEqual((await store.lease(ask)).length, 1, 'L4', 'hosts granted after the delay of a commit');
}

async function disjoint(trial: Trial): Promise<void> {
  const clients = await trial.clients(4);
  for (const host of names('h', 40)) await trial.add(host, ['a']);
  const ask = { maxHosts: 7, entriesPerHost: 1, ttlMs: 100 * trial.unit };
  const grants = await Promise.all([...clients, ...clients].map((client) => client.lease(ask)));
  const granted = grants.flat().map(({ host }) => host);
  mustEqual(new Set(granted).size, granted.length, 'L6', 'hosts granted beside leases granted');
  must(
    grants.every((leases) => leases.length <= 7),
    'L6',
    'a caller got more hosts than it asked for',
  );
  const rest = await trial.dueHosts();
  mustEqual([...granted, ...rest].toSorted(), names('h', 40).toSorted(), 'L6', 'hosts granted in all');
}
