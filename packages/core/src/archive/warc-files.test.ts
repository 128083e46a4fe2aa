// Whatever ends a process, its files stay readable: complete records, their index, and nothing after them. If this
// breaks, a crawl of weeks leaves a file that no tool opens.

import { copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseCdxjLine } from './cdxj.js';
import { exchangeRecords, KnownPayloads } from './exchange-records.js';
import type { ArchivedPage } from './visit.js';
import { OPEN_SUFFIX, recoverWarcs, WarcFiles } from './warc-files.js';
import { createPlainRecord, createRecord } from './warc-record.js';

const NOTHING = Buffer.alloc(0);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-warc-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function makeFiles(warcBytes = 1_000_000_000): WarcFiles {
  return new WarcFiles({
    folder,
    prefix: 'study',
    warcBytes,
    warcinfo: (filename) => {
      const fields = [
        ['WARC-Date', '2026-11-20T12:00:00Z'],
        ['WARC-Filename', filename],
      ] as const;
      return createPlainRecord('warcinfo', fields, Buffer.from('software: test\r\n'), 'sha-256');
    },
    nowMs: () => Date.UTC(2026, 10, 20, 12),
  });
}

const payloads = new KnownPayloads();

const PAGE: ArchivedPage = {
  keepsBody: true,
  isHtml: true,
  title: 'A page',
  outlinks: ['https://example.org/next'],
  rendered: null,
  visit: {
    host: 'example.org',
    depth: 0,
    via: 'seed',
    from: null,
    hops: 0,
    label: null,
    userData: null,
    tries: 0,
    visit: 0,
    signals: null,
    tdm: { reserved: null, policy: null },
    judgedAtMs: 0,
  },
};

/** Appends one exchange. */
function append(files: WarcFiles, path: string, body: Uint8Array = Buffer.from(`body of ${path}`)) {
  const url = `https://example.org${path}`;
  const startedAtMs = Date.UTC(2026, 10, 20, 12, 0, 1);
  return files.append((warcinfoId) =>
    exchangeRecords(
      {
        sent: { url, purpose: 'page', headers: { 'User-Agent': 'x' } },
        outcome: {
          kind: 'response',
          url,
          status: 200,
          statusText: 'OK',
          headers: [['Content-Type', 'text/plain']],
          body,
          encodedBody: body,
          truncated: null,
          encodedBytes: body.length,
          remoteAddress: '::ffff:192.0.2.1',
          timing: { startedAtMs, headersAtMs: startedAtMs, endedAtMs: startedAtMs + 5 },
        },
        withheld: null,
        page: PAGE,
      },
      { digest: 'sha-256', payloads, warcinfoId },
    ),
  );
}

const names = async (): Promise<string[]> => (await readdir(folder)).sort();
/** The decompressed records of a complete file. */
const content = async (name: string): Promise<string> => gunzipSync(await readFile(join(folder, name))).toString();
const targets = (text: string): string[] =>
  [...text.matchAll(/WARC-Target-URI: (\S+)/g)].map(([, url = '']) => new URL(url).pathname);

/** A body whose file is gone. */
async function* missingBody(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a');
  throw new Error('gone');
}

