// The conformance suite of sinks: one test per promise of the contract, against a medium that the author hands in. A
// promise that needs a capability which is not declared is left out. It needs no test runner of its own.

import { crashTests } from './crash-tests.js';
import type { SinkCapabilities, SinkMedium } from './medium.js';
import type { SinkTest } from './sink-test.js';
import { writingTests } from './writing-tests.js';

/** Options of the suite. */
export interface SinkSuiteOptions {
  /** The runner's verb: registers one test. */
  readonly test: (title: string, run: () => Promise<void>) => void;
  /** An empty medium for each test; the suite disposes of it. */
  readonly makeMedium: () => Promise<SinkMedium>;
  /** What its sinks promise. */
  readonly capabilities: SinkCapabilities;
}

/**
 * Registers the suite.
 *
 * @throws Never; the tests fail with messages that say which promise was broken.
 * @example sinkSuite({ test, makeMedium: () => fileMedium(), capabilities: { durable: true, exactData: true } })
 */
export function sinkSuite({ test, makeMedium, capabilities }: SinkSuiteOptions): void {
  const tests: readonly SinkTest[] = [...writingTests(), ...crashTests()];
  for (const { title, needs, run } of tests) {
    if (needs !== undefined && !capabilities[needs]) continue;
    test(title, async () => {
      const medium = await makeMedium();
      try {
        await run(medium, capabilities);
      } finally {
        await medium.dispose();
      }
    });
  }
}
