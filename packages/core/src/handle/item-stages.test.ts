// Stages between handlers and sinks: what they may return, what is counted, and what is an error.

import { Readable } from 'node:stream';
import type { JsonValue } from '@mannerly/frontier';
import { describe, expect, it } from 'vitest';
import type { FetchedPage } from '../page/page.js';
import { type ItemStage, ItemStages } from './item-stages.js';
import { MAX_PAGE_ITEMS } from './limits.js';

const PAGE = { url: 'https://a.test/', title: 'A' } as FetchedPage;
const run = (stages: readonly ItemStage[], ...emitted: JsonValue[]) => new ItemStages(stages).run(emitted, PAGE);

const same: ItemStage<object> = (item) => item;
const twice: ItemStage<object> = (item) => [item, { ...item, again: true }];
const none: ItemStage = () => null;

describe('a stage', () => {
  it.each<[string, ItemStage, JsonValue, JsonValue[]]>([
    ['the item', same as ItemStage, { a: 1 }, [{ a: 1 }]],
    ['the item, changed', ((item: { a: number }) => Object.assign(item, { a: 2 })) as ItemStage, { a: 1 }, [{ a: 2 }]],
    ['another one', (() => ({ b: 1 })) as ItemStage, { a: 1 }, [{ b: 1 }]],
    ['a promise', (async () => ({ b: 1 })) as ItemStage, { a: 1 }, [{ b: 1 }]],
    ['several', twice as ItemStage, { a: 1 }, [{ a: 1 }, { a: 1, again: true }]],
    ['an item that is a list', same as ItemStage, [1, 2], [[1, 2]]],
    ['a list as one item', (() => [[1, 2]]) as ItemStage, 0, [[1, 2]]],
    ['null', none, { a: 1 }, []],
    ['an empty list', () => [], { a: 1 }, []],
    ['a fact of the page', (_, { title }) => ({ title }), {}, [{ title: 'A' }]],
    [
      'what JSON writes otherwise',
      () => ({ at: new Date(0), no: undefined }),
      {},
      [{ at: '1970-01-01T00:00:00.000Z' }],
    ],
  ])('may return %s', async (_what, stage, given, expected) => {
    expect(await run([stage], given)).toEqual([expected]);
  });

  it.each<[string, ItemStage, RegExp]>([
    ['nothing', (() => undefined) as never, /the stage .* returned nothing for an item of https:\/\/a\.test/],
    ['no JSON', () => ({ a: 1n }), /expected an item of https:\/\/a\.test\/ to be JSON/],
    ['a function', () => () => 1, /to be JSON, got a function/],
    ['a generator', (() => [1].values()) as never, /to be JSON, got a generator: make it a list/],
    ['an asynchronous generator', (() => Readable.from([1]).iterator()) as never, /to be JSON, got a generator/],
    ['too many', () => Array.from({ length: MAX_PAGE_ITEMS + 1 }, () => 0), /at most 100000 items of one page/],
  ])('may not return %s', async (_what, stage, says) => {
    await expect(run([stage], {})).rejects.toThrow(says);
  });

  it('changes a copy of what was emitted', async () => {
    const emitted = { list: [1] };
    await run([(item) => Object.assign(item as object, { list: [] })], emitted);
    expect(emitted).toEqual({ list: [1] });
  });
});

describe('stages', () => {
  it('run in their order, and results keep the order of items', async () => {
    const even: ItemStage<{ n: number }> = (item) => (item.n % 2 === 0 ? item : null);
    expect(await run([even as ItemStage, twice as ItemStage], { n: 1 }, { n: 2 }, { n: 3 })).toEqual([
      [],
      [{ n: 2 }, { n: 2, again: true }],
      [],
    ]);
  });

  it('are counted by the name of their function', async () => {
    const fails: ItemStage<{ n: number }> = (item) => {
      if (item.n === 3) throw new Error('no three');
      return item;
    };
    const odd: ItemStage<{ n: number }> = ({ n }) => (n % 2 === 1 ? { n } : []);
    const stages = new ItemStages([odd as ItemStage, twice as ItemStage, twice as ItemStage, fails as ItemStage]);
    expect(await stages.run([{ n: 1 }, { n: 2 }], PAGE)).toHaveLength(2);
    await expect(stages.run([{ n: 3 }], PAGE)).rejects.toThrow('no three');
    expect(stages.counts()).toEqual([
      { name: 'odd', in: 3, out: 2, dropped: 1, failed: 0 },
      { name: 'twice', in: 2, out: 4, dropped: 0, failed: 0 },
      { name: 'twice 2', in: 4, out: 8, dropped: 0, failed: 0 },
      { name: 'fails', in: 5, out: 4, dropped: 0, failed: 1 },
    ]);
    const [anonymous] = new ItemStages([
      (
        () => () =>
          null
      )() as ItemStage,
    ]).counts();
    expect(anonymous?.name).toBe('stage');
  });

  it('cost nothing if there are none', async () => {
    expect(await run([], { a: 1 })).toBeNull();
  });
});
