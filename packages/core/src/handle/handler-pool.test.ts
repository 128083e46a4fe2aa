// What is at stake: a stop must not wait for a handler that does not hear of it, and must not blame its page. And what
// a handler emits too late must not be lost in silence.
import { createManualClock } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import type { PageInCrawl } from '../page/page.js';
import type { HandledPage } from './handled-page.js';
import { HandlerPool } from './handler-pool.js';
import { type Handler, Handlers } from './handlers.js';

const PAGE = {
  url: 'https://example.com/',
  kind: 'html',
  label: null,
  exclusion: { runsHandler: true },
  releaseDocument: () => undefined,
} as PageInCrawl;

type OnLate = (url: string, error: Error) => void;

function poolOf(handler: Handler, signal: AbortSignal, onLate: OnLate = () => undefined) {
  const handlers = new Handlers();
  handlers.on('any', handler);
  const clock = createManualClock();
  return { pool: new HandlerPool({ handlers, concurrency: 2, handlerTimeoutMs: 1_000, clock, signal, onLate }), clock };
}

it.each<[string, Handler]>([
  ['does not hear', () => new Promise<void>(() => undefined)],
  ['throws on hearing it', (page) => new Promise<void>((_, fail) => page.signal.addEventListener('abort', fail))],
])('a handler that %s does not hold up a stop at once', async (_what, handler) => {
  const stop = new AbortController();
  const { pool, clock } = poolOf(handler, stop.signal);
  const handling = pool.handle(PAGE);
  while (clock.nextTimerAt() === null) await Promise.resolve();
  stop.abort();
  clock.advance(0);
  expect(await handling).toEqual({ kind: 'stopped' });
  expect(clock.nextTimerAt()).toBeNull();
});

it('a handler that ends on hearing it has ended well', async () => {
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

it('no handler begins after a stop at once', async () => {
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
  const { pool } = poolOf(handler, new AbortController().signal, (url, { message }) => late.push(`${url} ${message}`));
  await pool.handle(PAGE);
  for (const page of [...pages, ...pages]) void page.emit(1);
  expect(late).toEqual(Array(count).fill(expect.stringMatching(/^https:\/\/example\.com\/ .*is lost$/)));
});

it.each([{ method: 'POST' }, { body: 'x' }, { timeout: 1 }])('a handler cannot request with %j', async (options) => {
  let answer: Promise<unknown> = Promise.resolve();
  const { pool } = poolOf((page) => {
    answer = page.fetch('/search', options as object);
    return answer.catch(() => undefined);
  }, new AbortController().signal);
  await pool.handle(PAGE);
  await expect(answer).rejects.toMatchObject({ code: 'option-unknown', message: expect.stringContaining('GET') });
});
