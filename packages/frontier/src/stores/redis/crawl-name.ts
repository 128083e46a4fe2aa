// Whose keys these are: format, crawl, identity and shards, written once and compared at every open (O2).

import { FrontierError } from '../../errors.js';
import type { Connection } from './connection.js';
import { shardBase } from './shards.js';

const FORMAT = 'mannerly-frontier-redis';
const VERSION = 1;

/** What is asked of the keys. */
export interface CrawlName {
  readonly prefix: string;
  readonly crawl: string;
  /** Who crawls; empty: not compared. */
  readonly identity: string;
  readonly create: boolean;
  /** For a new crawl. */
  readonly shards: number;
}

interface Kept {
  readonly format: string;
  readonly version: number;
  readonly crawl: string;
  readonly identity: string;
  readonly shards: number;
}

/**
 * Compares what is kept with what is asked, or names a new crawl.
 *
 * @returns The number of shards that counts.
 * @throws FrontierError `store-mismatch`, both names in the message.
 */
export async function claimCrawl(connection: Connection, name: CrawlName): Promise<number> {
  const { prefix, crawl, identity, create, shards } = name;
  const key = `${shardBase(prefix, 0)}crawl`;
  if (create) {
    const made: Kept = { format: FORMAT, version: VERSION, crawl, identity, shards };
    await connection.call('SET', [key, JSON.stringify(made), 'NX']);
  }
  const octets = await connection.call('GET', [key]);
  if (!Buffer.isBuffer(octets)) {
    throw new FrontierError('store-mismatch', `no crawl ${JSON.stringify(crawl)} under the prefix ${prefix}`);
  }
  const kept = readKept(octets, prefix);
  const compare = (what: string, there: string, asked: string) => {
    if (there === asked) return;
    throw new FrontierError(
      'store-mismatch',
      `the prefix ${prefix} holds ${what} ${JSON.stringify(there)}, not ${JSON.stringify(asked)}`,
      { hint: 'Take another prefix, or remove the keys of this one to start over.' },
    );
  };
  compare('a store of format', `${kept.format} ${kept.version}`, `${FORMAT} ${VERSION}`);
  compare('the crawl', kept.crawl, crawl);
  if (identity !== '' && kept.identity !== '') compare('a crawl of the identity', kept.identity, identity);
  return kept.shards;
}

function readKept(octets: Buffer, prefix: string): Kept {
  try {
    return JSON.parse(octets.toString()) as Kept;
  } catch (cause) {
    throw new FrontierError('store-mismatch', `the prefix ${prefix} holds something else than a crawl`, { cause });
  }
}
