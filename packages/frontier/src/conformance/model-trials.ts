// A random walk of all verbs, on the store and on the memory store side by side: every answer must agree.
// Order among entries that waited is not part of the contract, so hosts with such entries are compared as sets.

import type { FrontierStore, HostCommit, Lease } from '../store.js';
import { memoryStore } from '../stores/memory.js';
import { must, mustEqual } from './must.js';
import { type Choices, createChoices } from './seeded.js';
import type { StoreTrial } from './store-trial.js';
import type { SuiteOptions } from './suite-options.js';
import { ALL, namesOf, TRIAL_CRAWL, type Trial } from './trial.js';

/** Hosts whose entries never wait: their order is compared. */
const PLAIN = ['p0', 'p1', 'p2'];
/** Hosts whose entries may wait, and whose lanes may be held. */
const TIMED = ['t0', 't1', 't2'];
const LANES = ['x', 'y'];

/** The trial beside the model. */
export function modelTrials(options: SuiteOptions): StoreTrial[] {
  const { seed = 1, modelSteps = 1_500 } = options;
  const invariants = ['A1', 'C2', 'L2', 'L5', 'L7', 'N1'];
  return [
    { invariants, title: 'a random walk agrees with the memory store', run: (trial) => walk(trial, seed, modelSteps) },
  ];
}

interface Walk {
  readonly trial: Trial;
  readonly model: FrontierStore;
  readonly choices: Choices;
  /** Leases in hand: the store's and the model's of the same host. */
  readonly held: Map<string, { readonly real: Lease; readonly model: Lease; readonly untilMs: number }>;
  modelNowMs: number;
}

async function walk(trial: Trial, seed: number, steps: number): Promise<void> {
  const state: Walk = {
    trial,
    model: memoryStore({ nowMs: () => state.modelNowMs }),
    choices: createChoices(seed),
    held: new Map(),
    modelNowMs: 0,
  };
  await state.model.open({ crawl: TRIAL_CRAWL, owner: 'model', create: true });
  const moves = [add, add, lease, lease, finish, finish, finish, keep, pass, pass, wake, forget, compareCounts];
  for (let step = 0; step < steps; step += 1) {
    try {
      await state.choices.of(moves)(state);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`${message} (step ${step} of the walk with seed ${seed})`, { cause: error });
    }
  }
  await state.model.close();
}

async function add({ trial, model, choices }: Walk): Promise<void> {
  const entries = Array.from({ length: 1 + choices.below(6) }, () => {
    const isTimed = choices.below(2) === 0;
    const host = choices.of(isTimed ? TIMED : PLAIN);
    const waits = isTimed && choices.below(3) === 0 ? { notBeforeMs: (1 + choices.below(6)) * trial.unit } : {};
    const lane = isTimed ? { lane: choices.of(LANES) } : {};
    return trial.entry(host, `n${choices.below(3_000)}`, { priority: choices.below(8), ...lane, ...waits });
  });
  mustEqual(await trial.store.add(entries), await model.add(entries), 'A1', 'outcomes of an add');
}

async function lease(walkNow: Walk): Promise<void> {
  const { trial, model, choices, held } = walkNow;
  const dueInMs = await trial.store.nextDueInMs();
  const request = { maxHosts: ALL, entriesPerHost: ALL, ttlMs: (3 + choices.below(8)) * trial.unit };
  const [real, modelled] = [await trial.store.lease(request), await model.lease(request)];
  must(real.length === 0 || dueInMs === 0, 'N1', `said ${dueInMs} ms although ${real.length} hosts were due`);
  mustEqual(hostsOf(real), hostsOf(modelled), 'L2', 'hosts that are due');
  for (const one of real) {
    const other = modelled.find(({ host }) => host === one.host);
    if (other === undefined) continue;
    compareEntries(one, other);
    mustEqual([...(one.state ?? [])], [...(other.state ?? [])], 'C1', `state of ${one.host}`);
    held.set(one.host, { real: one, model: other, untilMs: walkNow.modelNowMs + request.ttlMs });
  }
}

/** Some done, some queued again, the rest not mentioned; then released or parked. */
async function finish(walkNow: Walk): Promise<void> {
  const { trial, choices, held } = walkNow;
  const host = pickHeld(walkNow);
  if (host === null) return;
  const dueInMs = choices.below(8) === 0 ? null : choices.below(6) * trial.unit;
  await commitBoth(walkNow, host, { release: { dueInMs } });
  held.delete(host);
}

