// The configuration file of the command.

import type { GivenBrowser } from './browser-rows.js';
import type { CrawlerOptions } from './crawler-options.js';

/**
 * `mannerly.config.json`, `.js` or `.ts`. Everything that a flag says may be left out. A JSON file has no functions,
 * objects of classes and regular expressions; `mannerly/config-schema.json` is its schema.
 */
export interface CrawlConfig
  extends Omit<Partial<CrawlerOptions>, 'identity' | 'scope' | 'bounds' | 'store' | 'clock'> {
  /** For editors. */
  readonly $schema?: string;
  readonly identity?: Partial<CrawlerOptions['identity']>;
  readonly scope?: Partial<CrawlerOptions['scope']>;
  /** Replaces the defaults of the command. A flag that is given overrides one bound. */
  readonly bounds?: Partial<CrawlerOptions['bounds']>;
  /** Open HTML pages in a Chromium; `mannerly crawl --browser`. @default false */
  readonly browser?: boolean | GivenBrowser;
  /** A module with an export `handlers`. Relative to the file. @default every HTML page is an item */
  readonly handlers?: string;
  /** The crawl directory. Relative to the file. @default that of the same crawl, else crawls/<host>-<date> */
  readonly out?: string;
  /** Items go to this CSV file too. Relative to the file. */
  readonly csv?: string;
  /** Items go to this SQLite file too. Relative to the file. */
  readonly sqlite?: string;
  /** Items go to PostgreSQL too: `postgres://user@host/database?table=items`, or `env:NAME`, `file:PATH`. */
  readonly postgres?: string;
  /** Items are posted to this URL too; `env:NAME` and `file:PATH` name where it is. */
  readonly webhook?: string;
  /** Items, files and archives go to this bucket too: `https://HOST/BUCKET/PREFIX`. Keys are in the environment. */
  readonly s3?: string;
  /** The store of the frontier: `redis://…`, `rediss://…`, `postgres://…`. @default in the crawl directory */
  readonly store?: string;
}

/**
 * Returns the configuration as it is: for completion and types in `mannerly.config.ts` and `.js`.
 *
 * @example
 * ```ts
 * export default defineConfig({
 *   identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
 *   scope: { seeds: ['https://docs.example.org/'] },
 *   bounds: { pages: 2_000 },
 * });
 * ```
 */
export function defineConfig(config: CrawlConfig): CrawlConfig {
  return config;
}
