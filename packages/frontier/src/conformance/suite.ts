// The conformance suite of FrontierStore: one test per invariant of the contract, a random walk beside the memory
// store, four clients at once, processes that are killed and stopped, and a check that costs stay flat. It needs no test runner of its own.

import { addTrials } from './add-trials.js';
import { clientTrials } from './client-trials.js';
import { commitTrials } from './commit-trials.js';
import { costTrials } from './cost-trials.js';
import { entryTrials } from './entry-trials.js';
import { keepingTrials } from './keeping-trials.js';
import { leaseTrials } from './lease-trials.js';
import { modelTrials } from './model-trials.js';
import { registerProcessTrials } from './process-trials.js';
import type { SuiteOptions } from './suite-options.js';
import { Trial } from './trial.js';

/**
 * Registers the suite. Each test makes a store, opens it, and closes what it opened; the titles start with the invariants.
 *
 * @throws Never; the tests fail with messages that start with the invariant.
 * @example frontierStoreSuite({ test, makeStore, capabilities: store.capabilities })
 */
export function frontierStoreSuite(options: SuiteOptions): void {
  const trials = [
    ...addTrials(),
    ...leaseTrials(),
    ...entryTrials(),
    ...commitTrials(options),
    ...keepingTrials(options),
    ...modelTrials(options),
    ...clientTrials(options),
    ...costTrials(),
  ];
  for (const { invariants, title, run, maxQueued } of trials) {
    if (invariants.some((invariant) => options.without?.includes(invariant))) continue;
    options.test(`${invariants.join(', ')} ${title}`, async () => {
      const made = await options.makeStore(maxQueued === undefined ? {} : { maxQueued });
      const trial = new Trial(made, options.unitMs ?? 1_000, options.capabilities);
      try {
        await trial.open();
        await run(trial);
      } finally {
        await trial.end();
      }
    });
  }
  registerProcessTrials(options);
}
