// undici's client, and nothing else of undici: its entry loads fetch, caches, mocks and sockets too,
// ten megabytes of memory and some fifty milliseconds that a crawl has no use for. A test holds it to be the entry's own.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A connection pool of one connection. */
export type Client = import('undici').Client;
/** @see {@link Client} */
export const Client = require('undici/lib/dispatcher/client.js') as typeof import('undici').Client;
