// The owner of a frontier may refuse what robots.txt allows: an authority that its own rules forbid, or a URL that it
// does not need. At stake: a refusal that becomes a hold waits for ever, and one that becomes a permission is worse.

import { expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const make = (nowMs: () => number) => memoryStore({ nowMs });

it('URLs of a forbidden authority are dropped with the reason, and another of the same host continues', async () => {
  const { frontier, clock, verdicts } = setUp(make, (address) =>
    isRobots(address) ? { status: 404 } : { status: 200, body: '' },
  );
  await frontier.open();
  await frontier.add([url('http://a.test:25/1'), url('http://a.test:25/2'), url('http://a.test/3')]);
  const [first] = await frontier.take(5);
  expect(first?.url).toBe('http://a.test:25/robots.txt');
  if (first?.kind !== 'robots') throw new Error('expected a robots item');
  expect(await frontier.settle(first, { kind: 'refused', reason: 'port-forbidden' })).toBe('ok');
  const [next] = await frontier.take(5);
  expect(next?.url).toBe('http://a.test/robots.txt');
  expect(verdicts().map((verdict) => `${verdict.status} ${verdict.reason} ${verdict.url}`)).toEqual([
    'dropped port-forbidden http://a.test:25/1',
    'dropped port-forbidden http://a.test:25/2',
  ]);
  // It is retried after an hour.
  clock.advance(3_600_000);
  if (next !== undefined) await frontier.settle(next, { kind: 'returned', untilMs: null });
  await frontier.add([url('http://a.test:25/4')]);
  const [again] = await frontier.take(1);
  expect(again?.url).toBe('http://a.test/robots.txt');
  await frontier.settle(again!, { kind: 'refused', reason: 'port-forbidden' });
  expect(await frontier.take(1)).toMatchObject([{ url: 'http://a.test:25/robots.txt' }]);
});

it('a forbidden authority that a robots.txt redirects to is a failure of that file, not a refusal of its pages', async () => {
  const { frontier, clock, verdicts } = setUp(make, () => ({ status: 404 }));
  await frontier.open();
  await frontier.add([url('http://a.test/1')]);
  const [robots] = await frontier.take(1);
  const headers = { location: 'http://b.test:25/robots.txt' };
  const moved = {
    kind: 'response',
    status: 301,
    headers,
    body: new Uint8Array(),
    robotsUrl: '',
    finalUrl: '',
  } as const;
  await frontier.settle(robots!, { kind: 'robots', answer: moved });
  const [hop] = await frontier.take(1);
  expect(hop).toMatchObject({ kind: 'robots', url: 'http://b.test:25/robots.txt' });
  await frontier.settle(hop!, { kind: 'refused', reason: 'port-forbidden' });
  expect(await frontier.take(1)).toEqual([]);
  clock.advance(120_000);
  expect(await frontier.take(1)).toMatchObject([{ kind: 'robots', url: 'http://a.test/robots.txt' }]);
  expect(verdicts()).toEqual([]);
});

it('a URL that the owner refuses is excluded with its reason, and never handed out', async () => {
  const { frontier, work, requestedUrls, verdicts } = setUp(
    make,
    (address) =>
      isRobots(address)
        ? {
            status: 200,
            body: 'User-agent: *\nContent-Usage: search=n\nContent-Usage: /open/ search=y\nDisallow: /x\n',
          }
        : { status: 200, body: '' },
    { whyNot: (_url, signals) => (signals.preferences['search'] === 'disallow' ? 'robots-preferences' : null) },
  );
  await frontier.open();
  await frontier.add([url('http://a.test/1'), url('http://a.test/open/2'), url('http://a.test/x')]);
  expect(await work(frontier)).toBe('finished');
  expect(requestedUrls().filter((address) => !isRobots(address))).toEqual(['http://a.test/open/2']);
  expect(
    verdicts()
      .map((verdict) => `${verdict.status} ${verdict.reason} ${verdict.url}`)
      .sort(),
  ).toEqual(['excluded robots-preferences http://a.test/1', 'excluded robots-rule http://a.test/x']);
});

it('a URL that is returned for its authority holds that authority, and another of the host continues', async () => {
  const { frontier, clock, work, requestedUrls } = setUp(make, (address) => ({
    status: isRobots(address) ? 404 : 200,
  }));
  await frontier.open();
  await frontier.add([url('http://a.test/1'), url('http://a.test/2'), url('http://a.test:81/3')]);
  await work(frontier, 1_009);
  clock.advance(1);
  const [page] = await frontier.take(1);
  expect(page?.url).toBe('http://a.test/1');
  const untilMs = clock.nowMs() + 600_000;
  await frontier.settle(page!, { kind: 'returned', untilMs, waits: 'authority' });
  await work(frontier, 60_000);
  expect(requestedUrls().filter((address) => !isRobots(address))).toEqual(['http://a.test:81/3']);
  expect(await work(frontier)).toBe('finished');
});

it('a host whose only URL was returned for later waits for that URL, and not for its robots.txt', async () => {
  const { frontier, clock } = setUp(make, (address) =>
    isRobots(address) ? { status: 404 } : { status: 200, body: '' },
  );
  await frontier.open();
  await frontier.add([url('http://a.test/1')]);
  const [robots] = await frontier.take(1);
  if (robots?.kind !== 'robots') throw new Error('expected a robots item');
  const body = new Uint8Array();
  const about = { status: 404, headers: {}, body, robotsUrl: robots.url, finalUrl: robots.url };
  await frontier.settle(robots, { kind: 'robots', answer: { kind: 'response', ...about } });
  clock.advance(60_000);
  const [page] = await frontier.take(1);
  if (page === undefined) throw new Error('expected a page');
  const untilMs = clock.nowMs() + 600_000;
  await frontier.settle(page, { kind: 'returned', untilMs, waits: 'authority' });
  expect(frontier.waits(1)).toEqual([{ host: 'a.test', reason: 'not-before', untilMs, queued: 1 }]);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('a bug');
    },
  ],
  ['returns nothing', () => undefined],
  ['is asynchronous', async () => null],
  ['returns a truth value', () => false],
])('a `whyNot` that %s permits nothing and loses nothing', async (_how, wrong) => {
  let isWrong = true;
  const whyNot = (address: string) => (isWrong && address.startsWith('http://a.test') ? wrong() : null) as null;
  const answer = (address: string): Reply => (isRobots(address) ? { status: 404 } : { status: 200, body: '' });
  const { frontier, clock, work, requestedUrls } = setUp(make, answer, { whyNot });
  await frontier.open();
  await frontier.add([url('http://b.test/2'), url('http://a.test/1')]);
  // What is handed out in the same call reaches the caller; the next call says what is wrong.
  await expect(work(frontier)).rejects.toThrow(/a bug|whyNot/);
  expect(requestedUrls().filter((address) => !isRobots(address))).toEqual(['http://b.test/2']);
  isWrong = false;
  clock.advance(60_000);
  expect(await work(frontier)).toBe('finished');
  expect(requestedUrls().filter((address) => !isRobots(address))).toEqual(['http://b.test/2', 'http://a.test/1']);
});
