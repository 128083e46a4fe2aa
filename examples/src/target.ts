// The target of the examples: example.org, or hosts on loopback that the environment names, so that tests can run them.
//
//   MANNERLY_EXAMPLE_SEED=http://meadow.test:8080/ MANNERLY_EXAMPLE_LOOPBACK=1 node examples/dist/smallest-crawl.js

import type { NetworkOptions } from 'mannerly';

const { MANNERLY_EXAMPLE_SEED: named, MANNERLY_EXAMPLE_LOOPBACK: onLoopback } = process.env;

/** The seed of an example. */
export const seed: string = named ?? 'https://example.org/';

/** How names are resolved: as usual, or all to this machine. */
export const network: NetworkOptions =
  onLoopback === undefined ? {} : { allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] };
