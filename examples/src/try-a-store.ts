// How the author of a store runs the published suite, here under node:test: `node --test dist/try-a-store.js`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { FILES_CAPABILITIES, storeOnFiles } from './store-on-files.js';

describe('store-on-files', () => {
  frontierStoreSuite({
    test: (title, body) => void test(title, body),
    capabilities: FILES_CAPABILITIES,
    // It searches plain lists, and declares so.
    without: ['X4'],
    modelSteps: 300,
    makeStore: async () => {
      const folder = mkdtempSync(join(tmpdir(), 'try-a-store-'));
      // A virtual clock that the suite moves forward, so that nothing waits.
      let now = Date.UTC(2020, 0, 1);
      const make = () => storeOnFiles(join(folder, 'crawl.jsonl'), () => now);
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
