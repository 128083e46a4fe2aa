// Items, saved files and archives in a bucket of an S3-compatible store. Items are objects of JSON lines, with a number
// and the hash of their ids as name; the latest are read when the sink is opened, so that no item is written twice.

import { invalidOption } from '../errors.js';
import { NEVER_ABORTED } from '../on-abort.js';
import { fill } from '../options/check.js';
import { S3_ROWS } from '../options/sink-rows.js';
import { idOfLine } from '../output/jsonl.js';
import { JSONL_TAIL_PAGES } from '../output/limits.js';
import { batchedSink } from '../output/page-batches.js';
import type { Item, Sink } from '../output/sink.js';
import { parseUrl } from '../parse-url.js';
import { itemBodies } from './encoded-items.js';
import { MAX_CONCURRENT_READS } from './limits.js';
import { openBucket, type S3Bucket, type S3Client } from './s3-bucket.js';

/** Options of an S3 sink. */
interface S3SinkOptions {
  /** Signs and sends: `new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region, retries: 0 })`. */
  readonly client: S3Client;
  /** The URL of the bucket: `https://s3.eu-central-1.amazonaws.com/my-bucket`, or with the bucket in the host name. */
  readonly bucket: string;
  /** The prefix of keys; each crawl needs its own. @default '' */
  readonly prefix?: string;
  /** What the bucket gets. @default all three */
  readonly keeps?: readonly ('items' | 'files' | 'archive')[];
  /** Items of one object, and the longest wait for them. */
  readonly batch?: {
    /** 1 to 10,000; a larger page is also one object, unless it is longer than 8 Mi characters. @default 1,000 */
    readonly items?: number;
    /** Milliseconds that a page waits for others, 0 to 5,000. @default 500 */
    readonly waitMs?: number;
  };
  /** Timeout of one attempt, 1 to 600,000 ms. @default 120,000 */
  readonly timeoutMs?: number;
  /** Attempts after the first, 0 to 20: after 1, 2, 4 … seconds, and as `Retry-After` says. @default 8 */
  readonly retries?: number;
}

/**
 * A sink that puts objects into a bucket: `items/…jsonl` while the crawl runs; at its end `files/…`, which handlers
 * saved, and `archive/…` and `archive.wacz`, if there is an archive. A file that is already there, by its SHA-256, is
 * not sent again.
 * @throws MannerlyError `option-invalid`, `option-unknown`
 */
export function s3Sink(options: S3SinkOptions): Sink {
  const { client, bucket: text, prefix: given, keeps, batch, timeoutMs, retries } = fill('s3Sink.', S3_ROWS, options);
  const prefix = given ?? '';
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.username}${url.password}${url.search}` !== '') {
    throw invalidOption('s3Sink.bucket', 'the http(s) URL of a bucket, without name, password and query', text);
  }
  const address = url.href.replace(/\/+$/, '');
  const bucketFor = (stop: AbortSignal) => openBucket(client, address, { timeoutMs, retries }, stop);
  const folder = `${prefix}items/`;

  const sink = batchedSink(`s3 ${address}/${prefix}`, `the bucket ${address}`, async (stop, addId) => {
    const bucket = bucketFor(stop);
    let last = keeps.includes('items') ? await readLatest(bucket, folder, addId) : 0;
    const write = async (items: readonly Item[]): Promise<void> => {
      for (const { lines, key } of itemBodies(items)) {
        // The same items with the same number are the same object.
        const name = `${folder}${String(last + 1).padStart(9, '0')}-${key.slice(0, 16)}.jsonl`;
        await bucket.put(name, Buffer.from(lines.join('')), { 'content-type': 'application/x-ndjson' });
        last += 1;
      }
    };
    return { write, limits: batch };
  });
  return {
    ...sink,
    write: async (items) => (keeps.includes('items') ? sink.write(items) : undefined),
    async keepFile({ name, path, bytes }, stop = NEVER_ABORTED) {
      if (!keeps.includes(name.startsWith('files/') ? 'files' : 'archive')) return;
      await bucketFor(stop).putFile(`${prefix}${name}`, path, bytes);
    },
  };
}

/**
 * Reads the ids of as many pages as may have been in flight at a crash.
 * @returns The number of the last object, `<number>-<hash of the ids>.jsonl`; 0: there is none.
 */
async function readLatest(bucket: S3Bucket, folder: string, addId: (id: string) => unknown): Promise<number> {
  let last = 0;
  let latest: string[] = [];
  for await (const key of bucket.keys(folder)) {
    const number = /(\d{9})-[0-9a-f]{16}\.jsonl$/.exec(key)?.[1];
    if (number === undefined) continue;
    last = Math.max(last, Number(number));
    latest.push(key);
    if (latest.length >= 2 * JSONL_TAIL_PAGES) latest = latest.slice(-JSONL_TAIL_PAGES);
  }
  const pages = new Set<string>();
  while (latest.length > 0 && pages.size < JSONL_TAIL_PAGES) {
    const texts = await Promise.all(latest.splice(-MAX_CONCURRENT_READS).map((key) => bucket.text(key)));
    for (const line of texts.flatMap((each) => each.split('\n'))) {
      const id = idOfLine(line);
      if (id === null) continue;
      addId(id);
      pages.add(id.slice(0, id.lastIndexOf('/')));
    }
  }
  return last;
}
