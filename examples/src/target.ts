// What the examples crawl: example.org, or a town on loopback that the environment names, so that tests can run them.
//
//   MANNERLY_EXAMPLE_SEED=http://meadow.test:8080/ MANNERLY_EXAMPLE_LOOPBACK=1 node examples/dist/smallest-crawl.js

import type { NetworkOptions } from 'mannerly';

const { MANNERLY_EXAMPLE_SEED: named, MANNERLY_EXAMPLE_LOOPBACK: onLoopback } = process.env;

/** Where an example starts. */
export const seed: string = named ?? 'https://example.org/';

/** How names are found: as everywhere, or all of them on this machine. */
export const network: NetworkOptions =
  onLoopback === undefined ? {} : { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] };
