// The suite for authors of fetchers: `mannerly/fetcher-conformance`.

export { fetcherSuite } from './suite.js';
