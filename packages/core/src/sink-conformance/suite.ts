// The conformance suite of sinks: one test per guarantee of the contract, on a medium that the author provides. Sinks
// are opened and closed on it, as runs of one crawl do. It does not depend on a test runner.

import type { JsonValue } from '@mannerly/frontier';
import { assert, assertEqual } from '../fetcher-conformance/assert.js';
import type { Item, Sink } from '../output/sink.js';

/** What a medium stores of an item. `data` counts with `exactData` only. */
export type KeptItem = Pick<Item, 'id' | 'url' | 'data' | 'expiresAtMs' | 'preferences'>;

/** A medium for one test: a file, a table, a bucket; initially empty. */
export interface SinkMedium {
  /** A sink on this medium, as each run makes one. */
  makeSink(): Sink;
  /** Its content, in the order of writing. Called while no sink is writing. */
  read(): Promise<readonly KeptItem[]>;
  /** Removes this many bytes from its end, as a crash may; left out if a medium cannot be truncated. */
  tear?(bytes: number): Promise<void>;
  /** Makes it refuse what is written, as a full disk does, or take it again; left out if it cannot be made to. */
  refuse?(isRefused: boolean): Promise<void>;
  /** Called after the test. */
  dispose(): Promise<void>;
}

/** What a sink guarantees. */
export interface SinkCapabilities {
  /** Whether written items outlive the sink. `false`: guarantees about restarts are not tested. */
  readonly durable: boolean;
  /** Whether data is read back as it was emitted. `false`: only its presence is tested, as for a table. */
  readonly exactData: boolean;
}

interface SinkSuiteOptions {
  readonly test: (title: string, run: () => Promise<void>) => void;
  /** An empty medium for each test; the suite disposes of it. */
  readonly makeMedium: () => Promise<SinkMedium>;
  /** What its sinks guarantee. Tests of a capability that is not declared are left out. */
  readonly capabilities: SinkCapabilities;
}

/**
 * Registers the suite.
 * @throws Never; the tests fail with messages that say which guarantee was broken.
 * @example sinkSuite({ test, makeMedium: () => fileMedium(), capabilities: { durable: true, exactData: true } })
 */
export function sinkSuite({ test, makeMedium, capabilities }: SinkSuiteOptions): void {
  const tests = { ...WRITING, ...(capabilities.durable ? RESTARTS : {}) };
  for (const [title, run] of Object.entries(tests)) {
    test(title, async () => {
      const medium = await makeMedium();
      try {
        await run(medium, capabilities);
      } finally {
        await medium.dispose();
      }
    });
  }
}

type SinkTest = (medium: SinkMedium, capabilities: SinkCapabilities) => Promise<void>;

type SinkTests = Readonly<Record<string, SinkTest>>;

const ALIKE = ['a.test/x/1', 'a.test/x/10', 'A.test/x/1', 'a.test/X/1', 'a.test/é/1', 'a.test/e/1', 'a.test/x'];

const LONG = 'ü"\n,'.repeat(100_000);

/** Data that handlers emit: any JSON. */
const DATA: readonly JsonValue[] = [
  { text: 'plain' },
  {},
  { text: '' },
  { text: 'a "quoted" text, with commas; and\ttabs' },
  { text: 'line\nbreaks\r\nof every\rkind\u2028' },
  { text: 'Grüße, 日本語, 🦆, \u0000, \u001f' },
  { '': 'an empty key', 'a,b': 1, 'a"b': 2, ' spaced ': 3 },
  { id: 'not ours', url: 'https://example.org/other', fetchedAt: 0, data: 1 },
  { nested: { deep: [1, [2, { three: null }]] }, list: [] },
  { n: 0, negative: -1.5, large: 1e21, yes: true, no: false, nothing: null },
  { text: '=1+1', other: '@x' },
  ['a', 'list'],
  'a text',
  17,
  false,
  null,
];

