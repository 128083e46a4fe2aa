// The conformance suite of fetchers: one test per guarantee of the contract, judged by what raw loopback servers
// received. Tests for capabilities that the fetcher does not declare are left out. The suite runs under any test
// runner.

import type { Fetcher, FetcherCapabilities } from '../fetch/fetcher.js';
import { FAILURE_TESTS } from './failure-tests.js';
import { TestContext } from './fetcher-test.js';
import { REQUEST_TESTS } from './request-tests.js';
import { RESPONSE_TESTS } from './response-tests.js';

interface FetcherSuiteOptions {
  readonly test: (title: string, run: () => Promise<void>) => void;
  /** A fetcher for each test; the suite closes it. */
  readonly makeFetcher: () => Fetcher;
  readonly capabilities: FetcherCapabilities;
}

/**
 * Registers the suite. Its servers listen on 127.0.0.1 and nothing else is requested.
 * @throws Never; the tests fail with messages that say which guarantee does not hold.
 * @example
 * const makeFetcher = () => createUndiciFetcher();
 * fetcherSuite({ test, makeFetcher, capabilities: makeFetcher().capabilities });
 */
export function fetcherSuite({ test, makeFetcher, capabilities }: FetcherSuiteOptions): void {
  for (const { title, needs, run } of [...REQUEST_TESTS, ...RESPONSE_TESTS, ...FAILURE_TESTS]) {
    if (needs !== null && !capabilities[needs]) continue;
    test(title, async () => {
      const context = new TestContext(makeFetcher());
      try {
        await run(context);
      } catch (error) {
        // What the test found comes before what its end finds.
        await context.end().catch(() => undefined);
        throw error;
      }
      await context.end();
    });
  }
}
