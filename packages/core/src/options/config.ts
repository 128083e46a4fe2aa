// The configuration file of the command.

import type { CrawlerOptions, FileOptions } from './crawler-options.js';

/**
 * `mannerly.config.json`, `.js` or `.ts`. Everything that a flag sets may be left out. A JSON file cannot contain
 * functions, class instances and regular expressions; `mannerly/config-schema.json` is its schema.
 */
export interface CrawlConfig
  extends Omit<Partial<CrawlerOptions>, 'identity' | 'scope' | 'bounds' | 'store' | 'clock'>,
    FileOptions {
  readonly identity?: Partial<CrawlerOptions['identity']>;
  readonly scope?: Partial<CrawlerOptions['scope']>;
  /** Replaces the defaults of the command. A given flag overrides one bound. */
  readonly bounds?: Partial<CrawlerOptions['bounds']>;
}

/**
 * Returns the configuration unchanged: for completion and types in `mannerly.config.ts` and `.js`.
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
