// Committing: fenced, whole, and no wake-up lost (C1 … C6).

import type { HostCommit } from '../store.js';
import { must, mustEqual } from './must.js';
import type { StoreTrial } from './store-trial.js';
import type { SuiteOptions } from './suite-options.js';
import { ALL, nameOf, names, namesOf, type Trial } from './trial.js';

/** The trials of `commit` and `wake`. */
export function commitTrials(options: SuiteOptions): StoreTrial[] {
  const full: StoreTrial = {
    invariants: ['C5'],
    title: 'a link that finds no room is reported and not remembered',
    run: fullIsReported,
    maxQueued: 3,
  };
  return [
    { invariants: ['C1'], title: 'a wrong fencingToken changes nothing of the host', run: wrongFencingToken },
    { invariants: ['C1'], title: 'a holder whose host went to another is told', run: lostHolder },
    { invariants: ['C1'], title: 'links of a lost commit are added', run: linksOfTheLost },
    { invariants: ['C2'], title: 'done entries never return, the others stay', run: doneIsDone },
    {
      invariants: ['C3'],
      title: 'release makes a host with entries due at its time, and no earlier',
      run: releasedWithEntries,
    },
    { invariants: ['C3'], title: 'an empty host leaves the index', run: releasedEmpty },
    {
      invariants: ['C4'],
      title: 'no wake-up is lost when an add races the release of an empty host',
      run: addRacesRelease,
    },
    { invariants: ['C4'], title: 'a host released by the commit that links to it is due', run: linkToItself },
    { invariants: ['C5'], title: 'pages and their links are kept together', run: pageWithLinks },
    ...(options.isBounded === true ? [full] : []),
    { invariants: ['C6'], title: 'a parked host comes back by wake and by nothing else', run: parked },
    { invariants: ['C6'], title: 'waking a host that is not parked changes nothing', run: wakeOthers },
    {
      invariants: ['C1'],
      title: 'the state and the fencingToken of a commit come back with the next lease',
      run: stateComesBack,
    },
  ];
}

async function wrongFencingToken(trial: Trial): Promise<void> {
  await trial.add('h', ['a', 'b', 'c']);
  const lease = await trial.leaseOnly('C1', 100, 2);
  const before = await trial.store.stats();
  const ids = lease.entries.map(({ id }) => id);
  const wrong: Omit<HostCommit, 'fencingToken'> = {
    host: 'h',
    done: ids,
    requeue: ids.map((id) => ({ id, priority: 0 })),
    state: new Uint8Array([9]),
    delayMs: 50 * trial.unit,
    blockLanes: [{ lane: 'x', ms: 50 * trial.unit }],
    then: { release: { dueInMs: 0 } },
  };
  for (const fencingToken of [
    String(BigInt(lease.fencingToken) + 1n),
    String(BigInt(lease.fencingToken) - 1n),
    '0',
    '',
  ]) {
    mustEqual(await trial.commit({ ...wrong, fencingToken }), 'lost', 'C1', `answer to fencingToken ${fencingToken}`);
  }
  mustEqual(
    await trial.commit({ ...wrong, host: 'nobody', fencingToken: '1' }),
    'lost',
    'C1',
    'answer for an unknown host',
  );
  mustEqual(await trial.dueHosts(), [], 'C1', 'hosts due after lost commits');
  mustEqual({ ...(await trial.store.stats()), hosts: 0 }, { ...before, hosts: 0 }, 'C1', 'counts after lost commits');
  await trial.release(lease, 0, ['a']);
  const next = await trial.leaseOnly('C1');
  mustEqual([namesOf(next.entries), next.state], [['a', 'c'], null], 'C1', 'entries and state after lost commits');
}

async function lostHolder(trial: Trial): Promise<void> {
  await trial.add('h', ['a', 'b']);
  const first = await trial.leaseOnly('C1', 2, 1);
  await trial.pass(3);
  const second = await trial.leaseOnly('C1', 100, 1);
  const done = first.entries.map(({ id }) => id);
  const late = await trial.commit({
    host: 'h',
    fencingToken: first.fencingToken,
    done,
    then: { release: { dueInMs: 0 } },
  });
  mustEqual(late, 'lost', 'C1', 'answer to the first holder');
  await trial.release(second, 0, ['a']);
  const third = await trial.leaseOnly('C1');
  mustEqual(namesOf(third.entries), ['a', 'b'], 'C1', 'entries after the late commit');
  await trial.release(third, 0);
  const after = await trial.commit({
    host: 'h',
    fencingToken: third.fencingToken,
    then: { keep: { ttlMs: trial.unit, want: 0 } },
  });
  mustEqual(after, 'lost', 'C1', 'answer to a holder that has released');
}

