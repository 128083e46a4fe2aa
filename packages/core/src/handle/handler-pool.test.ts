// At stake: a stop must not wait for a handler that ignores its signal, and must not count it as a failure of its page.
// And what a handler emits too late must not be lost silently.
import { fileURLToPath } from 'node:url';
import { createManualClock } from '@mannerly/frontier';
import { expect, it, vi } from 'vitest';
import { NO_TOOLS } from '../../test-support/page-tools.js';
import { textOf } from '../errors.js';
import type { PageInCrawl } from '../page/page.js';
import type { HandledPage } from './handled-page.js';
import { HandlerPool } from './handler-pool.js';
import { type Handler, Handlers } from './handlers.js';
import { RefusePage, StopCrawl } from './signals.js';

/** Properties that a page inherits: they are computed on first use. */
const LAZY_PROPERTIES = { links: [], body: [], json: (): Promise<unknown> => Promise.reject(new Error('no JSON')) };
const PAGE = Object.assign(Object.create(LAZY_PROPERTIES) as PageInCrawl, {
  url: 'https://example.com/',
  kind: 'html',
  label: null,
  exclusion: { runsHandler: true, storesItems: true, keepsBody: true },
  releaseDocument: () => undefined,
}) as PageInCrawl;

const A_FILE = fileURLToPath(import.meta.url);

type Callbacks = Pick<ConstructorParameters<typeof HandlerPool>[0], 'onLate' | 'onReturned'>;

function poolOf(handler: Handler, signal: AbortSignal, callbacks: Callbacks = {}) {
  const handlers = new Handlers();
  handlers.on('any', handler);
  const clock = createManualClock();
  return {
    pool: new HandlerPool({
      handlers,
      concurrency: 2,
      handlerTimeoutMs: 1_000,
      clock,
      signal,
      tools: NO_TOOLS,
      ...callbacks,
    }),
    clock,
  };
}

it.each<[string, Handler]>([
  ['does not hear', () => new Promise<void>(() => undefined)],
  ['throws on hearing it', (page) => new Promise<void>((_, fail) => page.signal.addEventListener('abort', fail))],
])('a handler that %s does not delay an immediate stop', async (_what, handler) => {
  const stop = new AbortController();
  const { pool, clock } = poolOf(handler, stop.signal);
  const handling = pool.handle(PAGE);
  while (clock.nextTimerAt() === null) await Promise.resolve();
  stop.abort();
  clock.advance(0);
  expect(await handling).toEqual({ kind: 'stopped' });
  expect(clock.nextTimerAt()).toBeNull();
});

it('a handler that ends on the signal has ended well', async () => {
  const stop = new AbortController();
  const { pool, clock } = poolOf(
    (page) => new Promise<void>((done) => page.signal.addEventListener('abort', () => done())),
    stop.signal,
  );
  const handling = pool.handle(PAGE);
  while (clock.nextTimerAt() === null) await Promise.resolve();
  stop.abort();
  expect(await handling).toMatchObject({ kind: 'handled' });
});

it('no handler begins after an immediate stop', async () => {
  const { pool } = poolOf(() => expect.unreachable(), AbortSignal.abort());
  expect(await pool.handle(PAGE)).toEqual({ kind: 'stopped' });
});

it.each<[string, () => unknown, number]>([
  ['that ended well is told, once', () => undefined, 1],
  ['that threw has failed already', () => Promise.reject(new Error('no')), 0],
])('what is emitted after the end of a handler %s', async (_what, end, count) => {
  const late: string[] = [];
  const pages: HandledPage[] = [];
  const handler: Handler = (page) => {
    pages.push(page);
    return end();
  };
  const onLate = (url: string, error: unknown) => late.push(`${url} ${textOf(error)}`);
  const { pool } = poolOf(handler, new AbortController().signal, { onLate });
  await pool.handle(PAGE);
  for (const page of [...pages, ...pages]) void page.emit(1);
  expect(late).toEqual(Array(count).fill(expect.stringMatching(/^https:\/\/example\.com\/ .*is lost$/)));
});

