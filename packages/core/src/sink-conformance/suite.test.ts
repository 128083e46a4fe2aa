// The suite finds faults: a sink that breaks one guarantee fails the test of that guarantee. If every sink passed, a
// crawl could lose its items although its sink was tested.

import { describe, expect, it } from 'vitest';
import type { Item, Sink } from '../output/sink.js';
import { type KeptItem, type SinkMedium, sinkSuite } from './suite.js';

/** The behaviour of a sink under test. `RIGHT` has the correct one. */
interface Behaviour {
  /** The lines to write for the new items of a page. */
  readonly keep: (items: readonly Item[]) => readonly Item[];
  /** What is written of an item. */
  readonly line: (item: Item) => KeptItem;
  readonly knowsInSession: boolean;
  readonly knowsFromBefore: boolean;
  /** How many of the latest lines are read to know them. */
  readonly remembered: number;
  readonly startsOver: boolean;
  readonly writesAtClose: boolean;
  /** Whether a write resolves before its items are stored. */
  readonly confirmsEarly: boolean;
  readonly cutsTornLine: boolean;
  readonly throwsAtNothing: boolean;
  readonly throwsUnopened: boolean;
  /** What a page that the medium refuses leaves there; `null`: `write` rejects, and nothing is left. */
  readonly refused: number | null;
  readonly waitsAtClose: boolean;
  /** Whether pages are written one after the other. */
  readonly isSerial: boolean;
  readonly sameId: (id: string) => string;
}

const RIGHT: Behaviour = {
  keep: (items) => items,
  line: ({ id, url, data, expiresAtMs, preferences }) => ({ id, url, data, expiresAtMs, preferences }),
  knowsInSession: true,
  knowsFromBefore: true,
  remembered: Number.MAX_SAFE_INTEGER,
  startsOver: false,
  writesAtClose: false,
  confirmsEarly: false,
  cutsTornLine: true,
  throwsAtNothing: false,
  throwsUnopened: false,
  refused: null,
  waitsAtClose: true,
  isSerial: true,
  sameId: (id) => id,
};

/** A file in memory. */
function medium(behaviour: Behaviour): SinkMedium {
  const file = { text: '', isRefusing: false };
  const lines = (): string[] => file.text.split('\n').filter((line) => line !== '');
  return {
    makeSink: () => sinkOn(file, behaviour),
    read: async () => lines().map((line) => JSON.parse(line) as KeptItem),
    tear: async (bytes) => {
      file.text = file.text.slice(0, Math.max(0, file.text.length - bytes));
    },
    refuse: async (isRefused) => {
      file.isRefusing = isRefused;
    },
    dispose: async () => undefined,
  };
}

function sinkOn(file: { text: string; readonly isRefusing: boolean }, behaviour: Behaviour): Sink {
  const known = new Set<string>();
  let held = '';
  let isOpen = false;
  let tail: Promise<void> = Promise.resolve();
  const put = async (items: readonly Item[]): Promise<void> => {
    const fresh = new Map<string, Item>();
    for (const each of items) {
      const id = behaviour.sameId(each.id);
      if (!behaviour.knowsInSession) fresh.set(`${fresh.size}`, each);
      else if (!known.has(id) && !fresh.has(id)) fresh.set(id, each);
    }
    if (file.isRefusing && behaviour.refused === null) throw new Error('the medium is full');
    const kept = file.isRefusing ? [...fresh.values()].slice(0, behaviour.refused ?? 0) : [...fresh.values()];
    for (const each of behaviour.keep(kept)) {
      await Promise.resolve();
      known.add(behaviour.sameId(each.id));
      // The medium takes each id once, as a table does, so only a read right after the write shows the fault.
      if (behaviour.confirmsEarly && file.text.includes(`"${each.id}"`)) continue;
      const line = `${JSON.stringify(behaviour.line(each))}\n`;
      if (behaviour.writesAtClose) held += line;
      else file.text += line;
    }
  };
  return {
    name: 'fake',
    async open() {
      isOpen = true;
      if (behaviour.startsOver) file.text = '';
      if (behaviour.cutsTornLine) file.text = file.text.slice(0, file.text.lastIndexOf('\n') + 1);
      if (!behaviour.knowsFromBefore) return;
      const whole = file.text.split('\n').filter((line) => line.endsWith('}'));
      for (const line of whole.slice(-behaviour.remembered))
        known.add(behaviour.sameId((JSON.parse(line) as KeptItem).id));
    },
    async write(items) {
      if (behaviour.throwsAtNothing && items.length === 0) throw new Error('nothing to write');
      const written = behaviour.isSerial ? tail.then(() => put(items)) : put([...items].reverse());
      tail = written;
      await (behaviour.writesAtClose || behaviour.confirmsEarly ? Promise.resolve() : written);
    },
    async close() {
      if (behaviour.throwsUnopened && !isOpen) throw new Error('not open');
      if (behaviour.waitsAtClose) await tail;
      const late = held;
      held = '';
      file.text += late;
    },
  };
}

