// Which crawl a store holds: format, version, crawl and identity, written once and compared at every open (O2).

import { FrontierError } from '../errors.js';

/** What a store keeps of its crawl. */
export interface CrawlName {
  readonly format: string;
  readonly version: number;
  readonly crawl: string;
  /** Who crawls; empty: not compared. */
  readonly identity: string;
}

/** Where it is kept, for the message. */
export interface CrawlPlace {
  /** `the prefix docs`. */
  readonly name: string;
  /** What to do where another crawl is there. */
  readonly hint: string;
}

/** @throws FrontierError `store-mismatch`, both names in the message. */
export function compareCrawl(place: CrawlPlace, kept: CrawlName, wanted: CrawlName): void {
  const compare = (what: string, there: string, here: string) => {
    if (there === here) return;
    const message = `${place.name} holds ${what} ${JSON.stringify(there)}, not ${JSON.stringify(here)}`;
    throw new FrontierError('store-mismatch', message, { hint: place.hint });
  };
  compare('a store of format', `${kept.format} ${kept.version}`, `${wanted.format} ${wanted.version}`);
  compare('the crawl', kept.crawl, wanted.crawl);
  if (kept.identity !== '' && wanted.identity !== '')
    compare('a crawl of the identity', kept.identity, wanted.identity);
}
