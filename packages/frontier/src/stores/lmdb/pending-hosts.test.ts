// What a page's links find here decides to which host an entry goes, and whether that host is looked at: a row taken for
// another's hands a host the URLs of that other, or leaves a host asleep that something was queued for.

import { describe, expect, it } from 'vitest';
import { PendingHosts } from './pending-hosts.js';
import { NONE } from './place-chains.js';

interface Known {
  places: number[];
  dueAt: number | null;
  duePlace: number;
  isNamed: boolean;
  isSettled: boolean;
}

const nameOf = (number: number) => (number % 97 === 0 ? `höst-${number}.example` : `host-${number}.example`);

/** The same by plain values. */
function createModel() {
  const hosts = new Map<number, Known>();
  const of = (number: number): Known => {
    const known = hosts.get(number);
    if (known !== undefined) return known;
    const made = { places: [], dueAt: null, duePlace: 0, isNamed: false, isSettled: false };
    hosts.set(number, made);
    return made;
  };
  const dropBefore = (number: number, place: number) => {
    const known = of(number);
    const kept = known.places.filter((each) => each >= place);
    const dropped = known.places.length - kept.length;
    if (dropped > 0 && (kept.length === 0 || known.duePlace < place)) known.dueAt = null;
    if (dropped > 0 && kept.length === 0) known.isNamed = false;
    known.places = kept;
    return dropped;
  };
  return { hosts, of, dropBefore };
}

describe('hosts in the log', () => {
  it('agree with plain values while records come and are folded', () => {
    let random = 11;
    const below = (count: number) => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((random / 0x1_0000_0000) * count);
    };
    const pending = new PendingHosts();
    const { hosts, of, dropBefore } = createModel();
    for (let step = 1; step < 15_000; step += 1) {
      const number = 1 + below(2_500) ** 2;
      const known = of(number);
      const place = step * 65_536;
      const row = pending.rowOf(number);
      const does = below(20);
      if (does === 0)
        expect(row === NONE ? 0 : pending.dropAll(row)).toBe(dropBefore(number, Number.POSITIVE_INFINITY));
      else if (does === 1) {
        const before = (step - below(8_000)) * 65_536;
        expect(row === NONE ? 0 : pending.dropBefore(row, before)).toBe(dropBefore(number, before));
      } else if (does === 2) {
        pending.unsettle(row);
        known.isSettled = false;
      } else if (does === 3 && step % 100 === 0) {
        pending.unsettleAll();
        for (const each of hosts.values()) each.isSettled = false;
      } else {
        const key = known.places.length === 0 && below(2) === 0 ? nameOf(number) : null;
        const dueAt = below(4) === 0 ? step : null;
        const made = pending.rowFor(number);
        pending.append(made, place, key, dueAt);
        known.places.push(place);
        known.isNamed ||= key !== null;
        if (dueAt !== null) Object.assign(known, { dueAt, duePlace: place });
        if (below(2) === 0) {
          pending.settle(made, nameOf(number));
          known.isSettled = true;
        }
      }
      const now = pending.rowOf(number);
      if (now === NONE) continue;
      expect(pending.numberOf(now)).toBe(number);
      expect(pending.placesOf(now)).toEqual(known.places);
      expect(pending.countOf(now)).toBe(known.places.length);
      expect(pending.dueAt(now)).toBe(known.dueAt);
      expect(pending.isSettled(now)).toBe(known.isSettled);
      expect(pending.keyOf(now)).toBe(known.isNamed ? nameOf(number) : null);
      if (known.isSettled || known.isNamed) expect(pending.rowNamed(nameOf(number))).toBe(now);
    }
    const numbers = [...hosts].filter(([, { places }]) => places.length > 0).map(([number]) => number);
    expect([...pending.numbers()]).toEqual(numbers.toSorted((a, b) => a - b));
    expect(pending.withRecords).toBe(numbers.length);
  });

  it('forget those with nothing in the log, and no others, when there are many', () => {
    const HOSTS = 200_000;
    const pending = new PendingHosts();
    for (let number = 1; number <= HOSTS; number += 1) {
      const row = pending.rowFor(number);
      pending.append(row, number, null, null);
      pending.settle(row, nameOf(number));
      if (number % 8 > 0) pending.dropAll(row);
    }
    let remembered = 0;
    const wrong: number[] = [];
    for (let number = 1; number <= HOSTS; number += 1) {
      const row = pending.rowNamed(nameOf(number));
      if (row !== NONE) remembered += 1;
      const isRight = row === NONE ? number % 8 > 0 : pending.numberOf(row) === number && pending.isSettled(row);
      if (!isRight || pending.rowOf(number) !== row) wrong.push(number);
    }
    expect(wrong).toEqual([]);
    expect(remembered).toBeGreaterThanOrEqual(HOSTS / 8);
    expect(remembered).toBeLessThanOrEqual(131_072);
  });
});
