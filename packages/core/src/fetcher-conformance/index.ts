// The suite for authors of fetchers: `mannerly/fetcher-conformance`.

export { ContractBroken } from './must.js';
export { type FetcherSuiteOptions, fetcherSuite } from './suite.js';
