// Four processes on one server under kill -9 and SIGSTOP, a long version, with the server itself killed under load: no
// hand-over is early, by the log of the server that they request pages from. The conformance suite has a short version.

import { frontierStoreSuite, type ProcessesUnderTest } from '@mannerly/frontier/conformance';
import { afterAll, describe, it } from 'vitest';
import { freshSeed } from './frontier-kill.js';

const IS_CI = process.env['CI'] !== undefined;
const CAPS = { shared: true, durable: 'process', maxBody: 65_536, maxBatch: 1_024 } as const;
/** Milliseconds after which the server is killed, and how long it stays away. */
const KILL_AFTER_MS = 4_000;
const AWAY_MS = 500;

interface ServerForTest {
  readonly url: string;
  kill(): Promise<void>;
  start(): Promise<unknown>;
  dispose(): Promise<void>;
}

/** @param isThere - Whether this machine has the server. */
export function testKills(
  what: string,
  isThere: boolean,
  startServer: () => Promise<ServerForTest>,
  processesOn: (url: string) => Promise<ProcessesUnderTest>,
): void {
  describe.skipIf(!isThere && !IS_CI).each([
    ['2,500 exchanges, processes killed and suspended', 30, false],
    ['2,500, and the server is killed twice', 30, true],
  ])(`${what}: %s (not run where it is absent)`, (_what, seedsPerHost, isServerKilled) => {
    const seed = freshSeed();
    const timers: NodeJS.Timeout[] = [];
    afterAll(() => {
      for (const timer of timers) clearTimeout(timer);
    });

    async function make(): Promise<ProcessesUnderTest> {
      const server = await startServer();
      const made = await processesOn(server.url);
      let faults = Promise.resolve();
      if (isServerKilled) {
        for (const time of [1, 2])
          timers.push(setTimeout(() => (faults = faults.then(() => strike(server))), time * KILL_AFTER_MS));
      }
      return {
        ...made,
        dispose: async () => {
          for (const timer of timers) clearTimeout(timer);
          await faults;
          await made.dispose();
          await server.dispose();
        },
      };
    }

    frontierStoreSuite({
      test: (title, body) => void (title.includes('processes') && it(`${title} (seed ${seed})`, body, 1_500_000)),
      makeStore: async () => {
        throw new Error('only processes are tested here');
      },
      capabilities: CAPS,
      seed,
      processes: {
        make,
        seedsPerHost,
        delayMs: 20,
        ttlMs: 400,
        faultEveryMs: 400,
        longestMs: 1_400_000,
        onReport: (report) => console.log(JSON.stringify({ ...report, seed })),
      },
    });
  });
}

async function strike(server: ServerForTest): Promise<void> {
  await server.kill();
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
  await server.start();
}
