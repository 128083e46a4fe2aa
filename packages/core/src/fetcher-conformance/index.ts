// The suite for authors of fetchers: `mannerly/fetcher-conformance`.

export { ContractBroken } from './assert.js';
export { type FetcherSuiteOptions, fetcherSuite } from './suite.js';