const FAULTS: readonly (readonly [fault: string, behaviour: Partial<Behaviour>, found: RegExp])[] = [
  ['loses the last item of a page', { keep: (items) => items.slice(0, -1) }, /every item of every page/],
  ['turns a page round', { keep: (items) => [...items].reverse() }, /every item of every page/],
  ['keeps texts only', { line: (each) => ({ ...RIGHT.line(each), data: String(each.data) }) }, /whatever JSON it is/],
  ['forgets the URL', { line: (each) => ({ ...RIGHT.line(each), url: '' }) }, /whatever JSON it is/],
  [
    'cuts what is long',
    { line: (each) => ({ ...RIGHT.line(each), data: JSON.stringify(each.data).length > 9_999 ? 'long' : each.data }) },
    /four hundred thousand/,
  ],
  ['forgets the expiry', { line: (each) => ({ ...RIGHT.line(each), expiresAtMs: null }) }, /what the site requires/],
  ['forgets the preferences', { line: (each) => ({ ...RIGHT.line(each), preferences: {} }) }, /what the site requires/],
  ['takes repeats for news', { knowsInSession: false }, /^keeps an item that is written again/],
  ['does not look within a page', { knowsInSession: false }, /names twice/],
  ['folds case', { sameId: (id) => id.toLowerCase() }, /different ids/],
  ['takes a page without items for a mistake', { throwsAtNothing: true }, /without items/],
  ['mixes pages up', { isSerial: false }, /at the same time/],
  ['closes at once', { waitsAtClose: false, writesAtClose: false }, /writes that are under way/],
  ['cannot be closed unless it was opened', { throwsUnopened: true }, /never opened/],
  ['swallows a refusal', { refused: 0 }, /its medium refuses/],
  ['keeps half of a refused page', { refused: 1 }, /its medium refuses/],
  ['starts over', { startsOver: true }, /appends to/],
  ['forgets earlier sessions', { knowsFromBefore: false }, /of an earlier session/],
  ['remembers too little', { remembered: 50 }, /in flight at a crash/],
  ['says yes and writes at the close', { writesAtClose: true }, /never closed/],
  ['says yes and writes a little later', { confirmsEarly: true }, /never closed/],
  ['writes behind a torn line', { cutsTornLine: false }, /middle of a write/],
  ['cannot open what is torn', { cutsTornLine: false, startsOver: true }, /appends to/],
];

/** The only test with this title, not yet run. */
function testOf(title: RegExp, behaviour: Behaviour): () => Promise<void> {
  const found: (() => Promise<void>)[] = [];
  sinkSuite({
    test: (name, run) => {
      if (title.test(name)) found.push(run);
    },
    makeMedium: async () => medium(behaviour),
    capabilities: { durable: true, exactData: true },
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`${title} names ${found.length} tests`);
  return only;
}

describe('a sink that', () => {
  it.each(FAULTS)('%s fails', async (_fault, faulty, title) => {
    await testOf(title, RIGHT)();
    await expect(testOf(title, { ...RIGHT, ...faulty })()).rejects.toThrow();
  });
});

it('of a long item, a message shows what differs first', async () => {
  const line = (each: Item): KeptItem => ({ ...RIGHT.line(each), data: { text: `${'ü"\n,'.repeat(90_000)}!` } });
  const message = await testOf(/four hundred thousand/, { ...RIGHT, line })().catch(String);
  expect(message).toMatch(/the data of long\/0: expected \d+ characters, from \d+ on …/);
  expect(message).toContain('!');
  expect(String(message).length).toBeLessThan(2_000);
});

it('leaves out what needs a capability that is not declared', () => {
  const titles = (durable: boolean): string[] => {
    const names: string[] = [];
    const capabilities = { durable, exactData: true };
    sinkSuite({ test: (name) => names.push(name), makeMedium: async () => medium(RIGHT), capabilities });
    return names;
  };
  expect(titles(false).length).toBeLessThan(titles(true).length);
});
