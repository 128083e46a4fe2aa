// A polite `fetch` for scripts and agents: the subpath `fetch`.

export { createPoliteFetch, type PoliteFetch, PoliteFetchError } from './polite-fetch.js';
export { polite } from './polite-interceptor.js';