async function linksOfTheLost(trial: Trial): Promise<void> {
  await trial.add('h', ['a']);
  const lease = await trial.leaseOnly('C1');
  await trial.release(lease);
  const link = trial.entry('other', 'link');
  const { hosts, links } = await trial.store.commit(
    [{ host: 'h', fencingToken: lease.fencingToken, then: { release: { dueInMs: 0 } } }],
    [link],
  );
  mustEqual([hosts[0]?.ok, links], [false, ['new']], 'C1', 'answers to a lost commit with a link');
  mustEqual(await trial.dueHosts(), ['other'], 'C1', 'hosts due by that link');
}

async function doneIsDone(trial: Trial): Promise<void> {
  await trial.add('h', names('n', 8));
  const lease = await trial.leaseOnly('C2', 100, 6);
  await trial.release(lease, 0, ['n1', 'n4']);
  if (trial.capabilities.durable !== 'none') await trial.reopen();
  const next = await trial.leaseOnly('C2', 2);
  mustEqual(namesOf(next.entries), ['n1', 'n4', 'n6', 'n7'], 'C2', 'entries after four were done');
  await trial.pass(3);
  await trial.release(await trial.leaseOnly('C2'));
  mustEqual(await trial.dueHosts(), [], 'C2', 'hosts due when everything is done');
  const { queued, inFlight } = await trial.store.stats();
  if (trial.capabilities.exactCounts) mustEqual([queued, inFlight], [0, 0], 'C2', 'entries queued and in hand');
}

async function releasedWithEntries(trial: Trial): Promise<void> {
  await trial.add('h', ['a', 'b']);
  await trial.release(await trial.leaseOnly('C3', 100, 1), 6);
  const dueInMs = await trial.store.nextDueInMs();
  must(
    dueInMs !== null && dueInMs > 0 && dueInMs <= 6 * trial.unit,
    'C3',
    `due in ${dueInMs} ms, expected at most six units`,
  );
  await trial.pass(5);
  mustEqual(await trial.dueHosts(), [], 'C3', 'hosts due a unit early');
  await trial.pass(1);
  mustEqual(await trial.dueHosts(), ['h'], 'C3', 'hosts due in time');
}

async function releasedEmpty(trial: Trial): Promise<void> {
  await trial.add('h', ['a']);
  await trial.release(await trial.leaseOnly('C3'), 2);
  mustEqual(await trial.store.nextDueInMs(), null, 'C3', 'time until something is due when nothing waits');
  await trial.pass(3);
  mustEqual(await trial.dueHosts(), [], 'C3', 'hosts due with nothing queued');
}

async function addRacesRelease(trial: Trial): Promise<void> {
  const clients = await trial.clients(2);
  const [one = trial.store, other = trial.store] = clients;
  await trial.add('h', ['first']);
  for (let round = 0; round < 60; round += 1) {
    const lease = await trial.leaseOnly('C4');
    const done = lease.entries.map(({ id }) => id);
    const release = () =>
      one.commit([{ host: 'h', fencingToken: lease.fencingToken, done, then: { release: { dueInMs: 0 } } }]);
    const add = () => other.add([trial.entry('h', `round ${round}`)]);
    await Promise.all(round % 2 === 0 ? [release(), add()] : [add(), release()]);
    const dueInMs = await trial.store.nextDueInMs();
    mustEqual(dueInMs, 0, 'C4', `time until the host is due after race ${round}`);
  }
}

async function linkToItself(trial: Trial): Promise<void> {
  await trial.add('h', ['a']);
  const { fencingToken, entries } = await trial.leaseOnly('C4');
  const done = entries.map(({ id }) => id);
  await trial.commit({ host: 'h', fencingToken, done, then: { release: { dueInMs: trial.unit } } }, [
    trial.entry('h', 'b'),
  ]);
  await trial.pass(1);
  mustEqual(namesOf((await trial.leaseOnly('C4')).entries), ['b'], 'C4', 'entries linked by the commit that released');
}