it.each<[string, Handler, string]>([
  ['an item that is none', (page) => void page.emit(1n as never), 'threw'],
  ['links, by a selector that is none', (page) => void page.follow('a[href'), 'threw'],
  ['a file without a folder', (page) => void page.save('a'), 'threw'],
  ['nothing that is lost: the page read as what it is not', (page) => void page.json(), 'handled'],
  ['two calls of which one is awaited', (page) => Promise.all([void page.emit(1n as never), page.emit(1)]), 'threw'],
  [
    'nothing that fails: it is caught',
    (page) =>
      page
        .emit(1n as never)
        .catch(() => undefined)
        .then(),
    'handled',
  ],
  ['nothing that fails: it is caught later', lateCatch, 'handled'],
  [
    'nothing that fails: all are awaited',
    (page) => Promise.allSettled([page.emit(1n as never), page.json()]),
    'handled',
  ],
])('a handler fails if a call that it does not await fails: %s', async (_what, handler, expected) => {
  const { pool } = poolOf(handler, new AbortController().signal);
  const { kind } = await pool.handle(PAGE);
  expect(kind).toBe(expected);
});

async function lateCatch(page: HandledPage): Promise<void> {
  const emitted = page.emit(1n as never);
  await new Promise(setImmediate);
  await emitted.catch(() => undefined);
}

it.each<[string, unknown, object]>([
  ['a signal', new StopCrawl('enough'), { kind: 'signal', signal: { kind: 'stop', reason: 'enough' } }],
  ['an error', new Error('no'), { kind: 'threw', detail: 'Error: no' }],
  ['a refusal of an object', new RefusePage({ code: 7 } as never), { signal: { reason: '{"code":7}' } }],
])('%s that a handler returns counts as thrown', async (_what, returned, expected) => {
  const { pool } = poolOf(async () => returned, new AbortController().signal);
  expect(await pool.handle(PAGE)).toMatchObject(expected);
});

it('a file that cannot be written after its handler has ended well is reported', async () => {
  const late: string[] = [];
  const { pool } = poolOf((page) => void page.save('a', { folder: A_FILE }), new AbortController().signal, {
    onLate: (_url, error) => late.push(textOf(error)),
  });
  expect(await pool.handle(PAGE)).toMatchObject({ kind: 'handled' });
  await vi.waitFor(() => expect(late).toEqual([expect.stringContaining(A_FILE)]));
});

it.each<[string, Handler]>([
  ['emit', (page) => page.emit(1n as never)],
  ['follow', (page) => page.follow('a', { label: 3 } as object)],
  ['add', (page) => page.add(undefined as unknown as string)],
  ['revisit', (page) => page.revisit(-1)],
  ['fetch', (page) => page.fetch('/a', { method: 'POST' } as object)],
])('the stack of what `page.%s` throws begins with the line of the handler', async (_method, handler) => {
  const { pool } = poolOf(handler, new AbortController().signal);
  const handled = await pool.handle(PAGE);
  const { stack = '' } = (handled as { readonly error: Error }).error;
  expect(stack.split('\n')[1]).toContain('handler-pool.test.ts');
});

it.each<[unknown, string]>([
  [{ code: 7 }, '{"code":7}'],
  ['boom', 'boom'],
  [undefined, 'undefined'],
  [Object.create(null), 'object'],
])('%j thrown by a handler is shown', async (thrown, detail) => {
  const { pool } = poolOf(() => Promise.reject(thrown), new AbortController().signal);
  expect(await pool.handle(PAGE)).toMatchObject({ kind: 'threw', detail });
});

it.each<[string, Handler, number]>([
  ['returns an object', () => ({ title: 'x' }), 1],
  ['returns the refusal of a hook', () => ({ kind: 'refuse', reason: 'old' }), 1],
  ['resolves to a list of objects', async () => [{ title: 'x' }], 1],
  ['returns an object next to what it emits', (page) => page.emit(1).then(() => ({ title: 'x' })), 0],
  ['returns what a method of the page resolves to', (page) => page.fetch('/a'), 0],
  ['returns an instance of a class', () => new Map(), 0],
  ['returns nothing', () => undefined, 0],
])('for a handler that %s, the message says whether an item was probably meant', async (_what, handler, count) => {
  const events: string[] = [];
  const { pool } = poolOf(handler, new AbortController().signal, { onReturned: (url) => events.push(url) });
  expect(await pool.handle(PAGE)).toMatchObject({ kind: 'handled' });
  expect(events).toEqual(Array(count).fill(PAGE.url));
});

it.each([{ method: 'POST' }, { body: 'x' }, { timeout: 1 }])('a handler cannot request with %j', async (options) => {
  let answer: Promise<unknown> = Promise.resolve();
  const { pool } = poolOf((page) => {
    answer = page.fetch('/search', options as object);
    return answer.catch(() => undefined);
  }, new AbortController().signal);
  await pool.handle(PAGE);
  await expect(answer).rejects.toMatchObject({ code: 'option-unknown', hint: expect.stringContaining('GET') });
});
