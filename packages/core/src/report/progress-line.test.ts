// While its store is unavailable, a crawl says so and shows nothing that looks like progress.

import { expect, it } from 'vitest';
import type { CrawlProgress } from './crawl-report.js';
import { progressText } from './progress-line.js';

const progress: CrawlProgress = {
  ...{ pages: 12, requests: 20, inFlight: 3, hosts: 2, queued: 7, excluded: 0, dropped: 0, failed: 0 },
  ...{ items: 12, bytes: 1, runningMs: 4_000, waitingFor: null, waitingHosts: 0 },
};

it('says that the store cannot be reached, for as long as it cannot', () => {
  expect(progressText(progress, 0)).toBe('12 pages · 2 hosts · 7 queued · 0 excluded · 3.0/s · 3 in flight');
  const holding = 'Redis cannot be reached (ECONNREFUSED); the crawl holds until it can';
  expect(progressText({ ...progress, holding }, 0)).toBe(`12 pages · ${holding}`);
  expect(progressText({ ...progress, holding }, 0, 20)).toBe('12 pages · Redis ca…');
});
