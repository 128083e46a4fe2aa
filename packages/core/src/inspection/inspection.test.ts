// What is at stake: who copies a crawl to a read-only disk wants to know why a page is missing all the same.

import { FrontierError, memoryStore, systemClock } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { crawlPaths } from '../directory/crawl-paths.js';
import { readSettings } from '../options/crawl-settings.js';
import { openInspection } from './inspection.js';

it('the logs answer where a directory cannot be written to, and the queue says why it does not', async () => {
  const paths = crawlPaths('read-only');
  const refusal = new FrontierError('store-failed', 'cannot open the store: EACCES: permission denied, open lock.mdb');
  const store = { ...memoryStore(), open: () => Promise.reject(refusal), close: async () => undefined };
  const inspection = await openInspection({
    paths: { ...paths, parts: [paths] },
    store,
    settings: await readSettings('no-such-file', ['mybot']),
    clock: systemClock(),
  });
  const explanation = await inspection.explain('https://a.test/');
  expect(explanation.whyLogsOnly).toBe(
    'read-only cannot be written to, and its queue can be opened only where it can.',
  );
  await expect(inspection.queued()).rejects.toMatchObject({ code: 'store-failed', message: refusal.message });
  await inspection.close();
});
