// The small example of a store must be a complete store: it passes the whole published suite. Copy this file next to
// your own store, and change the two lines that name it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { describe, it } from 'vitest';
import { JOURNAL_CAPABILITIES, journalStore } from './store-of-your-own.js';

describe('store-of-your-own', () => {
  frontierStoreSuite({
    test: (title, body) => void it(title, body, 60_000),
    capabilities: JOURNAL_CAPABILITIES,
    modelSteps: 300,
    makeStore: async () => {
      const folder = mkdtempSync(join(tmpdir(), 'store-of-your-own-'));
      // A clock that the suite moves forward, so that nothing waits.
      let now = Date.UTC(2020, 0, 1);
      const make = () => journalStore(join(folder, 'crawl.journal'), () => now);
      return {
        store: make(),
        reopen: async () => make(),
        nowMs: () => now,
        advance: async (ms) => {
          now += ms;
        },
        dispose: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  });
});
