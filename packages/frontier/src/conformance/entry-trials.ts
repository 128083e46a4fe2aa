// What comes with a lease: entries by priority and arrival, none before its time, held lanes left out (L5, L7, L8).

import type { Lease } from '../store.js';
import { must, mustEqual } from './must.js';
import type { StoreTrial } from './store-trial.js';
import { ALL, namesOf, type Trial } from './trial.js';

/** The trials of what comes with a lease. */
export function entryTrials(): StoreTrial[] {
  return [
    { invariants: ['L5'], title: 'entries come by priority, then by arrival', run: byPriorityAndArrival },
    { invariants: ['L5'], title: 'arrival counts across lanes', run: acrossLanes },
    {
      invariants: ['L5'],
      title: 'those of a vanished holder come first and keep their ids',
      run: vanishedEntriesFirst,
    },
    { invariants: ['L7'], title: 'no entry before its time', run: noEntryEarly },
    { invariants: ['L7'], title: 'a host whose entries all wait is due at the earliest of them', run: waitingHost },
    { invariants: ['L8'], title: 'a held lane does not stand in front of the others', run: heldLane },
    { invariants: ['L8'], title: 'a hold that is replaced ends at its new time, earlier or later', run: replacedHold },
    { invariants: ['L8'], title: 'a host with nothing but held lanes is due when one opens', run: onlyHeldLanes },
  ];
}

async function byPriorityAndArrival(trial: Trial): Promise<void> {
  const priorities = [5, 0, 7, 5, 0, 2];
  for (const [at, priority] of priorities.entries()) await trial.add('h', [`${priority}-${at}`], { priority });
  const first = await trial.leaseOnly('L5', 100, 4);
  mustEqual(namesOf(first.entries), ['0-1', '0-4', '2-5', '5-0'], 'L5', 'the first four entries');
  mustEqual(first.queued, 2, 'L5', 'entries left');
  await trial.add('h', ['0-9'], { priority: 0 });
  const { host, fencingToken } = first;
  const more = await trial.commit({ host, fencingToken, then: { keep: { ttlMs: trial.unit, want: 9 } } });
  mustEqual(more === 'lost' ? more : namesOf(more), ['0-9', '5-3', '7-2'], 'L5', 'entries that came with a renewal');
}

async function acrossLanes(trial: Trial): Promise<void> {
  const order = ['x0', 'y1', 'y2', 'x3', 'z4', 'x5', 'y6'];
  for (const name of order) await trial.add('h', [name], { lane: name.slice(0, 1) });
  const { host, fencingToken, entries } = await trial.leaseOnly('L5', 100, 3);
  const more = await trial.commit({ host, fencingToken, then: { keep: { ttlMs: trial.unit, want: ALL } } });
  const names = [...namesOf(entries), ...(more === 'lost' ? [more] : namesOf(more))];
  mustEqual(names, order, 'L5', 'entries of one priority and three lanes');
}

async function vanishedEntriesFirst(trial: Trial): Promise<void> {
  await trial.add('h', ['a', 'b', 'c', 'd'], { priority: 4 });
  const first = await trial.leaseOnly('L5', 2, 2);
  await trial.add('h', ['urgent'], { priority: 0 });
  await trial.pass(3);
  const second = await trial.leaseOnly('L5', 2, 4);
  mustEqual(namesOf(second.entries), ['a', 'b', 'urgent', 'c'], 'L5', 'entries after the holder vanished');
  const ids = (lease: Lease) => lease.entries.slice(0, 2).map(({ id }) => id);
  mustEqual(ids(second), ids(first), 'L5', 'ids of the entries that came back');
  mustEqual(
    second.entries.map(({ attempt }) => attempt),
    [1, 1, 0, 0],
    'L5',
    'times handed out before',
  );
}

async function noEntryEarly(trial: Trial): Promise<void> {
  await trial.add('h', ['now']);
  await trial.add('h', ['later'], { notBeforeMs: 5 * trial.unit, priority: 0 });
  const lease = await trial.leaseOnly('L7');
  mustEqual(namesOf(lease.entries), ['now'], 'L7', 'entries whose time has come');
  const { host, fencingToken, entries } = lease;
  const again = { id: entries[0]?.id ?? '', notBeforeMs: 2 * trial.unit, body: new TextEncoder().encode('again') };
  const keep = { keep: { ttlMs: 100 * trial.unit, want: ALL } };
  mustEqual(
    await trial.commit({ host, fencingToken, requeue: [again], then: keep }),
    [],
    'L7',
    'entries at once after a requeue',
  );
  await trial.pass(3);
  const ripe = await trial.commit({ host, fencingToken, then: keep });
  mustEqual(ripe === 'lost' ? ripe : namesOf(ripe), ['again'], 'L7', 'entries after three units');
  await trial.pass(2);
  const last = await trial.commit({ host, fencingToken, then: keep });
  mustEqual(last === 'lost' ? last : namesOf(last), ['later'], 'L7', 'entries after five units');
}

