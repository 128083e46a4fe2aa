// A table is for people and their tools: any tool must be able to read it, its columns must not change within a file,
// and no part of an item may be lost because it has no column.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { csvSink } from './csv.js';
import type { Item } from './sink.js';

const item = (id: string, data: Item['data'], more: Partial<Item> = {}): Item => ({
  id,
  url: 'https://example.com/a',
  fetchedAtMs: Date.UTC(2026, 10, 20),
  data,
  expiresAtMs: null,
  preferences: {},
  ...more,
});

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mannerly-csv-'));
  path = join(directory, 'items.csv');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function write(options: Partial<Parameters<typeof csvSink>[0]>, ...pages: readonly Item[][]): Promise<void> {
  const sink = csvSink({ path, ...options });
  await sink.open();
  for (const page of pages) await sink.write(page);
  await sink.close();
}

const text = (): Promise<string> => readFile(path, 'utf8');
const rows = async (): Promise<Record<string, string>[]> => parse(await text(), { columns: true });

describe('a CSV file', () => {
  it('keeps licences in their own column if the first page has one, otherwise in the last column', async () => {
    const license = {
      document: 'https://a.example/l',
      fetchedAtMs: 0,
      digest: null,
      outcome: 'free',
      element: null,
      price: null,
    };
    await write({}, [item('a/0', { n: 1 }, { license })], [item('b/0', { license: 'mine' }, { license })]);
    const [first, second] = await rows();
    expect(JSON.parse(first!['license']!)).toEqual(license);
    expect(JSON.parse(second!['license']!)).toEqual(license);
    expect(JSON.parse(second!['more']!)).toEqual({ license: 'mine' });
    await rm(path);
    await write({}, [item('a/0', { n: 1 })], [item('b/0', { n: 2 }, { license }), item('b/1', 'x', { license })]);
    await write({}, [item('c/0', { license: 'mine' }, { license })]);
    const found = (await rows()).map(({ more }) => (more === '' ? null : JSON.parse(more!)));
    expect(found).toEqual([null, { license }, { data: 'x', license }, { data: { license: 'mine' }, license }]);
  });

  it('has a column for each key of the first page, and the rest as JSON in the last', async () => {
    await write(
      {},
      [item('a/0', { title: 'A, "b"', n: 1 }), item('a/1', { tags: ['x'] })],
      [item('b/0', { n: 2, other: true })],
    );
    expect((await text()).split('\n')[0]).toBe('id,url,fetchedAt,expiresAt,preferences,title,n,tags,more');
    expect(await rows()).toMatchObject([
      {
        id: 'a/0',
        url: 'https://example.com/a',
        fetchedAt: '2026-11-20T00:00:00.000Z',
        title: 'A, "b"',
        n: '1',
        more: '',
      },
      { id: 'a/1', title: '', tags: '["x"]', more: '' },
      { id: 'b/0', n: '2', more: '{"other":true}' },
    ]);
  });

  const CELLS: readonly (readonly [value: Item['data'], cell: string])[] = [
    ['text', 'text'],
    ['', ''],
    [null, ''],
    [0, '0'],
    [-1.5, '-1.5'],
    [true, 'true'],
    [[1, 'a'], '[1,"a"]'],
    [{ a: null }, '{"a":null}'],
    ['line\nbreak\r\n"quoted", and more', 'line\nbreak\r\n"quoted", and more'],
    ['=SUM(A1)', '=SUM(A1)'],
  ];
  it.each(CELLS)('shows %j as %j', async (value, cell) => {
    await write({}, [item('a/0', { value })]);
    expect((await rows())[0]).toMatchObject({ value: cell, more: '' });
  });

  it('puts an apostrophe before a formula if an option says so', async () => {
    const data = { value: '=SUM(A1)', other: 'a=b', sum: '-1+2', less: -1.5, '@key': '+4', wide: '＝1' };
    await write({ escapeFormulas: true }, [item('a/0', data)]);
    const escaped = { value: "'=SUM(A1)", other: 'a=b', sum: "'-1+2", less: '-1.5', "'@key": '+4', wide: "'＝1" };
    expect((await rows())[0]).toMatchObject(escaped);
  });

  it('puts it where another country’s spreadsheet would begin a cell', async () => {
    const data = { value: 'a;=1+1;-2', line: '\n=1\n+1', tab: 'a\t@b', list: 'a; -b' };
    await write({ escapeFormulas: true }, [item('a/0', data)]);
    const escaped = { value: "a;'=1+1;'-2", line: "'\n'=1\n'+1", tab: "a\t'@b", list: 'a; -b' };
    expect((await rows())[0]).toMatchObject(escaped);
  });

  it('leaves a cell empty whose column has a name that every object has', async () => {
    await write({ columns: ['constructor', 'toString'] }, [item('a/0', { constructor: 'x' }), item('a/1', {})]);
    const cells = (await rows()).map((row) => [row['constructor'], row['toString']]);
    expect(cells).toEqual([
      ['x', ''],
      ['', ''],
    ]);
  });

  it('keeps items that are not objects, and keys that the page uses, in the last column', async () => {
    await write({}, [
      item('a/0', 'text'),
      item('a/1', [1]),
      item('a/2', { url: 'x', id: 7 }),
      item('a/3', { url: 'https://example.com/a' }),
    ]);
    expect((await rows()).map(({ url, more }) => [url, more])).toEqual([
      ['https://example.com/a', '"text"'],
      ['https://example.com/a', '[1]'],
      ['https://example.com/a', '{"url":"x","id":7}'],
      ['https://example.com/a', ''],
    ]);
  });

  it('has the requested columns in that order', async () => {
    await write({ columns: ['n', 'url', 'missing'] }, [item('a/0', { n: 1, t: 2 })]);
    expect(await text()).toBe('id,n,url,missing,more\na/0,1,https://example.com/a,,"{""t"":2}"\n');
  });

  it('keeps its columns over restarts, whatever items come', async () => {
    await write({}, [item('a/0', { n: 1 })]);
    await write({}, [item('b/0', { t: 'new' })]);
    expect((await rows())[1]).toMatchObject({ n: '', more: '{"t":"new"}' });
  });

  it.each([
    ['other columns are asked for', 'id,n,more\na/0,1,\n', ['t']],
    ['somebody else wrote it', 'name,age\nx,1\n', undefined],
  ])('is refused if %s, and not changed', async (_when, before, columns) => {
    await writeFile(path, before);
    const sink = csvSink({ path, ...(columns === undefined ? {} : { columns }) });
    await expect(sink.open()).rejects.toMatchObject({ code: 'option-invalid' });
    expect(await text()).toBe(before);
  });

  it('refuses to write before it is open and after it is closed', async () => {
    const sink = csvSink({ path });
    await expect(sink.write([item('a/0', 1)])).rejects.toThrow('not open');
    await sink.open();
    await sink.close();
    await expect(sink.write([item('a/0', 1)])).rejects.toThrow('not open');
  });

  it('recognises rows whose values have line breaks, and ids with quotes', async () => {
    const page = [item('a"b,c\nd/0', { t: 'x\n"y"\n' }), item('ü/0', { t: '"' })];
    await write({}, page);
    const before = await text();
    await write({}, page);
    expect(await text()).toBe(before);
  });
});
