// If an entry is out of order, a page is fetched out of turn; if one is lost, a page is never fetched.

import { describe, expect, it } from 'vitest';
import { createChoices } from '../conformance/store-test.js';
import type { Entry } from '../store.js';
import { HostEntries } from './host-entries.js';

interface ModelEntry {
  readonly id: string;
  readonly lane: string;
  priority: number;
  readyAt: number;
  /** Increases whenever `readyAt` is set. */
  turn: number;
  rank: number;
  order: number;
  place: 'waiting' | 'queued' | 'in flight';
}

/** The same behaviour by sorting a list. */
class Model {
  readonly entries: ModelEntry[] = [];
  readonly blocks = new Map<string, number>();
  /** In the order in which they were first used. */
  readonly lanes: string[] = [];
  #nextId = 1;
  #nextOrder = 1;
  #nextTurn = 1;

  add(lane: string, priority: number, readyAt: number): void {
    const id = String(this.#nextId++);
    const [turn, rank] = [this.#nextTurn++, 1 + priority];
    const entry: ModelEntry = { id, lane, priority, readyAt, turn, rank, order: 0, place: 'waiting' };
    this.entries.push(entry);
    if (!this.lanes.includes(lane)) this.lanes.push(lane);
  }

  /** When the first entry can be handed out, 0 for now; `null` when none is queued. */
  readyAt(now: number): number | null {
    const queued = this.entries.filter(({ place }) => place !== 'in flight');
    const times = queued.map(({ lane, place, readyAt }) => {
      const time = Math.max(place === 'queued' ? 0 : readyAt, this.blocks.get(lane) ?? 0);
      return time <= now ? 0 : time;
    });
    return times.length === 0 ? null : Math.min(...times);
  }

  take(count: number, now: number): string[] {
    this.queueDue(now);
    const isOpen = ({ lane, place }: ModelEntry) => place === 'queued' && (this.blocks.get(lane) ?? 0) <= now;
    const first = this.entries.filter(isOpen).sort((a, b) => a.rank - b.rank || a.order - b.order);
    const taken = first.slice(0, count);
    for (const entry of taken) Object.assign(entry, { place: 'in flight', rank: 0, order: this.#nextOrder++ });
    return taken.map(({ id }) => id);
  }

  finish(id: string): void {
    const at = this.entries.findIndex((entry) => entry.id === id && entry.place === 'in flight');
    if (at >= 0) this.entries.splice(at, 1);
  }

  requeue(id: string, priority: number, readyAt: number): void {
    const entry = this.entries.find((one) => one.id === id && one.place === 'in flight');
    if (entry === undefined) return;
    Object.assign(entry, { priority, readyAt, turn: this.#nextTurn++, rank: 1 + priority, place: 'waiting' });
  }

  release(): void {
    const inFlight = this.entries.filter(({ place }) => place === 'in flight').sort((a, b) => a.order - b.order);
    for (const entry of inFlight) Object.assign(entry, { place: 'queued', order: this.#nextOrder++ });
  }

  /** Lane by lane, earliest first: entries that waited have no order across lanes. */
  queueDue(now: number): void {
    const due = this.entries.filter(({ place, readyAt }) => place === 'waiting' && readyAt <= now);
    const laneAt = ({ lane }: ModelEntry) => this.lanes.indexOf(lane);
    due.sort((a, b) => laneAt(a) - laneAt(b) || a.readyAt - b.readyAt || a.turn - b.turn);
    for (const entry of due) Object.assign(entry, { place: 'queued', order: this.#nextOrder++ });
  }
}

const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id);
const LANES = ['a', 'b', 'c'];

/** A random walk over both. Returns the steps at which they differ. */
function differences(seed: number): string[] {
  const { below, of } = createChoices(seed);
  const entries = new HostEntries();
  const model = new Model();
  const wrong: string[] = [];
  let now = 1_000;
  let inFlight: string[] = [];
  for (let step = 0; step < 1_500; step += 1) {
    // Both queue due entries at each step, so that entries due at once and entries that waited are in the same order.
    const readyAt = entries.readyAt(now);
    model.queueDue(now);
    if (readyAt !== model.readyAt(now)) wrong.push(`step ${step}: ready at ${readyAt}, not ${model.readyAt(now)}`);
    const move = below(10);
    if (move < 3) {
      const [lane, priority, readyAt] = [of(LANES), below(3), below(4) === 0 ? now + below(30) : now];
      entries.add(lane, priority, new Uint8Array(1), readyAt, now);
      model.add(lane, priority, readyAt);
      model.queueDue(now);
    } else if (move < 5) {
      const count = 1 + below(5);
      const [got, modelIds] = [idsOf(entries.take(count, now)), model.take(count, now)];
      if (String(got) !== String(modelIds)) wrong.push(`step ${step}: took ${got} instead of ${modelIds}`);
      inFlight.push(...modelIds);
    } else if (move === 5) {
      const id = String(1 + below(step + 1));
      entries.finish(id);
      model.finish(id);
    } else if (move === 6 && inFlight.length > 0) {
      const [id, priority, notBeforeMs] = [of(inFlight), below(3), below(2) * below(20)];
      entries.requeue({ id, priority, notBeforeMs }, now);
      model.requeue(id, priority, now + notBeforeMs);
    } else if (move === 7) {
      const [lane, until] = [of(LANES), now + below(20)];
      entries.block(lane, until);
      model.blocks.set(lane, until);
      if (!model.lanes.includes(lane)) model.lanes.push(lane);
    } else if (move === 8) {
      entries.requeueInFlight();
      model.release();
      inFlight = [];
    } else now += below(8);
    const counts = [entries.queued + entries.inFlight, entries.inFlight];
    const expected = [model.entries.length, model.entries.filter(({ place }) => place === 'in flight').length];
    if (String(counts) !== String(expected)) wrong.push(`step ${step}: counts ${counts} instead of ${expected}`);
  }
  const listed = idsOf(entries.scan(0, 10_000, 10_000).items);
  if (String(listed) !== String(model.entries.map(({ id }) => id))) wrong.push(`scan: ${listed}`);
  return wrong;
}

describe('the entries of a host', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are handed out in the order of a sorted list (seed %i)', (seed) => {
    expect(differences(seed)).toEqual([]);
  });

  it('are ready at the earliest time at which neither an entry nor its lane waits', () => {
    const entries = new HostEntries();
    expect(entries.readyAt(0)).toBeNull();
    entries.add('a', 4, new Uint8Array(1), 50, 0);
    expect(entries.readyAt(0)).toBe(50);
    entries.add('b', 4, new Uint8Array(1), 0, 0);
    expect(entries.readyAt(0)).toBe(0);
    entries.block('b', 30);
    expect(entries.readyAt(0)).toBe(30);
    entries.block('b', 40);
    expect(entries.readyAt(30)).toBe(40);
    entries.block('b', 0);
    expect(entries.readyAt(31)).toBe(0);
  });
});