/** Writing: everything, once, in order, unchanged. */
const WRITING: SinkTests = {
  'keeps every item of every page, in the order in which they were written': holdsAfter(
    [[page('a', 3), page('b', 1), page('c', 2)]],
    ['a/0', 'a/1', 'a/2', 'b/0', 'c/0', 'c/1'],
  ),

  'keeps what handlers emit, whatever JSON it is, with its URL': async (medium, capabilities) => {
    const items = DATA.map((data, at) => item(`d/${at}`, data));
    for (const written of items) await session(medium, [written]);
    const kept = await medium.read();
    assertEqual(kept.length, items.length, 'items kept');
    for (const [at, written] of items.entries()) assertKept(kept[at], written, capabilities);
  },

  'keeps an item of four hundred thousand characters whole': async (medium, capabilities) => {
    const long = item('long/0', { text: LONG });
    await session(medium, [long], page('after', 1));
    assertKept((await medium.read())[0], long, capabilities);
    await assertHolds(medium, ['long/0', 'after/0'], 'ids around a long item');
  },

  'keeps what the site requires of those who store it: expiry and use preferences': async (medium, capabilities) => {
    const preferences = { 'train-ai': 'disallow', search: 'allow' } as const;
    const restricted = item('w/0', { n: 1 }, { expiresAtMs: Date.UTC(2027, 0, 1), preferences });
    const plain = item('w/1', { n: 2 });
    await session(medium, [restricted, plain]);
    const kept = await medium.read();
    assertKept(kept[0], restricted, capabilities);
    assertKept(kept[1], plain, capabilities);
  },

  'keeps an item that is written again once': holdsAfter(
    [[page('a'), page('b'), page('a'), [...page('b'), ...page('c')]]],
    ['a/0', 'a/1', 'b/0', 'b/1', 'c/0', 'c/1'],
  ),

  'keeps an item that a page names twice once': holdsAfter([[[item('a/0'), item('a/1'), item('a/0')]]], ['a/0', 'a/1']),

  'treats ids that differ in their case, their end or a character as different ids': holdsAfter(
    [[ALIKE.map((id) => item(id))]],
    ALIKE,
  ),

  'keeps a tombstone like an item, behind those that it is about': async (medium, capabilities) => {
    const removed = item('a.test/00/7/removed', { removed: 'gone' }, { removed: 'gone' });
    await session(medium, [item('a.test/00/0')], [removed]);
    await assertHolds(medium, ['a.test/00/0', removed.id], 'ids with a tombstone');
    assertKept((await medium.read())[1], removed, capabilities);
  },

  'accepts a page without items, and writes nothing': holdsAfter([[[], page('a', 1), []]], ['a/0']),

  'writes pages that come at the same time, each of them in order': async (medium) => {
    const sink = await openSink(medium);
    const pages = Array.from({ length: 40 }, (_, at) => page(`p${at % 30}`, 3));
    await Promise.all(pages.map((items) => sink.write(items)));
    await sink.close();
    const ids = (await medium.read()).map(({ id }) => id);
    const expected = pages.slice(0, 30).map((items) => items.map(({ id }) => id));
    assertEqual([...ids].sort(), expected.flat().sort(), 'ids of forty pages');
    for (const [at, each] of expected.entries()) {
      const written = ids.filter((id) => id.startsWith(`p${at}/`));
      assertEqual(written, each, `the order within p${at}`);
    }
  },

  'closes after the writes that are under way': async (medium) => {
    const sink = await openSink(medium);
    const written = sink.write(page('a'));
    const closed = sink.close().then(() => assertHolds(medium, ['a/0', 'a/1'], 'ids of a page written at the close'));
    await Promise.all([written, closed]);
  },

  'closes although it was never opened': async (medium) => {
    await medium.makeSink().close();
  },
};

/**
 * Restarts and crashes. A page whose write has resolved is settled and never comes again; a page whose write has not
 * comes again with the same ids.
 */
