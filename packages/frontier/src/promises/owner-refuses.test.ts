// The owner of a frontier may refuse what robots.txt would allow: an authority its own rules forbid, a URL it has no
// use for. At stake: a refusal that turns into a hold waits for ever, and one that turns into permission is worse.

import { expect, it } from 'vitest';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import { memoryStore } from '../stores/memory.js';

const make = (nowMs: () => number) => memoryStore({ nowMs });

it('an authority that may not be asked: its URLs are dropped with the reason, another of the same host goes on', async () => {
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
  // After an hour it is tried again.
  clock.advance(3_600_000);
  if (next !== undefined) await frontier.settle(next, { kind: 'returned', untilMs: null });
  await frontier.add([url('http://a.test:25/4')]);
  expect((await frontier.take(1))[0]?.url).toMatch(/robots\.txt$/);
});

it('a URL the owner has no use for is excluded by the word it gives, and never handed out', async () => {
  const { frontier, work, asked, verdicts } = setUp(
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
  expect(asked().filter((address) => !isRobots(address))).toEqual(['http://a.test/open/2']);
  expect(
    verdicts()
      .map((verdict) => `${verdict.status} ${verdict.reason} ${verdict.url}`)
      .sort(),
  ).toEqual(['excluded robots-preferences http://a.test/1', 'excluded robots-rule http://a.test/x']);
});
