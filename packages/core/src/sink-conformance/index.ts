// The suite for authors of sinks: `mannerly/sink-conformance`.

export { sinkSuite } from './suite.js';