const RESTARTS: SinkTests = {
  'appends to what is there when it is opened again': holdsAfter(
    [[page('a')], [], [page('b')]],
    ['a/0', 'a/1', 'b/0', 'b/1'],
  ),

  'keeps an item of an earlier session that is written again once': holdsAfter(
    [
      [page('a'), page('b', 3)],
      [page('b', 3), page('c', 1), page('a')],
    ],
    ['a/0', 'a/1', 'b/0', 'b/1', 'b/2', 'c/0'],
  ),

  'knows the pages that were in flight at a crash among hundreds': async (medium) => {
    const all = Array.from({ length: 300 }, (_, at) => page(`p${at}`));
    for (const pages of [all, [...all.slice(-200), page('new', 1)]]) {
      const sink = await openSink(medium);
      await Promise.all(pages.map((items) => sink.write(items)));
      await sink.close();
    }
    const ids = (await medium.read()).map(({ id }) => id);
    assertEqual(ids.length, all.length * 2 + 1, 'items after two hundred pages came again');
    assertEqual(new Set(ids).size, ids.length, 'ids that are there once');
  },

  'holds what it has confirmed, although it was never closed': async (medium) => {
    const killed = await openSink(medium);
    await killed.write(page('a'));
    await assertHolds(medium, ['a/0', 'a/1'], 'ids right after their write has resolved');
    await killed.write(page('b'));
    // A killed process closes nothing: the next one reads what it left.
    await session(medium, page('b'), page('c', 1));
    await assertHolds(medium, ['a/0', 'a/1', 'b/0', 'b/1', 'c/0'], 'ids after a session that was not closed');
    await killed.close();
  },

  'is whole after a crash in the middle of a write: what is missing is written again, what is there is not': async (
    medium,
  ) => {
    if (medium.tear === undefined) return;
    const torn = [item('b/0', { text: 'line\nbreak, "quotes"' })];
    await session(medium, page('a'), torn);
    for (const bytes of [1, 2, 3, 7, 20, 33]) {
      await medium.tear(bytes);
      await session(medium, page('a'), torn);
      await assertHolds(medium, ['a/0', 'a/1', 'b/0'], `ids after ${bytes} bytes were torn off`);
    }
  },

  'rejects a page that its medium refuses, and keeps the whole page when it comes again': async (medium) => {
    if (medium.refuse === undefined) return;
    const sink = await openSink(medium);
    await sink.write(page('a'));
    await medium.refuse(true);
    const answer = await sink.write(page('b')).then(
      () => 'resolved',
      () => 'rejected',
    );
    assertEqual(answer, 'rejected', 'what `write` does with a page that is refused');
    await sink.close().catch(() => undefined);
    await medium.refuse(false);
    await assertHolds(medium, ['a/0', 'a/1'], 'ids after a page was refused');
    await session(medium, page('b'));
    await assertHolds(medium, ['a/0', 'a/1', 'b/0', 'b/1'], 'ids after that page came again');
  },

  'opens after a crash that left nothing whole': async (medium) => {
    if (medium.tear === undefined) return;
    await session(medium, page('a', 1));
    await medium.tear(1_000_000);
    await session(medium, page('a', 1));
    await assertHolds(medium, ['a/0'], 'ids after everything was torn off');
  },
};

function item(id: string, data: JsonValue = { n: 1 }, more: Partial<Item> = {}): Item {
  const url = `https://example.org/${encodeURIComponent(id)}`;
  return { id, url, fetchedAtMs: Date.UTC(2026, 10, 20, 12), data, expiresAtMs: null, preferences: {}, ...more };
}

function page(name: string, count = 2): Item[] {
  return Array.from({ length: count }, (_, at) => item(`${name}/${at}`, { n: at, name }));
}

/** A test of the ids that the medium has after some sessions, each with its pages. */
function holdsAfter(sessions: readonly (readonly (readonly Item[])[])[], ids: readonly string[]): SinkTest {
  return async (medium) => {
    for (const pages of sessions) await session(medium, ...pages);
    await assertHolds(medium, ids, `ids after ${sessions.length} sessions`);
  };
}

/** One run: opens, writes page by page, closes. */
async function session(medium: SinkMedium, ...pages: readonly (readonly Item[])[]): Promise<void> {
  const sink = await openSink(medium);
  for (const items of pages) await sink.write(items);
  await sink.close();
}

async function openSink(medium: SinkMedium): Promise<Sink> {
  const sink = medium.makeSink();
  await sink.open();
  return sink;
}

/** @throws ContractBroken unless the medium holds exactly these ids, in this order. */
async function assertHolds(medium: SinkMedium, ids: readonly string[], what: string): Promise<void> {
  const kept = (await medium.read()).map(({ id }) => id);
  assertEqual(kept, ids, what);
}

/** @throws ContractBroken unless the item is stored as it was written. */
function assertKept(kept: KeptItem | undefined, written: Item, capabilities: SinkCapabilities): void {
  assert(kept !== undefined, `the item ${written.id} is not there`);
  assertEqual(kept.url, written.url, `the URL of ${written.id}`);
  assertEqual(kept.expiresAtMs, written.expiresAtMs, `\`expiresAtMs\` of ${written.id}`);
  assertEqual(kept.preferences, written.preferences, `\`preferences\` of ${written.id}`);
  if (capabilities.exactData) assertEqual(kept.data, written.data, `the data of ${written.id}`);
}
