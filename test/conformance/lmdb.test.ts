// The durable default store keeps a crawl across kills and shares it between processes. At stake: hosts that get
// requests too early, pages that are requested twice, and two processes that request one host at once.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { frontierStoreSuite, type StoreUnderTest } from '@mannerly/frontier/conformance';
import { LMDB_CAPABILITIES, lmdbStore } from '@mannerly/frontier/lmdb';
import { describe, expect, it } from 'vitest';
import { lmdbProcesses } from '../soak/frontier-kill.js';
import { sharedUnderTest } from './virtual-store.js';

/** An lmdb store in a folder of its own, on a virtual clock. Every verb commits at once. */
async function lmdbUnderTest(settings: { readonly maxQueued?: number }, seenBudget: number): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-lmdb-store-'));
  return sharedUnderTest(
    (nowMs) => lmdbStore({ path: join(folder, 'frontier'), seenBudget, commitEveryMs: 0, ...settings, nowMs }),
    () => rm(folder, { recursive: true, force: true }),
  );
}

describe('the lmdb store', () => {
  frontierStoreSuite({
    test: (title, body) => void it(title, body, 300_000),
    makeStore: (settings) => lmdbUnderTest(settings, 268_435_456),
    capabilities: LMDB_CAPABILITIES,
    without: ['D1'],
    isBounded: true,
    processes: { make: lmdbProcesses, seedsPerHost: 1, faultEveryMs: 300 },
  });
});

describe('the test of processes', () => {
  it('finds a store that grants hosts too early (L4)', { timeout: 300_000 }, async () => {
    const bodies: (() => Promise<void>)[] = [];
    frontierStoreSuite({
      test: (title, body) => void (title.includes('processes') && bodies.push(body)),
      makeStore: (settings) => lmdbUnderTest(settings, 268_435_456),
      capabilities: LMDB_CAPABILITIES,
      // Long enough that a busy machine does not keep it by chance between one process and the next.
      processes: {
        make: () => lmdbProcesses('broken'),
        stops: 0,
        faultEveryMs: 800,
        seedsPerHost: 1,
        delayMs: 1_000,
        ttlMs: 3_000,
      },
    });
    expect(bodies).toHaveLength(1);
    await expect(bodies[0]?.()).rejects.toThrow(/^L4: /);
  });
});

describe('the lmdb store with more fingerprints than its memory budget', () => {
  frontierStoreSuite({
    // What asks for known fingerprints.
    test: (title, body) => {
      if (/^A|known|links|random walk/.test(title)) it(title, body, 300_000);
    },
    makeStore: (settings) => lmdbUnderTest(settings, 65_536),
    capabilities: LMDB_CAPABILITIES,
    without: ['D1'],
    isBounded: true,
    modelSteps: 500,
    seed: 2,
  });
});
