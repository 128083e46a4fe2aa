// Whose file this is: format, crawl and identity, written once and compared at every open (O2).

import { FrontierError } from '../../errors.js';
import type { Table } from './environment.js';

const KEY = Buffer.from('crawl');
const FORMAT = 'mannerly-frontier-lmdb';
const VERSION = 3;

/** What a file is asked to hold. */
export interface CrawlName {
  readonly crawl: string;
  /** Who crawls; empty: not compared. */
  readonly identity: string;
  readonly create: boolean;
  /** For the messages. */
  readonly path: string;
}

interface Kept {
  readonly format: string;
  readonly version: number;
  readonly crawl: string;
  readonly identity: string;
}

/**
 * Compares the file with what is asked, or names a new file. Inside a transaction.
 *
 * @throws FrontierError `store-mismatch`, both names in the message.
 */
export function claimCrawl(meta: Table, { crawl, identity, create, path }: CrawlName): void {
  const octets = meta.getBinary(KEY);
  if (octets === undefined) {
    if (!create) throw new FrontierError('store-mismatch', `${path} holds no crawl ${JSON.stringify(crawl)}`);
    meta.putSync(KEY, Buffer.from(JSON.stringify({ format: FORMAT, version: VERSION, crawl, identity })));
    return;
  }
  const kept = JSON.parse(octets.toString()) as Kept;
  const compare = (what: string, there: string, asked: string) => {
    if (there === asked) return;
    throw new FrontierError(
      'store-mismatch',
      `${path} holds ${what} ${JSON.stringify(there)}, not ${JSON.stringify(asked)}`,
      {
        hint: 'Take another folder, or remove this one to start over.',
      },
    );
  };
  compare('a store of format', `${kept.format} ${kept.version}`, `${FORMAT} ${VERSION}`);
  compare('the crawl', kept.crawl, crawl);
  if (identity !== '' && kept.identity !== '') compare('a crawl of the identity', kept.identity, identity);
}
