// The suite for authors of sinks: `mannerly/sink-conformance`.

export { ContractBroken } from '../fetcher-conformance/assert.js';
export { type KeptItem, type SinkCapabilities, type SinkMedium, type SinkSuiteOptions, sinkSuite } from './suite.js';
