// The archive on the command line: written by a crawl, packaged, and replayed without a request. If this breaks, a
// person who changed a handler has to crawl the sites again.

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { run, runWith } from '../../test-support/run-command.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';

let base: string;
let out: string;
let site: TestSite;

const lines = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

/** One crawl for all tests: they only read it. */
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-archive-'));
  out = join(base, 'crawl');
  site = await testSite(['/1', '/2', '/closed']);
  const csv = ['--csv', join(base, 'items.csv')];
  const { code } = await run(
    'crawl',
    `${site.url}/`,
    ...who,
    '--interval',
    '0',
    '--pages',
    '9',
    '--out',
    out,
    '--wacz',
    ...csv,
  );
  expect(code).toBe(0);
});

afterAll(async () => {
  await site.close();
  rmSync(base, { recursive: true });
});

describe('mannerly crawl', () => {
  it('archives and packages with --wacz, and writes a table with --csv', () => {
    expect(existsSync(join(out, 'archive.wacz'))).toBe(true);
    const table = readFileSync(join(base, 'items.csv'), 'utf8').split('\n');
    expect(table[0]).toBe('id,url,fetchedAt,expiresAt,preferences,title,status,depth,more');
    expect(table).toHaveLength(5);
  });

  it('exports the same table afterwards, from the items of all its processes', async () => {
    const table = join(base, 'exported.csv');
    expect(await run('export', out, '--csv', table)).toMatchObject({ code: 0, err: `3 items in ${table}.` });
    const rows = (path: string) => readFileSync(path, 'utf8').split('\n').toSorted();
    expect(rows(table)).toEqual(rows(join(base, 'items.csv')));
    // The second time, the file exists.
    expect((await run('export', out, '--csv', table)).code).not.toBe(0);
  });

  it('prints the conditions for the use of each item', async () => {
    const items = join(base, 'kept');
    cpSync(out, items, { recursive: true });
    const license = { document: 'https://example.org/l.xml', outcome: 'free' };
    const kept = [
      { id: 'a/1/0', url: 'http://a/', title: 'A', preferences: { 'train-ai': 'disallow' }, license },
      { id: 'a/2/0', url: 'http://a/2', title: 'B' },
    ];
    const file = readdirSync(items).find((name) => name.startsWith('items')) ?? '';
    writeFileSync(join(items, file), kept.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const printed = await run('export', items, '--preferences');
    expect(printed.out.split('\n').map((line) => JSON.parse(line))).toEqual([
      { id: 'a/1/0', url: 'http://a/', preferences: { 'train-ai': 'disallow' }, license },
      { id: 'a/2/0', url: 'http://a/2', preferences: {}, license: null },
    ]);
    const refused = await run('export', items, '--preferences', '--to', join(base, 'never.csv'));
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--preferences prints JSON lines');
  });

  it('refuses an invalid size for WARC files', async () => {
    const { code, err } = await run('crawl', `${site.url}/`, ...who, '--warc-bytes', '10');
    expect(code).toBe(2);
    expect(err).toMatch(/1048576/);
  });
});

describe('mannerly replay', () => {
  it('yields the same items as the crawl with the same handler, and makes no request', async () => {
    const before = site.requestedPaths.length;
    const result = await run('replay', out);
    expect(result).toMatchObject({ code: 0, err: '' });
    expect(result.out).toMatch(/^3 pages, 3 items: .*replayed\.jsonl$/);
    const byId = (path: string) => lines(path).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect(byId(join(out, 'replayed.jsonl'))).toEqual(byId(join(out, 'items.jsonl')));
    expect(site.requestedPaths.length).toBe(before);
  });

  it('ends at Ctrl-C after a page, and at once at the second, and says what is kept', async () => {
    const io = fakeIo();
    Object.assign(globalThis, { interrupt: io.interrupt });
    const file = join(base, 'interrupting.mjs');
    writeFileSync(
      file,
      'export const handlers = { html: async (page) => { await page.emit({}); interrupt(); interrupt(); } };',
    );
    const items = join(base, 'stopped.jsonl');
    const { code, out: printed, err } = await runWith(io, 'replay', out, '--handlers', file, '--items', items);
    expect(code).toBe(130);
    expect(io.exits).toEqual([130]);
    expect(printed).toBe(`1 page, 1 item: ${items}`);
    expect(err).toMatch(/^Stopping after the page.*\nStopped: the items of these pages are in .*stopped\.jsonl\..*:\n/);
    expect(err).toContain('remove it and run the same command');
  });

  const FILES: readonly (readonly [how: string, source: string])[] = [
    [
      'an object of routes',
      'export const handlers = { html: async (page) => { await page.emit({ t: page.title }) } };',
    ],
    [
      'a route with options',
      'export const handlers = { html: { handler: (page) => page.emit({ t: page.title }), maxBodyBytes: 9 } };',
    ],
    [
      'an object as `crawler.route` takes it',
      'export const handlers = { html: { handle: (page) => page.emit({ t: page.title }), maxBodyBytes: 9 } };',
    ],
    ['a function', "export default (routes) => { routes.on('html', (page) => page.emit({ t: page.title })) };"],
  ];
  it.each(FILES)('takes handlers from a file: %s', async (_how, source) => {
    const folder = mkdtempSync(join(base, 'handlers-'));
    const file = join(folder, 'handlers.mjs');
    writeFileSync(file, source);
    const items = join(folder, 'items.jsonl');
    const result = await run(
      'replay',
      out,
      '--handlers',
      file,
      '--items',
      items,
      '--csv',
      join(folder, 'items.csv'),
      '--json',
    );
    expect(result).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(result.out)).toMatchObject({ pages: 3, items: 3, failures: 0, itemsPath: items });
    expect(lines(items)).toContainEqual(expect.objectContaining({ t: '/1' }));
    expect(readFileSync(join(folder, 'items.csv'), 'utf8')).toContain('/2');
  });

  it.skipIf(!isBuiltin('node:sqlite'))('writes into the sinks of a crawl', async () => {
    const file = join(base, 'replayed.sqlite');
    const result = await run('replay', out, '--items', join(base, 'sqlite.jsonl'), '--sqlite', file);
    expect(result).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'latin1')).toContain('"title":"/1"');
    const again = await run('replay', out, '--items', join(base, 'sqlite-2.jsonl'), '--sqlite', file);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining(`${file} exists already`)]);
  });

  it('names the sink of a crawl that it cannot open', async () => {
    const result = await run('replay', out, '--items', join(base, 's3.jsonl'), '--s3', 'https://s3.example/');
    expect([result.code, result.err]).toEqual([2, expect.stringContaining('--s3 names no bucket')]);
  });

  it('names the pages for which a handler failed', async () => {
    const file = join(base, 'failing.mjs');
    writeFileSync(file, "export const handlers = { html: () => { throw new Error('no title') } };");
    const result = await run('replay', out, '--handlers', file, '--items', join(base, 'none.jsonl'));
    expect(result.code).toBe(1);
    expect(result.err).toMatch(/\/1 failed: Error: no title/);
  });

  it('lets handlers save, into a folder of the replay', async () => {
    const file = join(base, 'saving.mjs');
    writeFileSync(file, "export const handlers = { html: async (page) => page.emit(await page.save('copy.html')) };");
    const result = await run('replay', out, '--handlers', file, '--items', join(base, 'saved.jsonl'));
    expect(result).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(join(out, 'replayed-files', 'copy.html'), 'utf8')).toContain('<title>');
  });

  const REFUSALS: readonly (readonly [what: string, argv: () => string[], says: RegExp])[] = [
    ['a file that is there', () => [out, '--items', join(out, 'items.jsonl')], /exists already/],
    [
      'no such handlers',
      () => [out, '--handlers', join(base, 'no.mjs'), '--items', join(base, 'x')],
      /could not be loaded/,
    ],
    ['a directory without a crawl', () => [base], /holds no crawl/],
  ];
  it.each(REFUSALS)('refuses %s', async (_what, argv, says) => {
    const { code, err } = await run('replay', ...argv());
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });
});

describe('mannerly wacz', () => {
  it('packages an archive under the given name', async () => {
    const to = join(base, 'mine.wacz');
    const { code, out: output } = await run('wacz', out, '--to', to, '--title', 'Tides', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ path: to, warcs: 1 });
    expect(readFileSync(to).subarray(0, 2).toString()).toBe('PK');
  });
});
