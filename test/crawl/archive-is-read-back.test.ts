// An archive is evidence only if other programs can read it: every exchange is in it once, every digest is right, and
// the index leads to each record.

import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { memorySink, packageArchive, replay } from 'mannerly';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CrawlStory, crawl, type TestCrawlOptions } from '../support/crawl.js';
import {
  asByWarcio,
  indexedByWarcio,
  type ReadRecord,
  readIndexes,
  readRecords,
  recordFaults,
  warcNames,
} from '../support/warc.js';
import { page, type Routes, redirect, startWeb, text, type Web } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';
import { unzipped } from '../support/zip.js';

const CODED = page('coded', ['/']);

/** A site with every kind of content and answer. */
const SITE: Routes = {
  '/robots.txt': text('User-agent: *\nDisallow: /closed'),
  '/': page('a', ['/b', '/c', '/closed', '/moved', '/gone', '/coded', '/kept-out', '/cut', '/dead', '/latin']),
  '/b': page('same'),
  '/c': page('same'),
  '/moved': redirect('/b'),
  '/coded': { body: gzipSync(CODED), headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' } },
  '/kept-out': page('not for archives', ['/link-of-it'], '<meta name="robots" content="noarchive">'),
  '/cut': { body: page('long').padEnd(70_000, ' '), headers: { 'content-type': 'text/html' } },
  '/dead': {
    status: 410,
    body: page('gone', [], '<meta name="robots" content="noarchive">'),
    headers: { 'content-type': 'text/html' },
  },
  '/latin': {
    body: Buffer.from('caf\u00e9', 'latin1'),
    headers: { 'content-type': 'text/plain; charset=latin1', 'x-name': 'M\u00fcnchen' },
  },
};

/** Crawls the site into an archive. */
async function archived(
  options: Partial<TestCrawlOptions> = {},
  whenOver: (end: () => unknown) => void = (end) => onTestFinished(async () => void (await end())),
): Promise<{ out: string; web: Web; story: CrawlStory; folder: string }> {
  const out = await mkdtemp(join(tmpdir(), 'test-out-'));
  const web = await startWeb({ hosts: { 'a.test': SITE } });
  whenOver(() => rm(out, { recursive: true, force: true }));
  whenOver(() => web.close());
  const network = { maxBodyBytes: 65_536 };
  const story = await crawl({ seeds: [web.url('a.test')], out, archive: true, network, ...options });
  return { out, web, story, folder: join(out, 'archive') };
}

describe('an archive', () => {
  /** One crawl for most tests: they only read it. */
  let once: Awaited<ReturnType<typeof archived>>;
  let records: readonly ReadRecord[];
  const leftOver: (() => unknown)[] = [];
  beforeAll(async () => {
    once = await archived({}, (end) => leftOver.push(end));
    records = await readRecords(once.folder);
  });
  afterAll(async () => {
    for (const end of leftOver) await end();
  });

  it('holds every exchange of the crawl once, with valid records and correct digests', async () => {
    const { web, story } = once;
    expect(recordFaults(records)).toEqual([]);
    const requests = records.filter(({ type }) => type === 'request');
    expect(requests.map(({ url }) => url).sort()).toEqual(story.requests.map(({ url }) => url).sort());
    expect(requests.map(({ url }) => new URL(url).pathname).sort()).toEqual(web.paths('a.test').sort());
    expect(requests.length).toBeGreaterThan(9);
    // One request record, one metadata record, and at most one response record for each exchange.
    expect(records.filter(({ type }) => type === 'metadata').length).toBe(requests.length);
    expect(records[0]?.type).toBe('warcinfo');
    expect(records.map(({ fields }) => fields.get('WARC-IP-Address') ?? '127.0.0.1')).toEqual(
      records.map(() => '127.0.0.1'),
    );
  });

  it('keeps requests and responses as they were on the wire', async () => {
    const { web } = once;
    const of = (type: string, path: string) =>
      records.find((each) => each.type === type && each.url === web.url('a.test', path));
    const request = of('request', '/coded')?.block.toString('latin1') ?? '';
    expect(request).toMatch(/^GET \/coded HTTP\/1\.1\r\nhost: a\.test:\d+\r\n/);
    expect(request).toContain('User-Agent: test-bot/1.0 (+https://example.org/our-crawler)\r\n');
    const coded = of('response', '/coded');
    expect(coded?.payload.equals(gzipSync(CODED))).toBe(true);
    expect(coded?.block.toString('latin1')).toMatch(
      /^HTTP\/1\.1 200 OK\r\ncontent-type: text\/html\r\ncontent-encoding: gzip\r\n/,
    );
    // Bytes, not characters: bytes that are not UTF-8 are stored unchanged.
    expect(of('response', '/latin')?.payload).toEqual(Buffer.from('caf\u00e9', 'latin1'));
    expect(of('response', '/latin')?.block.includes(Buffer.from('x-name: M\u00fcnchen', 'latin1'))).toBe(true);
    expect(of('response', '/moved')?.block.toString('latin1')).toContain('HTTP/1.1 302');
  });

  it('marks what was cut, and refers to an earlier payload instead of keeping it twice', async () => {
    const { web } = once;
    const cut = records.find(({ type, url }) => type === 'response' && url.endsWith('/cut'));
    expect(cut?.fields.get('WARC-Truncated')).toBe('length');
    const [first, second] = records.filter(({ url, type }) => /\/[bc]$/.test(url) && /response|revisit/.test(type));
    expect([first?.type, second?.type]).toEqual(['response', 'revisit']);
    expect(second?.fields.get('WARC-Profile')).toBe('http://netpreserve.org/warc/1.1/revisit/identical-payload-digest');
    expect(second?.fields.get('WARC-Refers-To-Target-URI')).toBe(first?.url);
    expect(second?.payload.length).toBe(0);
    expect(web.paths('a.test')).toContain('/c');
  });

  it('says of every exchange where its URL was found, also of a redirect and an error', () => {
    const { web } = once;
    const found = records.flatMap(({ type, url, payload }) =>
      type === 'metadata' ? [[new URL(url).pathname, /^via: (.*)\r$/m.exec(payload.toString())?.[1] ?? null]] : [],
    );
    const home = web.url('a.test', '/');
    expect(Object.fromEntries(found)).toMatchObject({
      '/robots.txt': null,
      '/': null,
      '/moved': home,
      '/gone': home,
      '/dead': home,
      '/coded': home,
    });
  });

  it('leaves out what asks not to be archived, with any status, and reports it', async () => {
    const { web } = once;
    for (const path of ['/kept-out', '/dead']) {
      const of = records.filter(({ url }) => url === web.url('a.test', path));
      expect(of.map(({ type }) => type)).toEqual(['request', 'metadata']);
      expect(of[1]?.payload.toString()).toContain('withheld: noarchive\r\n');
    }
    // Neither its title nor its links are there.
    expect(records.some(({ block }) => block.includes('not for archives'))).toBe(false);
    const outlinks = records.filter(({ block }) => /outlink: \S*link-of-it/.test(block.toString('latin1')));
    expect(outlinks).toEqual([]);
  });

  it('keeps it if an option says so, and keeps a robots.txt that must not be stored without its body', async () => {
    const web = await webForTest({
      hosts: {
        'b.test': {
          '/robots.txt': text('User-agent: *\nDisallow: /x', { 'cache-control': 'no-store' }),
          '/': SITE['/kept-out'] ?? '',
        },
      },
    });
    const { folder } = await archived({ seeds: [web.url('b.test')], pageLevel: { noarchive: 'ignore' } });
    const records = await readRecords(folder);
    expect(recordFaults(records)).toEqual([]);
    const responses = records.filter(({ type }) => type === 'response');
    expect(responses.slice(0, 2).map(({ payload }) => payload.includes('not for archives'))).toEqual([false, true]);
    expect(responses[0]?.payload.length).toBe(0);
    expect(responses[0]?.block.toString()).toContain('no-store');
  });

  it('can use the digests that older tools expect', async () => {
    const { folder } = await archived({ archive: { digest: 'sha-1' } });
    const records = await readRecords(folder);
    expect(recordFaults(records)).toEqual([]);
    expect(records.every(({ fields }) => /^sha1:[A-Z2-7]{32}$/.test(fields.get('WARC-Block-Digest') ?? ''))).toBe(true);
  });

  it('has the index that warcio makes of it', async () => {
    const { folder } = once;
    const lines = (await readIndexes(folder)).map(asByWarcio);
    expect(lines).toEqual(await indexedByWarcio(folder));
    expect(lines.length).toBeGreaterThan(7);
  });

  it('has its own folder if there is no crawl directory, and is refused without either', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'test-warc-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const web = await webForTest({ hosts: { 'a.test': SITE } });
    await crawl({ seeds: [web.url('a.test')], archive: { folder } });
    expect(await warcNames(folder)).toHaveLength(1);
    await expect(crawl({ seeds: [web.url('a.test')], archive: true })).rejects.toMatchObject({
      code: 'option-invalid',
    });
  });

  it('is written by one run at a time: another would take its open file for one that a killed run has left', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'test-warc-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const web = await webForTest({ hosts: { 'a.test': SITE } });
    const seeds = [web.url('a.test')];
    let second: unknown = null;
    const first = await crawl({
      seeds,
      archive: { folder },
      handlers: (crawler) =>
        crawler.on('html', async (each) => {
          second ??= await crawl({ seeds, archive: { folder } }).catch((error: unknown) => error);
          await each.follow();
        }),
    });
    expect(second).toMatchObject({ code: 'directory-in-use' });
    expect(await readdir(folder)).toHaveLength(3);
    const requests = (await readRecords(folder)).filter(({ type }) => type === 'request');
    expect(requests.map(({ url }) => url).sort()).toEqual(first.requests.map(({ url }) => url).sort());
  });

  it('continues in a new file when the crawl continues, and remembers its payloads', async () => {
    const { out, web, folder } = await archived({ bounds: { pages: 2 } });
    await crawl({ seeds: [web.url('a.test')], out, archive: true });
    expect(await warcNames(folder)).toHaveLength(2);
    const records = await readRecords(folder);
    expect(recordFaults(records)).toEqual([]);
    expect(records.filter(({ type }) => type === 'revisit').length).toBeGreaterThan(0);
    const requests = records.filter(({ type }) => type === 'request').map(({ url }) => new URL(url).pathname);
    expect(requests.sort()).toEqual(web.paths('a.test').sort());
  });
});

