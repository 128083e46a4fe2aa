// A call that is refused at the start (a sink without its library, a store of another crawl) must not leave a crawl
// behind that refuses the corrected call.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCrawler } from '../crawler.js';

it('leaves a new directory empty if a sink cannot be opened, and an old one as it is', async () => {
  const base = mkdtempSync(join(tmpdir(), 'mannerly-opening-'));
  const out = join(base, 'crawl');
  const run = (name: string, fails: boolean) => {
    const open = async (): Promise<void> => {
      if (fails) throw new Error('its library is not installed');
    };
    const sink = { name: 'table', open, write: async () => undefined, close: async () => undefined };
    return createCrawler({
      identity: { name, contact: 'https://crawler.example/' },
      scope: { seeds: ['http://127.0.0.1:9/'] },
      bounds: { pages: 1 },
      log: 'silent',
      sinks: [sink],
    }).run({ out });
  };
  await expect(run('first', true)).rejects.toThrow('its library is not installed');
  expect(readdirSync(out)).toEqual([]);
  await run('second', false);
  const files = readdirSync(out);
  expect(files).toContain('crawl.json');
  await expect(run('second', true)).rejects.toThrow('its library is not installed');
  expect(readdirSync(out)).toEqual(expect.arrayContaining(files));
  rmSync(base, { recursive: true });
});
