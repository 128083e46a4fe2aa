// A caller that reports something wrong gets an error that names it, before anything has changed. Otherwise a host
// would get its next request at once, a 429 would be overlooked, or the store would keep what cannot be read again.

import { expect, it } from 'vitest';
import { setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';
import type { NewUrl } from '../url-record.js';
import type { Exchange, RobotsWork, Settlement } from '../work.js';

const INTERVAL_MS = 1_000;

/** A frontier with two pages of one host queued, and the first of them taken. */
async function setUpPage() {
  const { robots, ...parts } = await setUpRobots();
  const { frontier, clock } = parts;
  frontier.exchanged(robots, exchangeAt(clock.nowMs()));
  await frontier.settle(robots, answered());
  clock.advance(INTERVAL_MS);
  const [page] = await frontier.take(1);
  return { ...parts, page: page! };
}

async function setUpRobots() {
  const { frontier, clock, make } = setUp(
    (nowMs) => memoryStore({ nowMs }),
    () => ({ status: 404 }),
    {
      politeness: { profile: { factor: 0, minMs: INTERVAL_MS, maxMs: INTERVAL_MS } },
      bounds: { bytes: 1_000 },
    },
  );
  await frontier.open();
  await frontier.add([url('http://a.test/1'), url('http://a.test/2')]);
  const [robots] = await frontier.take(1);
  return { frontier, clock, make, robots: robots as RobotsWork };
}

function exchangeAt(nowMs: number, more: object = {}): Exchange {
  return { startedAtMs: nowMs, endedAtMs: nowMs, status: 200, retryAfter: null, failure: null, bytes: 1, ...more };
}

function answered(more: object = {}): Settlement {
  const robotsUrl = 'http://a.test/robots.txt';
  const response = {
    kind: 'response',
    status: 200,
    headers: {},
    body: new Uint8Array(),
    robotsUrl,
    finalUrl: robotsUrl,
  };
  return { kind: 'robots', answer: { ...response, ...more } as Extract<Settlement, { kind: 'robots' }>['answer'] };
}

const DONE: Settlement = { kind: 'done', countsAsPage: true, links: [] };

it('a settlement without its exchange starts the interval of the host', async () => {
  const { frontier, clock, page } = await setUpPage();
  expect(frontier.mayStart(page)).toEqual({ kind: 'go' });
  await frontier.settle(page, DONE);
  expect(await frontier.take(1)).toEqual([]);
  expect(await frontier.nextAt()).toBe(clock.nowMs() + INTERVAL_MS);
});

it('work that is returned after its request was allowed does, too', async () => {
  const { frontier, clock, page } = await setUpPage();
  expect(frontier.mayStart(page)).toEqual({ kind: 'go' });
  await frontier.settle(page, { kind: 'returned', untilMs: null });
  expect(await frontier.take(1)).toEqual([]);
  clock.advance(INTERVAL_MS);
  const [again] = await frontier.take(1);
  // No request was allowed: it can be made at once.
  await frontier.settle(again!, { kind: 'returned', untilMs: null });
  expect(await frontier.take(1)).toMatchObject([{ url: 'http://a.test/1' }]);
});

it.each<Settlement>([DONE, { kind: 'again', notBeforeMs: 0 }])(
  'a page does, too, if neither its start nor its exchange was reported: %j',
  async (settlement) => {
    const { frontier, clock, page } = await setUpPage();
    await frontier.settle(page, settlement);
    expect(await frontier.take(1)).toEqual([]);
    clock.advance(INTERVAL_MS);
    expect(await frontier.take(1)).toMatchObject([{ kind: 'page' }]);
  },
);

it('the answer for a robots.txt without its exchange does, too', async () => {
  const { frontier, clock, robots } = await setUpRobots();
  await frontier.settle(robots, answered());
  expect(await frontier.take(1)).toEqual([]);
  clock.advance(INTERVAL_MS);
  expect(await frontier.take(1)).toMatchObject([{ url: 'http://a.test/1' }]);
});

it('a page that was settled without a request delays no other', async () => {
  const { frontier, page } = await setUpPage();
  await frontier.settle(page, { ...DONE, countsAsPage: false });
  expect(await frontier.take(1)).toMatchObject([{ url: 'http://a.test/2' }]);
});

it('a frontier that is closed during a request leaves its host alone until the lease would have ended', async () => {
  const { frontier, clock, make, page } = await setUpPage();
  expect(frontier.mayStart(page)).toEqual({ kind: 'go' });
  await frontier.close();
  const next = make();
  await next.open();
  const waitMs = (await next.nextAt())! - clock.nowMs();
  expect(waitMs).toBeGreaterThan(20_000);
  expect(waitMs).toBeLessThanOrEqual(30_000 + INTERVAL_MS);
  clock.advance(waitMs - 1);
  expect(await next.take(1)).toEqual([]);
  clock.advance(INTERVAL_MS);
  expect(await next.take(1)).toMatchObject([{ url: 'http://a.test/1' }]);
  await next.close();
});

it('one that is closed before the request waits for no longer than the interval', async () => {
  const { frontier, clock, make } = await setUpPage();
  await frontier.close();
  const next = make();
  await next.open();
  expect(await next.nextAt()).toBeLessThanOrEqual(clock.nowMs() + INTERVAL_MS);
  await next.close();
});

it('an exchange that comes after its settlement is refused, so its Retry-After is not lost in silence', async () => {
  const { frontier, clock, page } = await setUpPage();
  await frontier.settle(page, DONE);
  const exchange = exchangeAt(clock.nowMs(), { status: 429, retryAfter: '600' });
  expect(() => frontier.exchanged(page, exchange)).toThrow(expect.objectContaining({ code: 'work-unknown' }));
  await frontier.close();
  expect(() => frontier.exchanged(page, exchange)).not.toThrow();
});

it('two settlements at once count as one', async () => {
  const { frontier, clock, robots } = await setUpRobots();
  frontier.exchanged(robots, exchangeAt(clock.nowMs()));
  await Promise.all([frontier.settle(robots, answered()), frontier.settle(robots, answered())]);
  for (const _ of [1, 2]) {
    clock.advance(INTERVAL_MS);
    const [page] = await frontier.take(1);
    frontier.exchanged(page!, exchangeAt(clock.nowMs()));
    clock.advance(INTERVAL_MS);
    // The page is not settled, so the host has work.
    expect(frontier.ready(1)).toMatchObject([{ host: 'a.test' }]);
    await frontier.settle(page!, DONE);
  }
});

const WRONG_EXCHANGES: readonly (readonly [string, unknown])[] = [
  ['exchange', undefined],
  ['exchange.status', { status: '429' }],
  ['exchange.status', { status: Number.NaN }],
  ['exchange.retryAfter', { status: 429, retryAfter: 120 }],
  ['exchange.retryAfter', { status: 429, retryAfter: ['120'] }],
  ['exchange.failure', { status: null, failure: new Error('reset') }],
  ['exchange.bytes', { bytes: undefined }],
  ['exchange.bytes', { bytes: Number.NaN }],
  ['exchange.bytes', { bytes: '33' }],
  ['exchange.bytes', { bytes: -1 }],
  ['exchange.parks', { parks: null }],
];

it.each(WRONG_EXCHANGES)('%s of an exchange: %j', async (name, wrong) => {
  const { frontier, clock, page } = await setUpPage();
  frontier.mayStart(page);
  const exchange = wrong === undefined ? undefined : exchangeAt(clock.nowMs(), wrong as object);
  const error = { code: 'option-invalid', message: expect.stringContaining(`\`${name}\``) };
  expect(() => frontier.exchanged(page, exchange as Exchange)).toThrow(expect.objectContaining(error));
  // The host is not free: the exchange can be reported again.
  clock.advance(60_000);
  expect(await frontier.take(1)).toEqual([]);
  frontier.exchanged(page, exchangeAt(clock.nowMs()));
  expect(frontier.used()).toMatchObject({ bytes: 2 });
});

it('an absent Retry-After is none', async () => {
  const { frontier, clock, page } = await setUpPage();
  frontier.exchanged(page, exchangeAt(clock.nowMs(), { status: 429, retryAfter: undefined, failure: undefined }));
  expect(frontier.waits(1)).toMatchObject([{ reason: 'host-paused', untilMs: clock.nowMs() + 30_000 }]);
});

const WRONG_SETTLEMENTS: readonly (readonly [string, unknown])[] = [
  ['settlement', undefined],
  ['settlement', null],
  ['countsAsPage', { kind: 'done', links: [] }],
  ['links', { kind: 'done', countsAsPage: true }],
  ['links[]', { kind: 'done', countsAsPage: true, links: ['http://a.test/3'] }],
  ['links[]', { kind: 'done', countsAsPage: true, links: [null] }],
  ['notBeforeMs', { kind: 'again' }],
  ['notBeforeMs', { kind: 'again', notBeforeMs: Number.NaN }],
  ['notBeforeMs', { kind: 'again', notBeforeMs: Number.POSITIVE_INFINITY }],
  ['notBeforeMs', { kind: 'again', notBeforeMs: new Date() }],
  ['untilMs', { kind: 'returned' }],
  ['untilMs', { kind: 'returned', untilMs: Number.NaN }],
  ['untilMs', { kind: 'returned', untilMs: '1800000000000' }],
];

it.each(WRONG_SETTLEMENTS)('%s of a settlement: %j', async (name, wrong) => {
  const { frontier, clock, page } = await setUpPage();
  frontier.exchanged(page, exchangeAt(clock.nowMs()));
  const error = { code: 'option-invalid', message: expect.stringContaining(`\`${name}\``) };
  await expect(frontier.settle(page, wrong as Settlement)).rejects.toMatchObject(error);
  // The work is still in flight, and the store still works.
  expect(await frontier.settle(page, DONE)).toBe('ok');
  expect(await frontier.nextAt()).toBe(clock.nowMs() + INTERVAL_MS);
});

it('a settlement that does not fit its work: the work is still in flight', async () => {
  const { frontier, clock, robots } = await setUpRobots();
  const unknown = { code: 'work-unknown' };
  await expect(frontier.settle(robots, DONE)).rejects.toMatchObject(unknown);
  expect(await frontier.settle(robots, answered())).toBe('ok');
  clock.advance(INTERVAL_MS);
  const [page] = await frontier.take(1);
  await expect(frontier.settle(page!, answered())).rejects.toMatchObject(unknown);
  await expect(frontier.settle(page!, { kind: 'refused', reason: 'private' })).rejects.toMatchObject(unknown);
  expect(await frontier.settle(page!, DONE)).toBe('ok');
});

it.each([
  ['answer', { kind: 'robots', answer: null }],
  ['answer', { kind: 'robots', answer: 'User-agent: *' }],
  ['reason', { kind: 'refused' }],
  ['detail', { kind: 'refused', reason: 'private', detail: 5 }],
] as const)('%s of a settlement of a robots.txt: %j', async (name, wrong) => {
  const { frontier, robots } = await setUpRobots();
  const error = { code: 'option-invalid', message: expect.stringContaining(`\`${name}\``) };
  await expect(frontier.settle(robots, wrong as Settlement)).rejects.toMatchObject(error);
  expect(await frontier.settle(robots, answered())).toBe('ok');
});

const WRONG_ANSWERS: readonly (readonly [string, object])[] = [
  ['answer.kind', { kind: 'ok' }],
  ['answer.status', { status: '200' }],
  ['answer.status', { status: null }],
  ['answer.body', { body: 'User-agent: *\nDisallow: /' }],
  ['answer.body', { body: undefined }],
  ['answer.headers', { headers: undefined }],
  ['answer.headers', { status: 301, headers: new Headers({ location: 'http://b.test/robots.txt' }) }],
  ['answer.headers', { status: 301, headers: { Location: 'http://b.test/robots.txt' } }],
  ["answer.headers['cache-control']", { headers: { 'cache-control': ['max-age=60'] } }],
];

it.each(WRONG_ANSWERS)('%s of a robots.txt: %j', async (name, wrong) => {
  const { frontier, clock, robots } = await setUpRobots();
  frontier.exchanged(robots, exchangeAt(clock.nowMs()));
  const error = { code: 'option-invalid', message: expect.stringContaining(`\`${name}\``) };
  await expect(frontier.settle(robots, answered(wrong))).rejects.toMatchObject(error);
  // Without an answer no page is handed out; the right answer is accepted.
  clock.advance(60_000);
  expect(await frontier.take(1)).toEqual([]);
  expect(await frontier.settle(robots, answered({ headers: { 'set-cookie': ['a', 'b'] } }))).toBe('ok');
  expect(await frontier.take(1)).toMatchObject([{ url: 'http://a.test/1' }]);
});

const circular: { self?: unknown } = {};
circular.self = circular;

const WRONG_URLS: readonly (readonly [string, object])[] = [
  ['depth', { depth: undefined }],
  ['depth', { depth: Number.NaN }],
  ['depth', { depth: -1 }],
  ['via', { via: undefined }],
  ['via', { via: 'links' }],
  ['from', { from: new URL('http://a.test/') }],
  ['hops', { hops: '1' }],
  ['priority', { priority: -1 }],
  ['priority', { priority: 8 }],
  ['priority', { priority: 2.5 }],
  ['priority', { priority: '2' }],
  ['label', { label: 5 }],
  ['urls[].labels', { labels: 'news' }],
  ['notBeforeMs', { notBeforeMs: Number.POSITIVE_INFINITY }],
  ['visit', { visit: -1 }],
  ['visit', { visit: null }],
  ['userData', { userData: circular }],
  ['userData', { userData: 1n }],
];

it.each(WRONG_URLS)('%s of a URL: the queue stays readable', async (name, wrong) => {
  const { frontier, clock, page } = await setUpPage();
  const added = [url('http://b.test/'), { ...url('http://c.test/'), ...wrong } as NewUrl];
  const errorOf = (what: string) => ({ code: 'option-invalid', message: expect.stringContaining(`\`${what}\``) });
  await expect(frontier.add(added)).rejects.toMatchObject(errorOf(name));
  frontier.exchanged(page, exchangeAt(clock.nowMs()));
  const inLinks = errorOf(name.replace('urls', 'links'));
  await expect(frontier.settle(page, { ...DONE, links: added })).rejects.toMatchObject(inLinks);
  expect(await frontier.settle(page, DONE)).toBe('ok');
  expect((await frontier.list()).items.map(({ record }) => record.url)).toEqual(['http://a.test/2']);
});

it('a second exchange of one work, which would count twice', async () => {
  const { frontier, clock, page } = await setUpPage();
  frontier.exchanged(page, exchangeAt(clock.nowMs()));
  const { bytes } = frontier.used();
  const error = { code: 'option-invalid', message: expect.stringContaining(page.url) };
  expect(() => frontier.exchanged(page, exchangeAt(clock.nowMs()))).toThrow(expect.objectContaining(error));
  expect(frontier.used()).toMatchObject({ bytes });
  expect(await frontier.settle(page, DONE)).toBe('ok');
});

it('a key or a host of a listing that does not exist, and what is to run exclusively', async () => {
  const { frontier } = await setUpPage();
  const errorOf = (what: string) => ({ code: 'option-invalid', message: expect.stringContaining(`\`${what}\``) });
  await expect(frontier.list({ hosts: 'a.test' } as object)).rejects.toMatchObject(errorOf('list.hosts'));
  await expect(frontier.list({ host: 5 as unknown as string })).rejects.toMatchObject(errorOf('list.host'));
  await expect(frontier.exclusively(5 as never)).rejects.toMatchObject(errorOf('act'));
});

it('the prefix and the limit of a listing of records, which would seem empty', async () => {
  const { frontier } = await setUpPage();
  await frontier.writeRecord('key', new Uint8Array(1));
  for (const limit of [0, -1, Number.NaN, undefined] as number[])
    await expect(frontier.listRecords('', null, limit)).rejects.toMatchObject({ code: 'option-invalid' });
  const prefix = /key/ as unknown as string;
  await expect(frontier.listRecords(prefix, null, 1)).rejects.toMatchObject({ code: 'option-invalid' });
  expect((await frontier.listRecords('k', null, 1)).items).toMatchObject([{ key: 'key' }]);
});

it('a URL, a time and a signal of `ask`, and the value of a record', async () => {
  const { frontier } = await setUpPage();
  const invalid = { code: 'option-invalid' };
  await expect(frontier.ask(url('http://b.test/'), Number.NaN)).rejects.toMatchObject(invalid);
  // No limit on the wait is a time, too.
  const waiting = frontier.ask(url('http://b.test/'), Number.POSITIVE_INFINITY);
  frontier.cancelAsks();
  expect(await waiting).toMatchObject({ kind: 'held', reason: 'stopping' });
  await expect(frontier.ask(undefined as unknown as NewUrl, 0)).rejects.toMatchObject(invalid);
  const signal = new AbortController() as unknown as AbortSignal;
  await expect(frontier.ask(url('http://b.test/'), 0, signal)).rejects.toMatchObject(invalid);
  // It does not wait half-made: answering those that wait would throw.
  frontier.cancelAsks();
  await expect(frontier.writeRecord('key', 'text' as unknown as Uint8Array)).rejects.toMatchObject(invalid);
  await expect(frontier.writePart('key', 'text' as unknown as Uint8Array)).rejects.toMatchObject(invalid);
  expect(await frontier.readRecord('key')).toBeNull();
});