describe('a package', () => {
  it('holds the archive, its index and its pages, each with its digest', async () => {
    const identity = { name: 'Test-Bot', contact: 'https://example.org/our-crawler' };
    const { out, folder } = await archived({ archive: { wacz: true }, identity });
    const files = await unzipped(join(out, 'archive.wacz'));
    const [warc = ''] = await warcNames(folder);
    expect([...files.keys()]).toEqual([
      `archive/${warc}`,
      'indexes/index.cdxj',
      'pages/pages.jsonl',
      'datapackage.json',
      'datapackage-digest.json',
    ]);
    expect(files.get(`archive/${warc}`)?.isStored).toBe(true);
    expect(files.get(`archive/${warc}`)?.bytes.equals(await readFile(join(folder, warc)))).toBe(true);
    expect(files.get('indexes/index.cdxj')?.bytes.toString().trimEnd().split('\n')).toEqual(await readIndexes(folder));
    const described = JSON.parse(files.get('datapackage.json')?.bytes.toString() ?? '');
    // The pattern for names of the Data Package specification.
    for (const { name } of described.resources) expect(name).toMatch(/^[-a-z0-9._/]+$/);
    expect(described).toMatchObject({ profile: 'data-package', wacz_version: '1.1.1' });
    for (const { path, hash, bytes } of described.resources) {
      expect([path, hash, bytes]).toEqual([path, files.get(path)?.hash, files.get(path)?.bytes.length]);
    }
    expect(JSON.parse(files.get('datapackage-digest.json')?.bytes.toString() ?? '')).toEqual({
      path: 'datapackage.json',
      hash: files.get('datapackage.json')?.hash,
    });
    const pages = (files.get('pages/pages.jsonl')?.bytes.toString() ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(pages[0]).toMatchObject({ format: 'json-pages-1.0' });
    expect(pages.slice(1).map(({ title }) => title)).toContain('coded');
    expect(pages.slice(1).map(({ title }) => title)).not.toContain('not for archives');
  });

  it('can be made later from any crawl directory with an archive', async () => {
    const { out } = await archived();
    const summary = await packageArchive({ from: out });
    expect(summary).toMatchObject({ path: join(out, 'archive.wacz'), warcs: 1 });
    // A process that shared the directory with others has its own files.
    await rename(join(out, 'archive'), join(out, 'archive-2'));
    await writeFile(join(out, 'requests-2.jsonl'), '');
    expect(await packageArchive({ from: out })).toMatchObject({ warcs: 1 });
    const replayed = memorySink();
    await replay({ from: out, handlers: (to) => to.on('html', (each) => each.emit(each.url)), sinks: [replayed] });
    expect(replayed.items.map(({ data }) => String(data).replace(/.*\//, '/'))).toContain('/coded');
    await rm(join(out, 'archive-2'), { recursive: true });
    await expect(packageArchive({ from: out })).rejects.toMatchObject({ code: 'archive-missing' });
  });

  it('names an archive that the crawl keeps elsewhere, and packages a copy of it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'test-warc-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { out } = await archived({ archive: { folder } });
    const error = await packageArchive({ from: out }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'archive-missing', hint: expect.stringContaining(join(out, 'archive')) });
    expect(String(error)).toContain(`its last run wrote it to ${folder}`);
    await mkdir(join(out, 'archive'));
    await writeFile(join(out, 'archive', 'older.warc.gz'), '');
    await utimes(join(out, 'archive', 'older.warc.gz'), 1, 1);
    await expect(packageArchive({ from: out })).rejects.toThrow(/only an older archive: its last run wrote it to/);
    await rm(join(out, 'archive'), { recursive: true });
    await cp(folder, join(out, 'archive'), { recursive: true });
    expect(await packageArchive({ from: out })).toMatchObject({ warcs: 1 });
  });
});
