// The suite for authors of sinks: `mannerly/sink-conformance`.

export { ContractBroken } from '../fetcher-conformance/assert.js';
export type { KeptItem, SinkCapabilities, SinkMedium } from './medium.js';
export { type SinkSuiteOptions, sinkSuite } from './suite.js';
