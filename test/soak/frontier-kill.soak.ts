// Four processes on one lmdb file under kill -9 and SIGSTOP, at length: ten thousand hand-overs and none of them early, from
// the log of the server they ask. The same in small is in the conformance suite.

import { frontierStoreSuite } from '@mannerly/frontier/conformance';
import { LMDB_CAPABILITIES } from '@mannerly/frontier/lmdb';
import { describe, it } from 'vitest';
import { freshSeed, lmdbProcesses } from './frontier-kill.js';

describe.each([
  ['ten thousand exchanges of four processes that are killed and stopped', 0.5, 120],
  ['five thousand of four that are killed only', 0, 60],
])('%s', (_what, stops, seedsPerHost) => {
  const seed = freshSeed();
  frontierStoreSuite({
    test: (title, body) => void (title.includes('processes') && it(`${title} (seed ${seed})`, body, 1_500_000)),
    makeStore: async () => {
      throw new Error('only processes are tried here');
    },
    capabilities: LMDB_CAPABILITIES,
    seed,
    processes: {
      make: lmdbProcesses,
      seedsPerHost,
      delayMs: 20,
      ttlMs: 400,
      faultEveryMs: 400,
      longestMs: 1_400_000,
      stops,
      onReport: (report) => console.log(JSON.stringify({ ...report, seed })),
    },
  });
});
