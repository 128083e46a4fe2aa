// The conformance suite of FrontierStore: one test per invariant of the contract, a random walk compared with the
// memory store, four clients at once, processes that are killed and stopped, and a check that costs stay flat. It works
// with any test runner.

import { boundaryTests } from './boundary-tests.js';
import { clientTests } from './client-tests.js';
import { addTests, commitTests, reopenTests } from './commit-tests.js';
import { costTests } from './cost-tests.js';
import { entryTests, leaseTests } from './lease-tests.js';
import { modelTests } from './model-tests.js';
import { processTests } from './process-tests.js';
import { InvariantError, type RegisterTest, StoreTest } from './store-test.js';
import type { SuiteOptions } from './suite-options.js';

/**
 * Registers the suite. Each test makes a store, opens it, and closes what it opened. Titles start with the invariants.
 *
 * @throws Never; the tests fail with messages that start with the invariant.
 * @example frontierStoreSuite({ test, makeStore, capabilities: store.capabilities })
 */
export function frontierStoreSuite(options: SuiteOptions): void {
  const register = (invariants: string, title: string, body: () => Promise<void>) => {
    const named = invariants.split(', ');
    if (named.some((invariant) => options.without?.includes(invariant))) return;
    options.test(`${invariants} ${title}`, async () => {
      try {
        await body();
      } catch (error) {
        if (!(error instanceof InvariantError)) throw error;
        throw new Error(`${error.invariant ?? named[0]}: ${error.message}`, { cause: error });
      }
    });
  };
  const it: RegisterTest = (invariants, title, run, maxQueued) => {
    register(invariants, title, async () => {
      const made = await options.makeStore(maxQueued === undefined ? {} : { maxQueued });
      const test = new StoreTest(made, options.unitMs ?? 1_000, options.capabilities);
      try {
        await test.open();
        await run(test);
      } finally {
        await test.end();
      }
    });
  };
  addTests(it);
  leaseTests(it);
  entryTests(it);
  commitTests(it, options);
  boundaryTests(it, options);
  reopenTests(it, options);
  modelTests(it, options);
  clientTests(it, options);
  costTests(it);
  processTests(register, options);
}
