// A polite `fetch` for scripts and agents: the subpath `fetch`.

export { createPoliteFetch, type PoliteFetch, type PoliteFetchOptions } from './polite-fetch.js';
export { PoliteFetchError } from './polite-fetch-error.js';
export { polite } from './polite-interceptor.js';
