// One object defines a crawl's routes. At stake: a handler that trusts the type of its input, and an item that a table
// cannot store. Three schema libraries stand for all that implement Standard Schema.

import { createManualClock } from '@mannerly/frontier';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NO_TOOLS } from '../../test-support/page-tools.js';
import { pageReader, pageWork, response } from '../../test-support/page-work.js';
import type { FetchedPage } from '../page/page.js';
import { type Handled, HandlerPool } from './handler-pool.js';
import { Handlers } from './handlers.js';
import { MAX_PAGE_REJECTED } from './limits.js';
import { type Routes, registerRoutes } from './routes.js';
import { type Schema, unchecked } from './schema.js';
import { RefusePage, RetryPage, StopCrawl } from './signals.js';
import type { EmittedItem } from './staged.js';

const URL_OF_PAGE = 'https://example.com/a/';

/** The result of one page with these routes. */
async function handled<UserData, Items, Names extends string>(
  routes: Routes<UserData, Items, Names>,
  more: { label?: string; userData?: FetchedPage['userData']; handlerTimeoutMs?: number } = {},
): Promise<{ readonly handled: Handled; readonly pool: HandlerPool }> {
  const handlers = new Handlers();
  registerRoutes(handlers, routes);
  const reader = pageReader();
  const { label = null, userData = null } = more;
  const work = pageWork(URL_OF_PAGE, { label, userData });
  const page = await reader.read(work, response(URL_OF_PAGE, '<title>t</title>', [['Content-Type', 'text/html']]));
  const clock = createManualClock();
  const signal = new AbortController().signal;
  const pool = new HandlerPool({ handlers, concurrency: 1, handlerTimeoutMs: 1_000, clock, signal, tools: NO_TOOLS });
  return { handled: await pool.handle(page), pool };
}

async function stagedBy<UserData, Items, Names extends string>(routes: Routes<UserData, Items, Names>, more = {}) {
  const { handled: came } = await handled(routes, more);
  if (came.kind !== 'handled') throw new Error(`expected it to be handled: ${JSON.stringify(came)}`);
  return came.staged;
}

/** The same item in three libraries: a name, and a price that may be a string. */
const LIBRARIES: readonly (readonly [name: string, schema: Schema<unknown, { name: string; price: number }>])[] = [
  ['zod', z.object({ name: z.string().min(1), price: z.coerce.number() }) as never],
  [
    'valibot',
    v.object({
      name: v.pipe(v.string(), v.minLength(1)),
      price: v.pipe(
        v.union([v.number(), v.string()]),
        v.transform(Number),
        v.check((n) => !Number.isNaN(n)),
      ),
    }) as never,
  ],
  ['arktype', type({ name: 'string > 0', price: 'number | string.numeric.parse' }) as never],
  // Like a library whose checks query a database.
  [
    'a schema that takes its time',
    z.object({ name: z.string().min(1), price: z.coerce.number() }).refine(async () => true) as never,
  ],
];

describe.each(LIBRARIES)('items by %s', (_name, item) => {
  it('are staged as the schema returns them, in order, and rejected items are kept separately', async () => {
    const answers: EmittedItem['kind'][] = [];
    const staged = await stagedBy({
      html: {
        item,
        async handle(page) {
          for (const data of [
            { name: 'crab', price: '3' },
            { name: '', price: 1 },
            { name: 'eel', price: 2 },
          ]) {
            answers.push((await page.emit(data)).kind);
          }
        },
      },
    });
    expect(answers).toEqual(['staged', 'rejected', 'staged']);
    expect(staged.data).toEqual([
      { name: 'crab', price: 3 },
      { name: 'eel', price: 2 },
    ]);
    expect(staged.rejectedCount).toBe(1);
    expect(staged.rejected[0]).toMatchObject({
      url: URL_OF_PAGE,
      visit: 0,
      data: { name: '', price: 1 },
      dataChars: 21,
    });
    expect(staged.rejected[0]?.issues[0]).toMatchObject({ path: ['name'] });
    expect(staged.rejected[0]?.issues[0]?.message.length).toBeGreaterThan(3);
  });

  it('are complete even if they are not awaited', async () => {
    const staged = await stagedBy({
      html: {
        item,
        handle(page) {
          for (let price = 0; price < 20; price += 1) void page.emit(price === 7 ? null : { name: 'x', price });
        },
      },
    });
    expect(staged.data.map((each) => (each as { price: number }).price)).toEqual(
      Array.from({ length: 20 }, (_, price) => price).filter((price) => price !== 7),
    );
    expect(staged.rejectedCount).toBe(1);
  });

  it('do not count if the handler throws', async () => {
    const { handled: came } = await handled({
      html: {
        item,
        async handle(page) {
          await page.emit({ name: 'crab', price: 1 });
          await page.emit(null);
          throw new Error('no');
        },
      },
    });
    expect(came).toMatchObject({ kind: 'threw', detail: 'Error: no' });
  });

  it('as user data: the handler gets the result of the schema, and no page that does not match it', async () => {
    const seen: unknown[] = [];
    const routes = { 'label:x': { userData: item, handle: (page: { userData: unknown }) => seen.push(page.userData) } };
    await stagedBy(routes as never, { label: 'x', userData: { name: 'crab', price: '3' } });
    expect(seen).toEqual([{ name: 'crab', price: 3 }]);
    const { handled: came } = await handled(routes as never, { label: 'x', userData: { name: '', price: 3 } });
    expect(came).toMatchObject({ kind: 'user-data-invalid', detail: expect.stringMatching(/^name: ./) });
    expect((await handled(routes as never, { label: 'x' })).handled.kind).toBe('user-data-invalid');
    expect(seen).toHaveLength(1);
  });
});