describe('WARC files', () => {
  it('are made with the first record, and get their final name when they are complete', async () => {
    const files = makeFiles();
    await files.open();
    expect(await names()).toEqual([]);
    await append(files, '/a');
    expect((await names()).every((name) => name.endsWith(OPEN_SUFFIX))).toBe(true);
    await files.close();
    expect(await names()).toEqual(['cdxj', 'pages.jsonl', 'warc.gz'].map((end) => `study-20261120120000-00001.${end}`));
  });

  it('start a new file past their size, each with its own warcinfo record and index', async () => {
    const files = makeFiles(2_000);
    await files.open();
    for (let at = 0; at < 5; at += 1) await append(files, `/${at}`);
    await files.close();
    const warcs = (await names()).filter((name) => name.endsWith('.warc.gz'));
    expect(warcs.length).toBeGreaterThan(1);
    const seen: string[] = [];
    for (const name of warcs) {
      const text = await content(name);
      expect(text.startsWith('WARC/1.1\r\nWARC-Type: warcinfo\r\n')).toBe(true);
      expect(text).toContain(`WARC-Filename: ${name}\r\n`);
      for (const line of (await readFile(join(folder, name.replace('.warc.gz', '.cdxj')), 'utf8'))
        .trimEnd()
        .split('\n')) {
        const entry = parseCdxjLine(line);
        const { offset = '', length = '', url = '' } = entry ?? {};
        const bytes = (await readFile(join(folder, name))).subarray(Number(offset), Number(offset) + Number(length));
        expect(gunzipSync(bytes).toString()).toContain(`WARC-Target-URI: ${url}\r\n`);
        expect(entry?.['filename']).toBe(name);
        seen.push(url);
      }
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((at) => `https://example.org/${at}`));
  });

  it('write exchanges that end at the same time one after the other, complete', async () => {
    const files = makeFiles();
    await files.open();
    await Promise.all(Array.from({ length: 20 }, (_, at) => append(files, `/at-once-${at}`)));
    await files.close();
    const paths = targets(await content('study-20261120120000-00001.warc.gz'));
    expect(paths).toEqual(Array.from({ length: 20 }, (_, at) => Array(3).fill(`/at-once-${at}`)).flat());
  });

  it('stay valid when a record cannot be made, and continue', async () => {
    const files = makeFiles();
    await files.open();
    await append(files, '/before');
    await expect(files.append(() => Promise.reject(new Error('no body')))).rejects.toMatchObject({
      code: 'archive-failed',
    });
    const torn = { bytes: 9, read: missingBody, remove: async () => undefined };
    const block = { head: NOTHING, payload: torn };
    const digests = { block: 'sha256:00', payload: 'sha256:00' };
    const record = createRecord('response', [['WARC-Target-URI', 'https://example.org/torn']], block, digests);
    await expect(files.append(async () => [record])).rejects.toMatchObject({
      code: 'archive-failed',
    });
    await append(files, '/after');
    await files.close();
    const [warc = ''] = (await names()).filter((name) => name.endsWith('.warc.gz'));
    expect(new Set(targets(await content(warc)))).toEqual(new Set(['/before', '/after']));
  });

  it('report the path if they cannot be written', async () => {
    await writeFile(join(folder, 'taken'), '');
    const files = new WarcFiles({
      ...({} as ConstructorParameters<typeof WarcFiles>[0]),
      folder: join(folder, 'taken'),
    });
    await expect(files.open()).rejects.toMatchObject({
      code: 'archive-failed',
      message: expect.stringContaining('taken'),
    });
  });
});

describe('what a killed run left', () => {
  it('is cut after its last complete record, at whatever byte it was torn', async () => {
    const files = makeFiles();
    await files.open();
    await append(files, '/first', Buffer.alloc(200_000, 'a long body that needs more than one read '));
    const openName = (await names()).find((name) => name.endsWith(`.warc.gz${OPEN_SUFFIX}`)) ?? '';
    const path = join(folder, openName);
    const firstEnd = (await stat(path)).size;
    await append(files, '/second');
    const whole = (await stat(path)).size;
    const kept = join(folder, 'kept');
    await copyFile(path, kept);
    await files.close();
    const last = openName.slice(0, -OPEN_SUFFIX.length);
    const lengths = Array.from({ length: whole - firstEnd + 1 }, (_, at) => firstEnd + at);
    // Every byte of the gzip member's trailer, and a sample of the rest.
    for (const length of lengths.filter((each) => each > whole - 10 || each % 43 === 0 || each === firstEnd)) {
      for (const name of await names()) if (name !== 'kept') await rm(join(folder, name));
      await copyFile(kept, path);
      await truncate(path, length);
      await recoverWarcs(folder);
      const paths = targets(await content(last));
      expect(paths.filter((each) => each === '/first')).toHaveLength(3);
      // The last exchange may be cut between its records, but every record is complete.
      const index = await readFile(join(folder, last.replace('.warc.gz', '.cdxj')), 'utf8');
      expect(index.trimEnd().split('\n')).toHaveLength(length === whole ? 2 : 1);
      expect((await stat(join(folder, last))).size).toBeLessThanOrEqual(length);
    }
  });

  it('is removed if it holds no complete record', async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from([0x1f]),
      Buffer.from('no gzip at all'),
      Buffer.alloc(100_000, 7),
    ]) {
      await writeFile(join(folder, `study-1.warc.gz${OPEN_SUFFIX}`), bytes);
      await recoverWarcs(folder);
      expect(await names()).toEqual([]);
    }
  });

  it('is not changed if it was complete, and the next run continues after it', async () => {
    const killed = makeFiles();
    await killed.open();
    // A killed process leaves the file closed, but not renamed.
    onTestFinished(() => killed.close().catch(() => undefined));
    await append(killed, '/a');
    const next = makeFiles();
    await next.open();
    await append(next, '/b');
    await next.close();
    const warcs = (await names()).filter((name) => name.endsWith('.warc.gz'));
    expect(warcs.map((name) => name.slice(-13, -8))).toEqual(['00001', '00002']);
    const sibling = (end: string) => readFile(join(folder, `study-20261120120000-00001.${end}`), 'utf8');
    expect(await sibling('cdxj')).toContain('https://example.org/a');
    expect(JSON.parse(await sibling('pages.jsonl'))).toMatchObject({
      url: 'https://example.org/a',
      title: 'A page',
      seed: true,
    });
  });
});
