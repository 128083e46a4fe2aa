// Whose crawl a store holds: format, version, crawl and identity, written once and compared at every open (O2).

import { FrontierError } from '../errors.js';

/** What a store keeps of its crawl. */
export interface CrawlName {
  readonly format: string;
  readonly version: number;
  readonly crawl: string;
  /** Who crawls; empty: not compared. */
  readonly identity: string;
}

/** Where it is kept, for people. */
export interface CrawlPlace {
  /** `the prefix docs`. */
  readonly name: string;
  /** How to get on where somebody else's crawl is there. */
  readonly hint: string;
}

/** @throws FrontierError `store-mismatch`, both names in the message. */
export function compareCrawl(place: CrawlPlace, kept: CrawlName, asked: CrawlName): void {
  const compare = (what: string, there: string, wanted: string) => {
    if (there === wanted) return;
    const message = `${place.name} holds ${what} ${JSON.stringify(there)}, not ${JSON.stringify(wanted)}`;
    throw new FrontierError('store-mismatch', message, { hint: place.hint });
  };
  compare('a store of format', `${kept.format} ${kept.version}`, `${asked.format} ${asked.version}`);
  compare('the crawl', kept.crawl, asked.crawl);
  if (kept.identity !== '' && asked.identity !== '') compare('a crawl of the identity', kept.identity, asked.identity);
}
