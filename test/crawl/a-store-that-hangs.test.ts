// A verb of a user's store that never settled used to block the run for ever, without a message, and no stop ended it.

import { type FrontierStore, memoryStore } from '@mannerly/frontier';
import { type CrawlEventMap, type Crawler, createCrawler, type LogEntry } from 'mannerly';
import { crawlInVirtualTime, createFakeWeb, fakePage } from 'mannerly/testing';
import { expect, it } from 'vitest';

type Notice = CrawlEventMap['store'];
type Verb = 'open' | 'commit' | 'lease' | 'close';

const never = (): Promise<never> => new Promise(() => undefined);

/** The memory store with one verb replaced from its n-th call on. */
function storeWith(verb: Verb, from: number, does: (call: () => Promise<unknown>) => Promise<unknown>): FrontierStore {
  const store = memoryStore();
  const own = store[verb].bind(store) as (...given: unknown[]) => Promise<unknown>;
  let calls = 0;
  return Object.assign(store, {
    [verb](...given: unknown[]) {
      calls += 1;
      return calls < from ? own(...given) : does(() => own(...given));
    },
  });
}

/** A crawl on a store. @param onHolding - Called with each notice that the crawl waits. */
async function crawl(
  store: FrontierStore | ((notify: (notice: Notice) => void) => FrontierStore),
  onHolding = stopped,
) {
  const notices: Notice[] = [];
  const entries: LogEntry[] = [];
  const crawled = crawlInVirtualTime(
    createFakeWeb({ hosts: { 'a.test': { pages: { '/': fakePage('Start', ['/b']), '/b': fakePage('B') } } } }),
    (fakes) => {
      const crawler = createCrawler({
        identity: { name: 'test-bot', contact: 'https://example.org/us' },
        scope: { seeds: ['https://a.test/'] },
        bounds: { pages: 9 },
        store,
        log: (entry) => void entries.push(entry),
        ...fakes,
      }).on('html', async (page) => void (await page.follow()));
      crawler.events.on('store', (notice) => {
        notices.push(notice);
        if (notice.kind === 'holding') onHolding(crawler);
      });
      return crawler;
    },
  );
  const ended = await crawled.then(
    ({ report }) => report.state,
    (error: unknown) => error,
  );
  const logged = entries.filter(({ code }) => code === 'store').map(({ level, message }) => `${level}: ${message}`);
  return { ended, notices, logged };
}

const stopped = (crawler: Crawler): void => crawler.stop();
const unstopped = (): void => undefined;

it.each<[Verb, number]>([
  ['open', 1],
  ['lease', 2],
  ['commit', 3],
])('that does not answer `%s` is named once, and a stop ends the run', async (verb, from) => {
  const { ended, logged } = await crawl(storeWith(verb, from, never));
  expect(logged).toEqual([`warn: \`${verb}\` of the store has not answered for 30 s; waiting for it`]);
  expect(ended).toMatchObject({
    code: 'store-failed',
    message: `\`${verb}\` of the store had not answered 20 s after a stop at once`,
  });
});

it('that does not close is named, and a second stop ends the run', async () => {
  const { ended, logged } = await crawl(storeWith('close', 1, never), (crawler) => {
    crawler.stop();
    crawler.stop();
  });
  expect(logged).toEqual(['warn: `close` of the store has not answered for 30 s; waiting for it']);
  expect(ended).toMatchObject({ code: 'store-failed', message: expect.stringContaining('`close` of the store') });
});

it('that is merely slow is waited for, and the crawl continues', async () => {
  const slow = async (call: () => Promise<unknown>): Promise<unknown> => {
    await new Promise((resolve) => setTimeout(resolve, 600_000));
    return call();
  };
  const { ended, notices } = await crawl(storeWith('commit', 3, slow), unstopped);
  expect(ended).toBe('finished');
  const kinds = notices.map(({ kind }) => kind);
  expect(kinds.slice(0, 2)).toEqual(['holding', 'resumed']);
  expect(kinds.filter((kind) => kind === 'holding')).toHaveLength(kinds.length / 2);
});

it('that says itself that it waits is not named a second time', async () => {
  const { ended, notices } = await crawl((notify) =>
    storeWith('commit', 3, () => {
      notify({ kind: 'holding', message: 'no server' });
      return never();
    }),
  );
  expect(notices).toEqual([{ kind: 'holding', message: 'no server' }]);
  expect(ended).toMatchObject({ code: 'store-failed' });
});
