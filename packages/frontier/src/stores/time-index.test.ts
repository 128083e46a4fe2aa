// The time index decides who is asked next. A host out of its place is a host asked too early or never again.

import { describe, expect, it } from 'vitest';
import { TimeIndex } from './time-index.js';

interface Host {
  /** What the model says. */
  due: number | null;
  turn: number;
}

/** Numbers below a bound, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

/** By the model: the earliest, and of those the one that was set first. */
function firstOf(hosts: readonly Host[]): number | undefined {
  let first: number | undefined;
  for (const [number, { due, turn }] of hosts.entries()) {
    if (due === null) continue;
    const best = first === undefined ? null : hosts[first]!;
    if (best === null || due < best.due! || (due === best.due && turn < best.turn)) first = number;
  }
  return first;
}

/** Moves and removes hosts; what the index says otherwise than a sorted list. */
function differences(seed: number, count: number, dueOf: (step: number, random: (below: number) => number) => number) {
  const random = numbers(seed);
  const index = new TimeIndex();
  const hosts = Array.from({ length: count }, (): Host => ({ due: null, turn: 0 }));
  const wrong: string[] = [];
  for (let step = 1; step <= 20_000; step += 1) {
    // Mostly who is first, as of a store: it is leased, or released.
    let number = random(count);
    if (random(4) > 0) {
      const wanted = firstOf(hosts);
      const taken = index.take();
      if (taken !== wanted) wrong.push(`step ${step}: took ${taken} instead of ${wanted}`);
      number = taken ?? number;
    }
    const host = hosts[number]!;
    if (random(5) === 0) {
      index.remove(number);
      host.due = null;
    } else {
      host.due = dueOf(step, random);
      host.turn = step;
      index.set(number, host.due);
    }
    const first = firstOf(hosts);
    const got = [index.earliest(), index.dueOf(number)];
    const wanted = [first === undefined ? null : hosts[first]!.due, host.due];
    if (String(got) !== String(wanted)) wrong.push(`step ${step}: ${got} instead of ${wanted}`);
  }
  return wrong;
}

describe('the time index', () => {
  it('agrees with a sorted list whatever the order of times', () => {
    expect(differences(20_261_120, 60, (_step, random) => random(40))).toEqual([]);
  });

  it('agrees with a sorted list where a few delays take turns, and some hosts wait for long', () => {
    const delays = [0, 0, 10, 10, 10, 200, 5_000];
    expect(differences(7, 150, (step, random) => step + delays[random(delays.length)]!)).toEqual([]);
    expect(differences(8, 150, (step, random) => Math.floor(step / 50) + delays[random(6)]!)).toEqual([]);
  });

  it('knows nothing of a number it was never given', () => {
    const index = new TimeIndex();
    index.remove(1_000_000);
    expect([index.dueOf(1_000_000), index.take(), index.earliest()]).toEqual([null, undefined, null]);
  });
});
