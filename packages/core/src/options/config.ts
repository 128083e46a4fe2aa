// What a configuration file of the command says: the options of a crawl as plain data, with places for files and for the
// crawl directory. It is read and checked by the command; here are its shape and the completion that editors give.

import type { IdentityOptions } from '../fetch/identity.js';
import type { BoundsOptions } from './bounds-options.js';
import type { CrawlerOptions } from './options.js';

/** Options that only a module can say, since they are code. */
export type CodeOption = 'fetcher' | 'sinks' | 'hooks';

/**
 * `mannerly.config.json`, `.js` or `.ts`. Everything may be left out that a flag says. A JSON file says all but what is code
 * (`CodeOption`, and functions and RegExp objects within options); `mannerly/config-schema.json` is its schema.
 */
export interface CrawlConfig
  extends Omit<Partial<CrawlerOptions>, 'identity' | 'scope' | 'bounds' | 'store' | 'clock'> {
  /** For editors. */
  readonly $schema?: string;
  readonly identity?: Partial<IdentityOptions>;
  readonly scope?: Partial<CrawlerOptions['scope']>;
  /** Replaces what the command's flags have by default; flags that are given override one by one. */
  readonly bounds?: Partial<BoundsOptions>;
  /** A module with an export `handlers`, as for `mannerly replay`. Relative to the file. @default every HTML page is an item */
  readonly handlers?: string;
  /** The crawl directory. Relative to the file. @default that of the same crawl, else crawls/<host>-<date> */
  readonly out?: string;
  /** Items go to this CSV file too. Relative to the file. */
  readonly csv?: string;
  /** The store of the frontier: `redis://…`, `rediss://…`, `postgres://…`. @default in the crawl directory */
  readonly store?: string;
}

/**
 * The configuration as it is: for completion and types in `mannerly.config.ts` and `.js`.
 *
 * @example
 * ```ts
 * export default defineConfig({
 *   identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
 *   scope: { seeds: ['https://docs.example.org/'] },
 *   bounds: { pages: 2_000 },
 * });
 * ```
 * @throws Never; the command checks it when it reads it.
 */
export function defineConfig(config: CrawlConfig): CrawlConfig {
  return config;
}