async function pageWithLinks(trial: Trial): Promise<void> {
  await trial.add('h', ['page']);
  const { fencingToken, entries } = await trial.leaseOnly('C5');
  const links = [trial.entry('h', 'page'), trial.entry('h', 'l1'), trial.entry('other', 'l2'), trial.entry('h', 'l1')];
  const done = entries.map(({ id }) => id);
  const answer = await trial.store.commit(
    [{ host: 'h', fencingToken, done, then: { release: { dueInMs: 0 } } }],
    links,
  );
  mustEqual(answer.links, ['known', 'new', 'new', 'known'], 'C5', 'outcomes of the links');
  if (trial.capabilities.durable !== 'none') await trial.reopen();
  const queued = (await trial.leaseAll()).flatMap((lease) => namesOf(lease.entries));
  mustEqual(queued.toSorted(), ['l1', 'l2'], 'C5', 'what is queued after the commit');
}

async function fullIsReported(trial: Trial): Promise<void> {
  const outcomes = await trial.add('h', ['a', 'b', 'c', 'd', 'a']);
  mustEqual(outcomes, ['new', 'new', 'new', 'full', 'known'], 'C5', 'outcomes of five adds where three find room');
  const { fencingToken, entries } = await trial.leaseOnly('C5', 100, 1);
  const keep: HostCommit = { host: 'h', fencingToken, then: { keep: { ttlMs: 100 * trial.unit, want: 0 } } };
  mustEqual(
    (await trial.store.commit([keep], [trial.entry('h', 'e')])).links,
    ['full'],
    'C5',
    'outcome of a link in a commit',
  );
  await trial.commit({ ...keep, done: entries.map(({ id }) => id) });
  mustEqual(await trial.add('h', ['e']), ['new'], 'C5', 'outcome of the same link once there is room');
}

async function parked(trial: Trial): Promise<void> {
  await trial.add('h', ['a', 'b']);
  const { fencingToken } = await trial.leaseOnly('C6', 100, 1);
  const then = { release: { dueInMs: null } };
  await trial.commit({ host: 'h', fencingToken, delayMs: 2 * trial.unit, then });
  await trial.add('h', ['c']);
  await trial.pass(500);
  mustEqual(await trial.dueHosts(), [], 'C6', 'hosts due while the only one is parked');
  const byName = await trial.store.lease({ maxHosts: 1, entriesPerHost: 1, ttlMs: trial.unit, hosts: ['h'] });
  mustEqual(byName.length, 0, 'C6', 'leases of a parked host by name');
  if (trial.capabilities.durable !== 'none') {
    await trial.reopen();
    mustEqual(await trial.dueHosts(), [], 'C6', 'hosts due after a reopen');
  }
  await trial.store.wake('h');
  mustEqual(namesOf((await trial.leaseOnly('C6')).entries), ['a', 'b', 'c'], 'C6', 'entries after the host was woken');
}

async function wakeOthers(trial: Trial): Promise<void> {
  await trial.store.wake('nobody');
  await trial.add('h', ['a', 'b']);
  const lease = await trial.leaseOnly('C6', 100, 1);
  await trial.store.wake('h');
  mustEqual(await trial.dueHosts(), [], 'C6', 'hosts due after waking a leased one');
  await trial.release(lease, 5);
  await trial.store.wake('h');
  mustEqual(await trial.dueHosts(), [], 'C6', 'hosts due after waking one that waits for its time');
}

async function stateComesBack(trial: Trial): Promise<void> {
  await trial.add('h', ['a', 'b', 'c']);
  const first = await trial.leaseOnly('C1', 100, 1);
  must(first.state === null, 'C1', 'a host that was never committed has a state');
  const state = new Uint8Array([1, 2, 3]);
  const { fencingToken, entries } = first;
  await trial.commit({ host: 'h', fencingToken, state, then: { keep: { ttlMs: ALL * trial.unit, want: 0 } } });
  await trial.commit({ host: 'h', fencingToken, done: entries.map(({ id }) => id), then: { release: { dueInMs: 0 } } });
  if (trial.capabilities.durable !== 'none') await trial.reopen();
  const next = await trial.leaseOnly('C1', 100, 1);
  mustEqual([...(next.state ?? [])], [1, 2, 3], 'C1', 'the state that was committed');
  mustEqual(next.entries.map(nameOf), ['b'], 'C1', 'the next entry');
}
