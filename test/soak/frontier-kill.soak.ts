// Four processes on one lmdb file under kill -9 and SIGSTOP, a long version: five thousand hand-overs and none of them
// early, by the log of the server that they request pages from. The conformance suite has a short version.

import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { LMDB_CAPABILITIES } from '@mannerly/frontier/lmdb';
import { describe, it } from 'vitest';
import { freshSeed, lmdbProcesses } from './frontier-kill.js';

describe('five thousand exchanges of four processes that are killed and suspended', () => {
  const seed = freshSeed();
  frontierStoreSuite({
    test: (title, body) => void (title.includes('processes') && it(`${title} (seed ${seed})`, body, 1_500_000)),
    makeStore: async () => {
      throw new Error('only processes are tested here');
    },
    capabilities: LMDB_CAPABILITIES,
    seed,
    processes: {
      make: lmdbProcesses,
      seedsPerHost: 60,
      delayMs: 20,
      ttlMs: 400,
      faultEveryMs: 400,
      longestMs: 1_400_000,
      stops: 0.5,
      onReport: (report) => console.log(JSON.stringify({ ...report, seed })),
    },
  });
});
