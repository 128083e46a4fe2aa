// Which crawl a store holds: format, version, crawl and identity, written once and compared at every open (O2).

import { FrontierError } from '../errors.js';

/** What to do where a frontier is missing. */
export const BACK_OR_RESET = 'Put a copy of the folder back, or start over (--reset, `reset: true`).';

/** What a store keeps of its crawl. */
export interface CrawlName {
  readonly format: string;
  readonly version: number;
  readonly crawl: string;
  /** Who crawls; empty: not compared. */
  readonly identity: string;
}

/**
 * @param place - Where it is kept: `the prefix docs`.
 * @param hint - What to do where another crawl is there.
 * @throws FrontierError `store-mismatch`, both names in the message.
 */
export function compareCrawl(place: string, hint: string, kept: CrawlName, wanted: CrawlName): void {
  const compare = (what: string, there: string, here: string) => {
    if (there === here) return;
    const message = `${place} holds ${what} ${JSON.stringify(there)}, not ${JSON.stringify(here)}`;
    throw new FrontierError('store-mismatch', message, { hint });
  };
  compare('a store of format', `${kept.format} ${kept.version}`, `${wanted.format} ${wanted.version}`);
  compare('the crawl', kept.crawl, wanted.crawl);
  const isCompared = kept.identity !== '' && wanted.identity !== '';
  if (isCompared) compare('a crawl of the identity', kept.identity, wanted.identity);
}
