// Items, files and archives in an S3 bucket: the contract of sinks, and faults of the server. At stake: items that are
// lost or doubled, half a file, and keys in messages.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTown } from '@mannerly/examples/demo/town';
import { memoryStore } from '@mannerly/frontier';
import type { Item } from 'mannerly';
import { sinkSuite } from 'mannerly/sink-conformance';
import { s3Sink } from 'mannerly/sinks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { crawl, makeCrawler } from '../support/crawl.js';
import { KEYS, type S3ForTest, startS3 } from '../support/s3-server.js';
import { page } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

let s3: S3ForTest;
let folder: string;
let count = 0;
const AT_ONCE = { waitMs: 0 };

beforeAll(async () => {
  s3 = await startS3();
  folder = await mkdtemp(join(tmpdir(), 'mannerly-s3-files-'));
});
beforeEach(() => {
  s3.failureFor = () => null;
  s3.requests.length = 0;
});
afterAll(async () => {
  await s3.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function textOf(key: string): Promise<string> {
  const path = key.split('/').map(encodeURIComponent).join('/');
  return (await s3.client().fetch(`${s3.bucket}/${path}`)).text();
}

/** The keys below a prefix, without it. */
async function keysOf(prefix: string): Promise<string[]> {
  const text = await (await s3.client().fetch(`${s3.bucket}?list-type=2&prefix=${prefix}`)).text();
  return [...text.matchAll(/<Key>([^<]+)</g)].map(([, key = '']) => key.slice(prefix.length));
}

async function linesOf(prefix: string): Promise<Record<string, unknown>[]> {
  const texts = [];
  for (const key of await keysOf(`${prefix}items/`)) texts.push(await textOf(`${prefix}items/${key}`));
  return texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line));
}

const nextPrefix = (): string => `crawl-${++count}/`;

describe('s3Sink', () => {
  sinkSuite({
    test: (title, body) => void it(title, body),
    makeMedium: async () => {
      const prefix = nextPrefix();
      return {
        makeSink: () => s3Sink({ client: s3.client(), bucket: s3.bucket, prefix, batch: AT_ONCE }),
        read: async () =>
          (await linesOf(prefix)).map(({ id, url, fetchedAt: _, expiresAt, preferences = {}, ...rest }) => ({
            ...{ id: String(id), url: String(url), preferences: preferences as Item['preferences'] },
            data: ('data' in rest ? rest['data'] : rest) as Item['data'],
            expiresAtMs: expiresAt === undefined ? null : Date.parse(String(expiresAt)),
          })),
        dispose: async () => undefined,
      };
    },
    capabilities: { durable: true, exactData: true },
  });
});

const item = (id: string, data: Item['data'] = { id }): Item => ({
  ...{ id, url: 'https://a.test/', fetchedAtMs: 0, data, expiresAtMs: null, preferences: {} },
});

async function written(options: Partial<Parameters<typeof s3Sink>[0]>, ...pages: Item[][]): Promise<void> {
  const sink = s3Sink({ client: s3.client(), bucket: s3.bucket, batch: AT_ONCE, ...options });
  await sink.open();
  const writes = pages.map((each) => sink.write(each));
  await Promise.allSettled(writes);
  await sink.close();
  await Promise.all(writes);
}

