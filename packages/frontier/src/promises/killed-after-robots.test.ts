// A process may be killed after it stored a robots.txt and before it stored the time of the request. The next holder of
// the host knows what the file requires, and must not treat the host as a new one.

import { expect, it } from 'vitest';
import { setUp, stoppableClock, url } from '../../test-support/set-up.js';
import { authorityKey, decodeAuthority } from '../robots/authority-cache.js';
import type { FrontierStore } from '../store.js';
import { memoryStore } from '../stores/memory.js';

const RULES = new TextEncoder().encode('User-agent: *\nCrawl-delay: 20\n');

/** A store of several processes. Once its process is killed, no commit arrives. */
function killableStore(store: FrontierStore, isKilled: () => boolean): FrontierStore {
  return {
    ...store,
    capabilities: { ...store.capabilities, shared: true },
    commit: (hosts, links) => (isKilled() ? new Promise(() => undefined) : store.commit(hosts, links)),
  };
}

it('the first page waits for the crawl delay of a file that a killed process had read', async () => {
  let isKilled = false;
  const { clock, store, make } = setUp(
    (nowMs) => memoryStore({ nowMs }),
    () => ({ status: 404 }),
  );
  const mortal = stoppableClock(clock);
  const first = make({ store: killableStore(store, () => isKilled), clock: mortal.clock });
  await first.open();
  await first.add([url('http://a.test/1'), url('http://a.test/2')]);
  const [work] = await first.take(1);
  if (work?.kind !== 'robots') throw new Error('expected the robots.txt');
  const atMs = clock.nowMs();
  const exchange = { startedAtMs: atMs, endedAtMs: atMs, status: 200, failure: null, retryAfter: null, bytes: 10 };
  first.exchanged(work, exchange);
  isKilled = true;
  const answer = {
    kind: 'response',
    status: 200,
    headers: {},
    body: RULES,
    robotsUrl: work.url,
    finalUrl: work.url,
  } as const;
  first.settle(work, { kind: 'robots', answer }).catch(() => undefined);
  const isKept = async () => {
    const bytes = await store.readRecord(authorityKey('http://a.test'));
    return bytes !== null && decodeAuthority('http://a.test', bytes)?.hasAnswered === true;
  };
  while (!(await isKept())) await new Promise((done) => setImmediate(done));
  mortal.stop();

  const second = make({ store: killableStore(store, () => false) });
  await second.open();
  clock.advance(40_000); // The dead process's lease has ended.
  expect(await second.take(5)).toEqual([]);
  const nextAt = (await second.nextAt()) ?? 0;
  expect(nextAt - clock.nowMs()).toBe(20_000);
  clock.advanceTo(nextAt);
  expect((await second.take(5)).map((each) => each.url)).toEqual(['http://a.test/1']);
});
