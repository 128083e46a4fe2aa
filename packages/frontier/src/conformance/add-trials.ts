// Adding: known once, queued at once, due no earlier than allowed (A1 … A3; A4 is among the costs).

import { must, mustEqual } from './must.js';
import type { StoreTrial } from './store-trial.js';
import { names, namesOf, type Trial } from './trial.js';

/** The trials of `add`. */
export function addTrials(): StoreTrial[] {
  return [
    { invariants: ['A1'], title: 'one fingerprint is new once, inside one batch too', run: newOnceInABatch },
    {
      invariants: ['A1'],
      title: 'of concurrent adds of one fingerprint exactly one is new',
      run: newOnceAtTheSameTime,
    },
    {
      invariants: ['A1'],
      title: 'an entry that is not deduped is queued although it is known',
      run: queuedAgainWhenAsked,
    },
    { invariants: ['A2'], title: 'what is new is queued and what is queued was new', run: newIsQueued },
    { invariants: ['A3'], title: 'a host nobody asked is due at once', run: freshHostIsDue },
    {
      invariants: ['A3'],
      title: 'an idle host is due at its saved next time, not at the add',
      run: idleHostKeepsItsTime,
    },
    { invariants: ['A3'], title: 'a leased host is not made due', run: leasedHostStaysLeased },
  ];
}

async function newOnceInABatch(trial: Trial): Promise<void> {
  const [a, b] = [trial.entry('h', 'a'), trial.entry('h', 'b')];
  mustEqual(await trial.store.add([a, b, a]), ['new', 'new', 'known'], 'A1', 'outcomes of a, b, a');
  mustEqual(await trial.store.add([b]), ['known'], 'A1', 'outcome of b added again');
  mustEqual(namesOf((await trial.leaseOnly('A1')).entries), ['a', 'b'], 'A1', 'what was queued');
}

async function newOnceAtTheSameTime(trial: Trial): Promise<void> {
  const clients = await trial.clients(4);
  const entries = names('n', 50).map((name, at) => trial.entry(`h${at % 5}`, name));
  const answers = await Promise.all(
    clients.flatMap((client) => [client.add(entries), client.add(entries.toReversed())]),
  );
  const newCount = answers.flat().filter((outcome) => outcome === 'new').length;
  mustEqual(newCount, entries.length, 'A1', 'answers `new` to 50 fingerprints added eight times at once');
  const queued = (await trial.leaseAll()).flatMap((lease) => namesOf(lease.entries));
  mustEqual(queued.toSorted(), names('n', 50).toSorted(), 'A1', 'what was queued');
}

async function queuedAgainWhenAsked(trial: Trial): Promise<void> {
  await trial.add('h', ['a']);
  mustEqual(await trial.add('h', ['a'], { dedupe: false }), ['new'], 'A1', 'outcome of a recrawl');
  mustEqual(namesOf((await trial.leaseOnly('A1')).entries), ['a', 'a'], 'A1', 'what was queued');
}

async function newIsQueued(trial: Trial): Promise<void> {
  const asNew: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const batch = names('n', 10 + 7 * round);
    const outcomes = await trial.store.add(batch.map((name, at) => trial.entry(`h${at % 3}`, name)));
    asNew.push(...batch.filter((_, at) => outcomes[at] === 'new'));
  }
  if (trial.capabilities.durable !== 'none') await trial.reopen();
  const leases = await trial.leaseAll();
  const queued = leases.flatMap((lease) => namesOf(lease.entries));
  mustEqual(queued.toSorted(), asNew.toSorted(), 'A2', 'what was queued beside what was answered `new`');
}

async function freshHostIsDue(trial: Trial): Promise<void> {
  await trial.add('h', ['a']);
  mustEqual(await trial.store.nextDueInMs(), 0, 'A3', 'time until a fresh host is due');
  mustEqual(await trial.dueHosts(), ['h'], 'A3', 'hosts that are due');
}

async function idleHostKeepsItsTime(trial: Trial): Promise<void> {
  await trial.add('h', ['a']);
  await trial.release(await trial.leaseOnly('A3'), 4);
  await trial.pass(1);
  await trial.add('h', ['b']);
  mustEqual(await trial.dueHosts(), [], 'A3', 'hosts due before the saved next time');
  const dueInMs = await trial.store.nextDueInMs();
  must(
    dueInMs !== null && dueInMs > 0 && dueInMs <= 3 * trial.unit,
    'A3',
    `due in ${dueInMs} ms, expected at most three units`,
  );
  await trial.pass(3);
  mustEqual(await trial.dueHosts(), ['h'], 'A3', 'hosts due at the saved next time');
}

async function leasedHostStaysLeased(trial: Trial): Promise<void> {
  await trial.add('h', ['a']);
  const lease = await trial.leaseOnly('A3');
  await trial.add('h', ['b']);
  mustEqual(await trial.dueHosts(), [], 'A3', 'hosts due while leased');
  await trial.release(lease, 1);
  mustEqual(await trial.dueHosts(), [], 'A3', 'hosts due before the released time');
  await trial.pass(1);
  mustEqual(namesOf((await trial.leaseOnly('A3')).entries), ['b'], 'A3', 'what was added meanwhile');
}
