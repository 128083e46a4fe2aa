// The conformance suite of fetchers: one test per promise of the contract, against raw loopback servers whose log is the
// witness. A promise that needs a cap which the fetcher does not declare is left out. It needs no test runner of its own.

import type { Fetcher, FetcherCapabilities } from '../fetch/fetcher.js';
import { failureTrials } from './failure-trials.js';
import { requestTrials } from './request-trials.js';
import { responseTrials } from './response-trials.js';
import { Trial } from './trial.js';

/** What the suite is told. */
export interface FetcherSuiteOptions {
  /** The runner's verb: registers one test. */
  readonly test: (title: string, run: () => Promise<void>) => void;
  /** A fetcher for each test; the suite closes it. */
  readonly makeFetcher: () => Fetcher;
  /** What it declares. */
  readonly capabilities: FetcherCapabilities;
}

/**
 * Registers the suite. Servers listen on 127.0.0.1 alone; nothing else is asked.
 *
 * @throws Never; the tests fail with messages that say which promise was broken.
 * @example fetcherSuite({ test, makeFetcher: () => createUndiciFetcher(), capabilities: createUndiciFetcher().capabilities })
 */
export function fetcherSuite({ test, makeFetcher, capabilities }: FetcherSuiteOptions): void {
  for (const { title, needs, run } of [...requestTrials(), ...responseTrials(), ...failureTrials()]) {
    if (needs !== undefined && !capabilities[needs]) continue;
    test(title, async () => {
      const trial = new Trial(makeFetcher());
      try {
        await run(trial);
      } finally {
        await trial.end();
      }
    });
  }
}
