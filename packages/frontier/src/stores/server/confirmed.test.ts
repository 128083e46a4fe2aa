// Links that a server may have forgotten are added again. Those that are kept for this are bounded, because every
// process of the crawl keeps them in memory for each shard.

import { expect, it } from 'vitest';
import type { NewEntry } from '../../store.js';
import { Confirmed } from './confirmed.js';

const link = (at: number): NewEntry => {
  return { host: `h${at}`, fingerprint: new Uint8Array(8), priority: 4, body: new Uint8Array() };
};

it.each([
  [1, 32_768],
  [1_024, 32],
])('each of %i shards keeps the latest %i links, in whatever order they came', async (shards, maxLinks) => {
  const sent: string[] = [];
  const confirmed = new Confirmed(shards, {
    server: 'server',
    onNotice: () => undefined,
    add: async (links) => {
      sent.push(...links.map(({ host }) => host));
      return links.map(() => 'known');
    },
    delayHosts: async () => undefined,
  });
  await confirmed.answered('first');
  const links = Array.from({ length: 40_000 }, (_, at) => link(at));
  for (let from = 0; from < links.length; from += 1_000) {
    const batch = links.slice(from, from + 1_000);
    confirmed.note(
      batch,
      batch.map(() => 'new'),
    );
  }
  await confirmed.answered('second');
  expect(sent).toEqual(links.slice(-maxLinks).map(({ host }) => host));
});