async function keep(walkNow: Walk): Promise<void> {
  const { trial, choices, held } = walkNow;
  const host = pickHeld(walkNow);
  const lease = host === null ? undefined : held.get(host);
  if (host === null || lease === undefined) return;
  const want = PLAIN.includes(host) ? choices.below(4) : ALL;
  const ttlMs = 6 * trial.unit;
  const [real, modelled] = await commitBoth(walkNow, host, { keep: { ttlMs, want } });
  const both = { real: { ...lease.real, entries: real }, model: { ...lease.model, entries: modelled } };
  compareEntries(both.real, both.model);
  held.set(host, { ...both, untilMs: walkNow.modelNowMs + ttlMs });
}

async function commitBoth({ trial, model, choices, held }: Walk, host: string, then: HostCommit['then']) {
  const lease = held.get(host);
  must(lease !== undefined, 'suite', 'a lease that is held is known');
  const [fates, delayMs, holds] = [
    namesOf(lease.real.entries).map(() => choices.below(4)),
    choices.below(3) * trial.unit,
    choices.below(4),
  ];
  const priority = choices.below(8);
  const blockLanes =
    TIMED.includes(host) && holds === 0 ? [{ lane: choices.of(LANES), ms: choices.below(7) * trial.unit }] : [];
  const notBeforeMs = TIMED.includes(host) ? choices.below(4) * trial.unit : 0;
  const state = new Uint8Array([choices.below(256)]);
  const part = ({ fencingToken, entries }: Lease): HostCommit => {
    // Both sides agree on the names in hand, perhaps not on their order: fates go by name.
    const sorted = entries.map((entry) => ({ id: entry.id, name: new TextDecoder().decode(entry.body) }));
    sorted.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    const done = sorted.filter((_, at) => (fates[at] ?? 0) < 2).map(({ id }) => id);
    const requeue = sorted.filter((_, at) => fates[at] === 2).map(({ id }) => ({ id, priority, notBeforeMs }));
    return { host, fencingToken, done, requeue, state, delayMs, blockLanes, then };
  };
  const [real] = (await trial.store.commit([part(lease.real)])).hosts;
  const [modelled] = (await model.commit([part(lease.model)])).hosts;
  mustEqual(real?.ok, modelled?.ok, 'C1', `whether the holder of ${host} still holds it`);
  return [real?.ok === true ? real.entries : [], modelled?.ok === true ? modelled.entries : []] as const;
}

async function pass(walkNow: Walk): Promise<void> {
  const units = 1 + walkNow.choices.below(3);
  await walkNow.trial.pass(units);
  walkNow.modelNowMs += units * walkNow.trial.unit;
}

async function wake({ trial, model, choices }: Walk): Promise<void> {
  const host = choices.of([...PLAIN, ...TIMED]);
  await trial.store.wake(host);
  await model.wake(host);
}

/** A holder vanishes: it never speaks again. */
async function forget(walkNow: Walk): Promise<void> {
  const host = pickHeld(walkNow);
  if (host !== null) walkNow.held.delete(host);
}

async function compareCounts({ trial, model }: Walk): Promise<void> {
  if (!trial.capabilities.exactCounts) return;
  const [real, modelled] = [await trial.store.stats(), await model.stats()];
  mustEqual(real, modelled, 'C2', 'counts');
  const [dueReal, dueModel] = [await trial.store.nextDueInMs(), await model.nextDueInMs()];
  must(
    (dueReal ?? Number.POSITIVE_INFINITY) <= (dueModel ?? Number.POSITIVE_INFINITY),
    'N1',
    `said ${dueReal} ms, the truth is ${dueModel} ms`,
  );
}

/** A host under a lease that has not run out; commits after the end are tried elsewhere. */
function pickHeld({ choices, held, modelNowMs }: Walk): string | null {
  for (const [host, { untilMs }] of held) if (untilMs <= modelNowMs) held.delete(host);
  return held.size === 0 ? null : choices.of([...held.keys()]);
}

function compareEntries(real: Lease, model: Lease): void {
  const [got, wanted] = [namesOf(real.entries), namesOf(model.entries)];
  const inOrder = PLAIN.includes(real.host);
  const as = (list: string[]) => (inOrder ? list : list.toSorted());
  mustEqual(as(got), as(wanted), inOrder ? 'L5' : 'L7', `entries of ${real.host}`);
}

function hostsOf(leases: readonly Lease[]): string[] {
  return leases.map(({ host }) => host).toSorted();
}
