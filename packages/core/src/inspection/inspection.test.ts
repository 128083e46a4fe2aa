// At stake: explaining why a page is missing must work for a crawl on a read-only disk too.

import { FrontierError, memoryStore, systemClock } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { crawlPaths } from '../directory/crawl-paths.js';
import { readSettings } from '../options/crawl-settings.js';
import { openInspection } from './inspection.js';

const openWith = async (refusal: FrontierError) => {
  const paths = crawlPaths('read-only');
  return openInspection({
    paths: { ...paths, parts: [paths] },
    store: { ...memoryStore(), open: () => Promise.reject(refusal), close: async () => undefined },
    settings: await readSettings('no-such-file', ['mybot']),
    clock: systemClock(),
  });
};

it('explain answers from the logs if a directory cannot be written to, and queue says why it cannot', async () => {
  const refusal = new FrontierError('store-failed', 'cannot open the store: EACCES: permission denied, open lock.mdb');
  const inspection = await openWith(refusal);
  const explanation = await inspection.explain('https://a.test/');
  expect(explanation.logsOnlyReason).toBe(
    'read-only cannot be written to, and its queue can be opened only where it can.',
  );
  await expect(inspection.queued()).rejects.toMatchObject({ code: 'store-failed', message: refusal.message });
  await inspection.close();
});

it('a store of another version is not reported as lost, and queue shows the store’s message', async () => {
  const hint = 'Another version of Mannerly wrote it.';
  const inspection = await openWith(new FrontierError('store-mismatch', 'a store of format 8, not 9', { hint }));
  await expect(inspection.queued()).rejects.toMatchObject({
    message: 'a store of format 8, not 9.',
    hint: 'Another version of Mannerly wrote it. Of a crawl with another store, name the store.',
  });
  await inspection.close();
});
