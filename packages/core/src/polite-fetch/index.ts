// A polite `fetch` for scripts and agents: the subpath `fetch`.

export { createPoliteFetch } from './polite-fetch.js';
export { PoliteFetchError } from './polite-fetch-error.js';
export { polite } from './polite-interceptor.js';
