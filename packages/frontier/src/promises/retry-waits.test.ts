// A host that is released because its only URL is retried later waits for that URL, and says so. If it reported the
// rest of its interval instead, the URL would have no status at the end of a run that does not wait for it.

import { expect, it } from 'vitest';
import type { Reply } from '../../test-support/fake-world.js';
import { isRobots, setUp, url } from '../../test-support/set-up.js';
import type { Frontier } from '../frontier.js';
import { memoryStore } from '../stores/memory.js';
import type { Work } from '../work.js';

const answer = (address: string): Reply => (isRobots(address) ? { status: 404 } : { status: 500 });

function setUpHost(minMs: number) {
  return setUp((nowMs) => memoryStore({ nowMs }), answer, {
    politeness: { profile: { factor: 0, minMs, maxMs: minMs } },
  });
}

/** Makes the request for a piece of work, in no time. */
function exchangeAt({ mayStart, exchanged }: Frontier, clock: { nowMs(): number }): (work: Work) => void {
  return (work) => {
    expect(mayStart(work)).toEqual({ kind: 'go' });
    const atMs = clock.nowMs();
    const status = work.kind === 'page' ? 500 : 404;
    exchanged(work, { startedAtMs: atMs, endedAtMs: atMs, status, retryAfter: null, failure: null, bytes: 0 });
  };
}

it.each([0, 1, 1_000])('with an interval of %d ms it waits for the retry', async (intervalMs) => {
  const { frontier, clock } = setUpHost(intervalMs);
  const exchange = exchangeAt(frontier, clock);
  await frontier.open();
  await frontier.add([url('http://a.test/')]);
  const [robots] = await frontier.take(1);
  exchange(robots!);
  const headers = {};
  const { url: robotsUrl } = robots!;
  const body = new Uint8Array();
  const found = { kind: 'response', status: 404, headers, body, robotsUrl, finalUrl: robotsUrl } as const;
  await frontier.settle(robots!, { kind: 'robots', answer: found });
  clock.advance(intervalMs);
  const [page] = await frontier.take(1);
  exchange(page!);
  const retryAtMs = clock.nowMs() + 30_000;
  await frontier.settle(page!, { kind: 'again', notBeforeMs: retryAtMs });
  expect(await frontier.take(1)).toEqual([]);
  // The reason is the one that was recorded when the host was released.
  expect(frontier.waits(9)).toEqual([{ host: 'a.test', reason: 'not-before', untilMs: retryAtMs, queued: 1 }]);
  clock.advance(10);
  expect(frontier.waits(9)).toMatchObject([{ host: 'a.test', reason: 'not-before' }]);
  clock.advanceTo(retryAtMs);
  const [second] = await frontier.take(1);
  exchange(second!);
  const laterMs = clock.nowMs() + 60_000;
  // The first retry is over; now the host waits for the second.
  await frontier.settle(second!, { kind: 'again', notBeforeMs: laterMs });
  expect(await frontier.take(1)).toEqual([]);
  expect(frontier.waits(9)).toMatchObject([{ host: 'a.test', reason: 'not-before', untilMs: laterMs }]);
});

it('after a Retry-After of a day the retry comes at most minutes later, not hours', async () => {
  const { frontier, clock } = setUp((nowMs) => memoryStore({ nowMs }), answer, { random: () => 1 });
  const exchange = exchangeAt(frontier, clock);
  await frontier.open();
  await frontier.add([url('http://a.test/')]);
  const [robots] = await frontier.take(1);
  exchange(robots!);
  const { url: robotsUrl } = robots!;
  const found = { kind: 'response', status: 404, headers: {}, body: new Uint8Array(), robotsUrl, finalUrl: robotsUrl };
  await frontier.settle(robots!, { kind: 'robots', answer: found as never });
  clock.advance(60_000);
  const [page] = await frontier.take(1);
  exchange(page!);
  const retryAtMs = clock.nowMs() + 86_400_000;
  await frontier.settle(page!, { kind: 'again', notBeforeMs: retryAtMs });
  expect(await frontier.take(1)).toEqual([]);
  expect(frontier.waits(9)).toMatchObject([{ host: 'a.test', untilMs: retryAtMs + 600_000 }]);
});
