// The file store keeps a crawl across restarts; at stake are amnesty and refetching. It is linear in what it holds and
// says so.

import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { fileStore } from '@mannerly/frontier/file';
import { describe, it } from 'vitest';
import { fileUnderTest } from './virtual-store.js';

describe('the file store', () => {
  frontierStoreSuite({
    test: (title, body) => void it(title, body),
    makeStore: fileUnderTest,
    capabilities: fileStore({ path: 'unused' }).capabilities,
    isBounded: true,
    without: ['X4'],
    modelSteps: 500,
  });
});