async function waitingHost(trial: Trial): Promise<void> {
  await trial.add('h', ['late'], { notBeforeMs: 8 * trial.unit });
  await trial.add('h', ['soon'], { notBeforeMs: 4 * trial.unit });
  mustEqual(await trial.dueHosts(), [], 'L7', 'hosts due while all their entries wait');
  const dueInMs = await trial.store.nextDueInMs();
  must(
    dueInMs !== null && dueInMs > 0 && dueInMs <= 4 * trial.unit,
    'L7',
    `due in ${dueInMs} ms, expected at most four units`,
  );
  await trial.pass(4);
  const lease = await trial.leaseOnly('L7');
  mustEqual(namesOf(lease.entries), ['soon'], 'L7', 'entries at the earliest of the times');
  await trial.release(lease);
  mustEqual(await trial.dueHosts(), [], 'L7', 'hosts due between the two times');
  await trial.add('h', ['now']);
  mustEqual(namesOf((await trial.leaseOnly('L7')).entries), ['now'], 'L7', 'entries added in between');
}

async function heldLane(trial: Trial): Promise<void> {
  await trial.add('h', ['a1', 'a2', 'a3'], { lane: 'a', priority: 0 });
  await trial.add('h', ['b1', 'b2'], { lane: 'b', priority: 7 });
  const { host, fencingToken, entries } = await trial.leaseOnly('L8', 100, 1);
  mustEqual(namesOf(entries), ['a1'], 'L8', 'the first entry');
  const hold = [{ lane: 'a', ms: 4 * trial.unit }];
  const keep = { keep: { ttlMs: 100 * trial.unit, want: ALL } };
  const requeue = [{ id: entries[0]?.id ?? '' }];
  const others = await trial.commit({ host, fencingToken, requeue, blockLanes: hold, then: keep });
  mustEqual(others === 'lost' ? others : namesOf(others), ['b1', 'b2'], 'L8', 'entries beside a held lane');
  await trial.add('h', ['a4'], { lane: 'a' });
  mustEqual(await trial.commit({ host, fencingToken, then: keep }), [], 'L8', 'entries of the held lane');
  await trial.pass(4);
  const opened = await trial.commit({ host, fencingToken, then: keep });
  mustEqual(
    opened === 'lost' ? opened : namesOf(opened),
    ['a2', 'a3', 'a1', 'a4'],
    'L8',
    'entries once the lane has opened',
  );
}

async function replacedHold(trial: Trial): Promise<void> {
  await trial.add('h', ['a1', 'a2', 'a3', 'a4'], { lane: 'a' });
  const { host, fencingToken } = await trial.leaseOnly('L8', 10_000, 1);
  const ttlMs = 10_000 * trial.unit;
  const hold = (units: number) => {
    const blockLanes = [{ lane: 'a', ms: units * trial.unit }];
    return trial.commit({ host, fencingToken, blockLanes, then: { keep: { ttlMs, want: 0 } } });
  };
  const next = async () => {
    const got = await trial.commit({ host, fencingToken, then: { keep: { ttlMs, want: 1 } } });
    return got === 'lost' ? got : namesOf(got);
  };
  await hold(3);
  await trial.pass(1);
  await hold(6);
  await trial.pass(4);
  mustEqual(await next(), [], 'L8', 'entries of a lane whose hold was made longer');
  await trial.pass(2);
  mustEqual(await next(), ['a2'], 'L8', 'entries after the longer hold');
  await hold(50);
  await hold(2);
  mustEqual(await next(), [], 'L8', 'entries of a lane whose hold was made shorter');
  await trial.pass(2);
  mustEqual(await next(), ['a3'], 'L8', 'entries after the shorter hold');
  await hold(5);
  await hold(0);
  mustEqual(await next(), ['a4'], 'L8', 'entries of a lane that was opened');
}

async function onlyHeldLanes(trial: Trial): Promise<void> {
  await trial.add('h', ['a1', 'a2'], { lane: 'a' });
  const { host, fencingToken, entries } = await trial.leaseOnly('L8', 100, 1);
  const blockLanes = [{ lane: 'a', ms: 5 * trial.unit }];
  await trial.commit({
    host,
    fencingToken,
    done: entries.map(({ id }) => id),
    blockLanes,
    then: { release: { dueInMs: 0 } },
  });
  mustEqual(await trial.dueHosts(), [], 'L8', 'hosts due while their only lane is held');
  const dueInMs = await trial.store.nextDueInMs();
  must(dueInMs !== null && dueInMs <= 5 * trial.unit, 'N1', `due in ${dueInMs} ms, expected at most five units`);
  await trial.pass(5);
  mustEqual(namesOf((await trial.leaseOnly('L8')).entries), ['a2'], 'L8', 'entries once the lane has opened');
}