it('items keep their order if the schema takes longer for some of them', async () => {
  const item: Schema<number> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) =>
        Number(value) % 3 === 0
          ? new Promise((resolve) => setImmediate(resolve, { value: Number(value) }))
          : { value: Number(value) },
    },
  };
  const staged = await stagedBy({
    html: {
      item,
      handle(page) {
        for (let at = 0; at < 10; at += 1) void page.emit(at);
      },
    },
  });
  expect(staged.data).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('types follow from the schemas of each library', async () => {
  const staged = await stagedBy({
    html: async (page) => {
      // @ts-expect-error user data of another type
      await page.add('/a', { label: 'zod', userData: { id: true } });
      // @ts-expect-error user data of another type
      await page.add('/b', { label: 'valibot', userData: { id: 'one' } });
      // @ts-expect-error user data of another type
      await page.add('/c', { label: 'arktype', userData: { id: 'one' } });
      await page.add('/d', { label: 'zod', userData: { id: '1' } });
      await page.add('/e', { label: 'valibot', userData: { id: 1 } });
      await page.add('/f', { label: 'arktype', userData: { id: 1 } });
    },
    'label:zod': {
      userData: z.object({ id: z.string().transform(Number) }),
      handle: (page) => page.userData.id satisfies number,
    },
    'label:valibot': { userData: v.object({ id: v.number() }), handle: (page) => page.userData.id satisfies number },
    'label:arktype': {
      userData: type({ id: 'number' }),
      item: type({ name: 'string' }),
      // @ts-expect-error another item
      handle: (page) => page.emit({ name: page.userData.id satisfies number }),
    },
  });
  expect(staged.links).toHaveLength(6);
});

/** Schemas that break the contract, and the issue that the item gets. */
const BROKEN: readonly (readonly [title: string, validate: () => unknown, says: RegExp])[] = [
  [
    'throws',
    () => {
      throw new Error('bug');
    },
    /the schema threw: Error: bug/,
  ],
  ['rejects', () => Promise.reject(new Error('bug')), /the schema threw: Error: bug/],
  ['answers nothing', () => undefined, /the schema answered undefined/],
  ['answers neither', () => ({}), /neither value nor issues/],
  ['answers no issues', () => ({ issues: [] }), /does not say why/],
  ['answers a number as issues', () => ({ issues: 3 }), /does not say why/],
  ['answers issues of null', () => ({ issues: [null] }), /^$/],
];

it.each(BROKEN)('a schema that %s rejects the item, and the page continues', async (_title, validate, says) => {
  const item = { '~standard': { version: 1, vendor: 'test', validate } } as unknown as Schema;
  const staged = await stagedBy({
    html: {
      item,
      async handle(page) {
        expect((await page.emit({ a: 1 })).kind).toBe('rejected');
        await page.add('/next');
      },
    },
  });
  expect(staged.data).toEqual([]);
  expect(staged.rejected[0]?.issues[0]?.message).toMatch(says);
  expect(staged.links).toHaveLength(1);
});

