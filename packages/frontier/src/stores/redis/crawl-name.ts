// Whose keys these are: format, crawl, identity and shards, written once and compared at every open (O2).

import { FrontierError } from '../../errors.js';
import { type CrawlName, compareCrawl } from '../crawl-name.js';
import type { Connection } from './connection.js';
import { shardBase } from './shards.js';

const FORMAT = 'mannerly-frontier-redis';
const VERSION = 1;

/** What is asked of the keys. */
export interface CrawlRequest {
  readonly prefix: string;
  readonly crawl: string;
  /** Who crawls; empty: not compared. */
  readonly identity: string;
  readonly create: boolean;
  /** For a new crawl. */
  readonly shards: number;
}

interface Kept extends CrawlName {
  readonly shards: number;
}

/**
 * Compares what is kept with what is asked, or names a new crawl.
 *
 * @returns The number of shards that counts.
 * @throws FrontierError `store-mismatch`, both names in the message.
 */
export async function claimCrawl(connection: Connection, name: CrawlRequest): Promise<number> {
  const { prefix, crawl, identity, create, shards } = name;
  const key = `${shardBase(prefix, 0)}crawl`;
  const asked: Kept = { format: FORMAT, version: VERSION, crawl, identity, shards };
  if (create) await connection.call('SET', [key, JSON.stringify(asked), 'NX']);
  const bytes = await connection.call('GET', [key]);
  if (!Buffer.isBuffer(bytes)) {
    throw new FrontierError('store-mismatch', `no crawl ${JSON.stringify(crawl)} under the prefix ${prefix}`);
  }
  const kept = readKept(bytes, prefix);
  const hint = 'Take another prefix, or remove the keys of this one to start over.';
  compareCrawl({ name: `the prefix ${prefix}`, hint }, kept, asked);
  return kept.shards;
}

function readKept(bytes: Buffer, prefix: string): Kept {
  try {
    return JSON.parse(bytes.toString()) as Kept;
  } catch (cause) {
    throw new FrontierError('store-mismatch', `the prefix ${prefix} holds something else than a crawl`, { cause });
  }
}
