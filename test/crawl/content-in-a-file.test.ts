// A large body goes to a file: its handler reads it at its own pace, complete or marked as cut, and the file is removed
// afterwards.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { SavedFile } from 'mannerly';
import { expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, type ReplyParts, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const MIB = 1024 * 1024;
/** Longer than a compressor's window, so compression does not make it small. */
const NOISE = Buffer.concat(Array.from({ length: 2_048 }, (_, at) => createHash('sha256').update(String(at)).digest()));
const LARGE = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5 * MIB, NOISE)]);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const pdf = (body: Uint8Array, more: Partial<ReplyParts> = {}): ReplyParts => ({
  body,
  ...more,
  headers: { 'content-type': 'application/pdf', ...more.headers },
});

/** A temporary folder for this test only. */
async function ownTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-tmp-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    return rm(folder, { recursive: true, force: true });
  });
  return folder;
}

it.each([
  ['as it is', pdf(LARGE)],
  ['coded', pdf(gzipSync(LARGE), { headers: { 'content-encoding': 'gzip' } })],
])(
  'a body of five mebibytes, %s: is streamed, saved, and refused if it would have to be in memory',
  async (_how, reply) => {
    const out = await mkdtemp(join(tmpdir(), 'test-out-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const temporary = await ownTemporaryFolder();
    const web = await webForTest({
      hosts: { 'a.test': { '/robots.txt': text(''), '/': page('a', ['/large.pdf']), '/large.pdf': reply } },
    });
    const seen: unknown[] = [];
    const saved: SavedFile[] = [];
    await crawl({
      seeds: [web.url('a.test')],
      out,
      network: { maxBodyBytes: MIB },
      handlers: (crawler) => {
        crawler.on('html', (each) => each.follow());
        crawler.on(
          'pdf',
          async (each) => {
            const hash = createHash('sha256');
            let chunks = 0;
            for await (const piece of each.body) {
              chunks += 1;
              hash.update(piece);
            }
            seen.push(each.truncated, each.bodyBytes, hash.digest('hex'), chunks > 10);
            for (const held of [each.bytes(), each.text(), each.json()]) {
              seen.push(await held.catch((error: { readonly code: string }) => error.code));
            }
            saved.push(await each.save('large.pdf'));
          },
          { maxBodyBytes: 10 * MIB },
        );
      },
    });
    expect(seen).toEqual([
      null,
      LARGE.length,
      sha256(LARGE),
      true,
      'page-too-large',
      'page-too-large',
      'page-too-large',
    ]);
    expect(saved).toMatchObject([{ kind: 'saved', bytes: LARGE.length, sha256: sha256(LARGE) }]);
    expect(await readdir(temporary)).toEqual([]);
  },
);

it('is cut at its handler’s limit, or where the server ends early, and is marked as cut', async () => {
  const web = await webForTest({
    hosts: {
      'a.test': {
        '/robots.txt': text(''),
        '/': page('a', ['/cap.pdf', '/peer.pdf']),
        '/cap.pdf': pdf(LARGE),
        '/peer.pdf': pdf(LARGE.subarray(0, 2 * MIB), { misbehave: 'cut' }),
      },
    },
  });
  const seen: Record<string, unknown> = {};
  await crawl({
    seeds: [web.url('a.test')],
    maxIdleMs: 0,
    handlers: (crawler) => {
      crawler.on('html', (each) => each.follow());
      crawler.on('pdf', (each) => (seen[new URL(each.url).pathname] = [each.truncated, each.bodyBytes]), {
        maxBodyBytes: 3 * MIB,
      });
    },
  });
  // A body that the server cut is retried: a page is handed over only after four tries.
  expect(seen).toEqual({ '/cap.pdf': ['limit', 3 * MIB] });
});

it('a route without its own limit gets what `network.maxBodyBytes` allows', async () => {
  const web = await webForTest({
    hosts: { 'a.test': { '/robots.txt': text(''), '/': page('a', ['/large.pdf']), '/large.pdf': pdf(LARGE) } },
  });
  const seen: unknown[] = [];
  await crawl({
    seeds: [web.url('a.test')],
    network: { maxBodyBytes: MIB },
    handlers: (crawler) =>
      crawler
        .on('html', (each) => each.follow())
        .on('pdf', async (each) => {
          seen.push(each.truncated, (await each.bytes()).length);
        }),
  });
  expect(seen).toEqual(['limit', MIB]);
});
