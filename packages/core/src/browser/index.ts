// The subpath `mannerly/browser`: named re-exports, one by one.

export { browserFetcher } from './browser-fetcher.js';
export type { BrowserFetcherOptions } from './browser-options.js';
export { SEALED_FLAGS } from './seal.js';