it('rejected items are bounded in number per page, length and issues', async () => {
  const item: Schema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: () => ({
        issues: Array.from({ length: 99 }, () => ({
          message: 'm'.repeat(999),
          path: Array.from({ length: 99 }, () => 'k'.repeat(999)),
        })),
      }),
    },
  };
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const staged = await stagedBy({
    html: {
      item,
      handle(page) {
        void page.emit('x'.repeat(70_000));
        void page.emit(cycle);
        for (let at = 0; at < MAX_PAGE_REJECTED; at += 1) void page.emit(at);
      },
    },
  });
  expect(staged.rejectedCount).toBe(MAX_PAGE_REJECTED + 2);
  expect(staged.rejected).toHaveLength(MAX_PAGE_REJECTED);
  expect(staged.rejected.slice(0, 3).map(({ data, dataChars }) => [data, dataChars])).toEqual([
    [null, 70_002],
    [null, 0],
    [0, 1],
  ]);
  expect(JSON.stringify(staged.rejected[0]).length).toBeLessThan(256 * 1024);
});

it('the result of a schema has to be JSON, like any item', async () => {
  const item = z.string().transform((text) => BigInt(text));
  const { handled: came } = await handled({ html: { item, handle: (page) => page.emit('12') } });
  expect(came).toMatchObject({ kind: 'threw', error: { code: 'item-invalid' } });
});

it('an item that is emitted after the handler has ended is answered accordingly', async () => {
  let late: (() => Promise<unknown>) | null = null;
  await stagedBy({
    html: {
      item: unchecked<string>(),
      handle(page) {
        late = () => page.emit('late');
      },
    },
  });
  const result = await (late === null ? null : (late as () => Promise<unknown>)());
  expect(result).toMatchObject({ kind: 'rejected', issues: [{ message: expect.stringContaining('has ended') }] });
});

it('a signal that a handler throws counts, whatever it staged before', async () => {
  const outcomeOf = async (thrown: unknown) => {
    const { handled: came } = await handled({
      html: async (page) => {
        await page.emit(1);
        throw thrown;
      },
    });
    return came;
  };
  expect(await outcomeOf(new RetryPage('later', { afterMs: 5 }))).toEqual({
    kind: 'signal',
    signal: { kind: 'retry', reason: 'later', afterMs: 5 },
  });
  expect(await outcomeOf(new RetryPage('later'))).toMatchObject({ signal: { afterMs: null } });
  expect(await outcomeOf(new RefusePage('x'.repeat(999)))).toEqual({
    kind: 'signal',
    signal: { kind: 'refuse', reason: 'x'.repeat(500) },
  });
  expect(await outcomeOf(new StopCrawl('look'))).toEqual({ kind: 'signal', signal: { kind: 'stop', reason: 'look' } });
  // Values that only resemble a signal.
  for (const thrown of [{ name: 'RetryPage', message: 'x' }, 'retry', RetryPage, null, undefined]) {
    expect(await outcomeOf(thrown)).toMatchObject({ kind: 'threw' });
  }
});

it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 86_400_001, '5'])(
  'a retry after %s ms is not a signal',
  (afterMs) => {
    expect(() => new RetryPage('x', { afterMs: afterMs as number })).toThrowError(
      expect.objectContaining({ code: 'option-invalid' }),
    );
  },
);

describe('an object of routes', () => {
  const nothing = (): void => undefined;
  it.each<[string, unknown, string]>([
    ['is none', null, 'route-invalid'],
    ['has a route that is none', { htm: nothing }, 'route-invalid'],
    ['has a handler that is none', { html: 3 }, 'route-invalid'],
    ['has no handler', { html: {} }, 'route-invalid'],
    ['has a handler by another name', { html: { handler: nothing } }, 'route-invalid'],
    ['is a list', [nothing], 'route-invalid'],
    ['has an option that is none', { html: { handle: nothing, items: z.string() } }, 'option-unknown'],
    ['has an item schema that is none', { html: { handle: nothing, item: { parse: nothing } } }, 'option-invalid'],
    ['has a schema of user data that is none', { html: { handle: nothing, userData: null } }, 'option-invalid'],
    ['has a size that is none', { json: { handle: nothing, maxBodyBytes: -1 } }, 'option-invalid'],
    ['has one route twice, in another case', { 'text/html': nothing, 'TEXT/HTML': nothing }, 'route-invalid'],
  ])('that %s is refused', (_title, routes, code) => {
    expect(() => registerRoutes(new Handlers(), routes as object)).toThrowError(expect.objectContaining({ code }));
  });

  it('calls a handler that is a method with its object', async () => {
    const staged = await stagedBy({
      html: {
        maxBodyBytes: 7,
        handle(this: { readonly maxBodyBytes: number }, page: { emit(data: number): unknown }) {
          page.emit(this.maxBodyBytes);
        },
      },
    });
    expect(staged.data).toEqual([7]);
  });
});