describe('objects of items', () => {
  it('hold the pages of a batch, and the next run continues their numbers', async () => {
    const prefix = nextPrefix();
    const batch = { items: 4, waitMs: 100 };
    await written({ prefix, batch }, [item('a/0'), item('a/1')], [item('b/0'), item('b/1')], [item('c/0')]);
    await written({ prefix, batch }, [item('d/0')]);
    const numbers = (await keysOf(`${prefix}items/`)).map((key) => key.replace(/-[0-9a-f]{16}\.jsonl$/, ''));
    expect(numbers).toEqual(['000000001', '000000002', '000000003']);
    expect((await linesOf(prefix)).map(({ id }) => id)).toEqual(['a/0', 'a/1', 'b/0', 'b/1', 'c/0', 'd/0']);
  });

  it('are put again under the same name if the answer was lost, and no item is there twice', async () => {
    const prefix = nextPrefix();
    let failures = 1;
    s3.failureFor = (request) =>
      request.startsWith('PUT') && failures-- > 0 ? { status: 500, takesEffect: true } : null;
    await written({ prefix, retries: 1 }, [item('a/0')]);
    const puts = s3.requests.filter((request) => request.startsWith('PUT'));
    expect(puts).toHaveLength(2);
    expect(new Set(puts).size).toBe(1);
    // The run ends before it learns that the object was stored, and the page is handled again.
    failures = 1;
    await expect(written({ prefix, retries: 0 }, [item('b/0')])).rejects.toThrow('status 500');
    await written({ prefix }, [item('b/0'), item('b/1')]);
    expect((await linesOf(prefix)).map(({ id }) => id)).toEqual(['a/0', 'b/0', 'b/1']);
  });

  it('are refused with a wrong key, which is not in any message', async () => {
    const ended = written({ client: s3.client('an0ther'), prefix: nextPrefix() }, [item('a/0')]);
    await expect(ended).rejects.toThrow(/^GET http:.*: status 403 SignatureDoesNotMatch$/);
  });
});

describe('files', () => {
  const keep = async (prefix: string, name: string, path: string, bytes: number, retries = 8) =>
    s3Sink({ client: s3.client(), bucket: s3.bucket, prefix, retries }).keepFile?.({ path, name, bytes });

  it('are sent once: a file is not sent again if its bytes are there', async () => {
    const prefix = nextPrefix();
    const path = join(folder, 'a');
    const name = "files/a.test/ü b+c%20(1)'!.pdf";
    await writeFile(path, 'one');
    await keep(prefix, name, path, 3);
    await keep(prefix, name, path, 3);
    expect(s3.requests.map((request) => request.split(' ')[0])).toEqual(['HEAD', 'PUT', 'HEAD']);
    await writeFile(path, 'two');
    await keep(prefix, name, path, 3);
    expect(await textOf(`${prefix}${name}`)).toBe('two');
  });

  it('are sent in parts if they are long, and each part is retried by itself', async () => {
    const prefix = nextPrefix();
    const path = join(folder, 'long');
    const bytes = Buffer.alloc(33 * 1024 * 1024, 'WARC');
    await writeFile(path, bytes);
    let failures = 1;
    s3.failureFor = (request) =>
      request.includes('partNumber=3') && failures-- > 0 ? { status: 503, takesEffect: false } : null;
    await keep(prefix, 'archive/a.warc.gz', path, bytes.length);
    const parts = s3.requests.flatMap((request) => /partNumber=(\d)/.exec(request)?.[1] ?? []);
    expect(parts).toEqual(['1', '2', '3', '3']);
    const kept = Buffer.from(await (await s3.client().fetch(`${s3.bucket}/${prefix}archive/a.warc.gz`)).arrayBuffer());
    expect(createHash('sha256').update(kept).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('leave no parts behind if one is finally refused', async () => {
    const path = join(folder, 'refused');
    await writeFile(path, Buffer.alloc(17 * 1024 * 1024));
    s3.failureFor = (request) => (request.includes('partNumber=2') ? { status: 400, takesEffect: false } : null);
    await expect(keep(nextPrefix(), 'archive/b.warc.gz', path, 17 * 1024 * 1024)).rejects.toThrow('status 400');
    expect(s3.requests.at(-1)).toMatch(/^DELETE .*uploadId=/);
  });
});

it('several machines of one crawl write into one bucket, and none overwrites another’s objects', async () => {
  const names = ['a', 'b', 'c'];
  const hosts = Object.fromEntries(names.map((name) => [`${name}.test`, { '/': page(name, ['/1']), '/1': page('1') }]));
  const web = await webForTest({ hosts });
  const prefix = nextPrefix();
  // Each machine has its own directory, with the number of its only process.
  const machines = names.map(async (name) => {
    const crawler = makeCrawler({
      ...{ seeds: [web.url(`${name}.test`)], archive: { wacz: true }, store: memoryStore() },
      sinks: [s3Sink({ client: s3.client(), bucket: s3.bucket, prefix })],
    });
    return crawler.run({ out: join(folder, `machine-${name}`), shared: true });
  });
  expect((await Promise.all(machines)).map(({ items }) => items)).toEqual([2, 2, 2]);
  const keys = await keysOf(prefix);
  const folders = keys.flatMap((key) => /^(archive-[0-9a-f]{16}-1)\/.*\.warc\.gz$/.exec(key)?.[1] ?? []);
  expect(new Set(folders).size).toBe(3);
  expect(keys).toEqual(expect.arrayContaining(folders.map((each) => `${each}.wacz`)));
  const kept = (await linesOf(prefix)).map(({ url }) => url);
  expect(kept.toSorted()).toEqual(names.flatMap((name) => [web.url(`${name}.test`), web.url(`${name}.test`, '/1')]));
});

it('a crawl puts its items, saved files and finished archive into the bucket, and the next run sends what is new', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/': page('A', ['/a.pdf']),
        '/a.pdf': { body: '%PDF-1.7\n', headers: { 'content-type': 'application/pdf' } },
      },
    },
  });
  const prefix = nextPrefix();
  const out = join(folder, 'crawl');
  const run = () =>
    crawl({
      ...{ seeds: [web.url('a.test')], out, archive: { wacz: true } },
      sinks: [s3Sink({ client: s3.client(), bucket: s3.bucket, prefix })],
      handlers: (crawler) =>
        crawler
          .on('html', async (each) => {
            await each.emit({ title: each.title });
            await each.follow();
          })
          .on('pdf', async (each) => each.emit(await each.save())),
    });
  await run();
  const keys = await keysOf(prefix);
  expect(keys.map((key) => key.replace(/^(archive)\/.*?(\.[a-z.]+)$/, '$1/…$2'))).toEqual(
    expect.arrayContaining(['archive.wacz', 'archive/….warc.gz', expect.stringMatching(/^files\/a\.test.*a\.pdf$/)]),
  );
  expect(keys.filter((key) => key.includes('.open'))).toEqual([]);
  expect(await linesOf(prefix)).toHaveLength(2);
  s3.requests.length = 0;
  await run();
  const sent = s3.requests.filter((request) => request.startsWith('PUT')).map((request) => request.split(prefix)[1]);
  expect(sent.filter((key) => key?.startsWith('items/') || key?.endsWith('.pdf'))).toEqual([]);
});

