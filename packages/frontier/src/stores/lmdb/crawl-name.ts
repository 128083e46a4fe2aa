// Whose file this is: format, crawl and identity, written once and compared at every open (O2).

import { FrontierError } from '../../errors.js';
import { type CrawlName, compareCrawl } from '../crawl-name.js';
import type { Table } from './environment.js';

const KEY = Buffer.from('crawl');
const FORMAT = 'mannerly-frontier-lmdb';
const VERSION = 4;

/** What a file is asked to hold. */
export interface CrawlRequest {
  readonly crawl: string;
  /** Who crawls; empty: not compared. */
  readonly identity: string;
  readonly create: boolean;
  /** For the messages. */
  readonly path: string;
}

/**
 * Compares the file with what is asked, or names a new file. Inside a transaction.
 *
 * @throws FrontierError `store-mismatch`, both names in the message.
 */
export function claimCrawl(meta: Table, { crawl, identity, create, path }: CrawlRequest): void {
  const bytes = meta.getBinary(KEY);
  const asked: CrawlName = { format: FORMAT, version: VERSION, crawl, identity };
  if (bytes === undefined) {
    if (!create) throw new FrontierError('store-mismatch', `${path} holds no crawl ${JSON.stringify(crawl)}`);
    meta.putSync(KEY, Buffer.from(JSON.stringify(asked)));
    return;
  }
  const hint = 'Take another folder, or remove this one to start over.';
  compareCrawl({ name: path, hint }, JSON.parse(bytes.toString()) as CrawlName, asked);
}
