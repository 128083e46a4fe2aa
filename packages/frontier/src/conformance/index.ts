// The suite for authors of stores: `@mannerly/frontier/conformance`.

export { frontierStoreSuite } from './suite.js';
export type { ProcessesUnderTest, StoreUnderTest } from './suite-options.js';
export { runSuiteWorker } from './suite-worker.js';