it('the example puts everything into the bucket', async () => {
  const town = await startTown();
  const program = fileURLToPath(new URL('../../examples/dist/items-into-a-bucket.js', import.meta.url));
  const cwd = await mkdtemp(join(folder, 'example-'));
  const seed = { MANNERLY_EXAMPLE_SEED: `http://meadow.test:${town.port}/`, MANNERLY_EXAMPLE_LOOPBACK: '1' };
  const keys = { AWS_ACCESS_KEY_ID: KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey };
  const env = { ...process.env, ...seed, ...keys, S3_BUCKET: s3.bucket };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd, env });
  await town.close();
  expect(stdout).toContain('3 pages, 3 items; in the bucket:');
  expect(stdout).toMatch(/tidepools\/archive\.wacz\n/);
  expect(stdout).toMatch(/tidepools\/archive\/\S+\.warc\.gz\n/);
  expect(stdout.match(/tidepools\/files\/meadow\.test\S*\n/g)).toHaveLength(3);
  expect(stdout).toMatch(/tidepools\/items\/000000001-[0-9a-f]{16}\.jsonl\n/);
});

it('names what is wrong in its options', () => {
  const client = s3.client();
  for (const bucket of [
    'crawls',
    'ftp://a.test/b',
    'https://key:secret@a.test/b',
    'https://a.test/b?x-amz-signature=1',
  ]) {
    expect(() => s3Sink({ client, bucket })).toThrow('expected `s3Sink.bucket`');
  }
  expect(() => s3Sink({ client: {} as never, bucket: 'https://a.test/b' })).toThrow('AwsClient of aws4fetch');
  expect(() => s3Sink({ client, bucket: 'https://a.test/b', keeps: ['all' as never] })).toThrow(
    'items, files, archive',
  );
});
