// Items on disk. A crash may come between any two bytes: complete lines stay, cut lines are removed, and a page that is
// handled again writes only what is missing.

import { appendFile, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idOfLine, itemLine, jsonlSink } from './jsonl.js';
import { type Item, memorySink, type Sink } from './sink.js';

const item = (id: string, data: Item['data'] = { n: 1 }, more: Partial<Item> = {}): Item => ({
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
  directory = await mkdtemp(join(tmpdir(), 'mannerly-jsonl-'));
  path = join(directory, 'items.jsonl');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const idsOnDisk = async (): Promise<string[]> => {
  const lines = (await readFile(path, 'utf8')).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => (JSON.parse(line) as { id: string }).id);
};

async function session(...batches: readonly Item[][]): Promise<void> {
  const sink = jsonlSink({ path });
  await sink.open();
  for (const batch of batches) await sink.write(batch);
  await sink.close();
}

describe('the line of an item', () => {
  const OURS = '"id":"h/e/0","url":"https://example.com/a","fetchedAt":"2026-11-20T00:00:00.000Z"';
  const rows: [data: Item['data'], expected: string][] = [
    [{ n: 1 }, `{${OURS},"n":1}`],
    [{}, `{${OURS}}`],
    [{ url: 'x', t: 'ü' }, `{${OURS.replace('https://example.com/a', 'x')},"t":"ü"}`],
    [{ id: 7, n: 1 }, `{${OURS},"data":{"id":7,"n":1}}`],
    [{ fetchedAt: 0 }, `{${OURS},"data":{"fetchedAt":0}}`],
    [[1, 2], `{${OURS},"data":[1,2]}`],
    ['text\n', `{${OURS},"data":"text\\n"}`],
    [null, `{${OURS},"data":null}`],
  ];
  it.each(rows)('%j', (data, expected) => {
    expect(itemLine(item('h/e/0', data))).toBe(`${expected}\n`);
  });

  it('has expiry and preferences if there are any', () => {
    const line = itemLine(
      item('h/e/0', {}, { expiresAtMs: Date.UTC(2027, 0, 1), preferences: { 'train-ai': 'disallow' } }),
    );
    expect(JSON.parse(line)).toMatchObject({
      expiresAt: '2027-01-01T00:00:00.000Z',
      preferences: { 'train-ai': 'disallow' },
    });
  });

  it.each(['h/e/0', 'a"b\\c', 'ü\n', ''])('returns the id %j', (id) => {
    expect(idOfLine(itemLine(item(id)))).toBe(id);
  });

  it.each(['', '{}', '{"url":"x","id":"y"}', '{"id":7}', '{"id":"x', '{"id":"\\q"}', 'null'])(
    'returns no id for %j',
    (line) => {
      expect(idOfLine(line)).toBeNull();
    },
  );
});

describe('a file of items', () => {
  it('holds each id once, in one session and over restarts', async () => {
    await session([item('a/0'), item('a/1')], [item('a/1'), item('b/0')], []);
    await session([item('b/0'), item('b/1')], [item('a/0')]);
    expect(await idsOnDisk()).toEqual(['a/0', 'a/1', 'b/0', 'b/1']);
  });

  it('recognises an id that is not ASCII, however long its line is', async () => {
    const long = { text: 'ü'.repeat(600_000) };
    await session([item('hüst/é/0', long), item('x/0')]);
    await session([item('hüst/é/0', long), item('x/0')]);
    expect(await idsOnDisk()).toEqual(['hüst/é/0', 'x/0']);
  });

  it('writes simultaneous pages in order', async () => {
    const sink = jsonlSink({ path });
    await sink.open();
    await Promise.all(Array.from({ length: 50 }, (_, n) => sink.write([item(`p${n}/0`), item(`p${n % 7}/0`)])));
    await sink.close();
    const ids = await idsOnDisk();
    expect(ids).toEqual(Array.from({ length: 50 }, (_, n) => `p${n}/0`));
  });

  it('is valid after a crash at any byte, and what is missing is written again', async () => {
    await session([item('a/0', { t: 'ü' }), item('a/1')]);
    const whole = await readFile(path);
    for (let length = 0; length <= whole.length; length += 1) {
      await writeFile(path, whole);
      await truncate(path, length);
      await session([item('a/0', { t: 'ü' }), item('a/1')]);
      expect(await readFile(path)).toEqual(whole);
    }
  });

  it('recognises the pages at the end of a long file, and cuts a torn line there', async () => {
    const pages = 20_000;
    const old = Array.from({ length: pages }, (_, n) => `{"id":"a/${n}/0","url":"x","t":"${'ü'.repeat(150)}"}\n`).join(
      '',
    );
    await writeFile(path, `${old}{"id":"a/torn/0","url":"https:`);
    const latest = Array.from({ length: 1_200 }, (_, back) => item(`a/${pages - 1 - back}/0`));
    await session([...latest, item('a/new/0')]);
    const after = await readFile(path, 'utf8');
    expect(after.startsWith(old)).toBe(true);
    expect(after.slice(old.length)).toMatch(/^\{"id":"a\/new\/0".*\}\n$/);
  });

  it('drops a torn line at open even if nothing is written', async () => {
    await session([item('a/0')]);
    const { size } = await stat(path);
    await appendFile(path, '{"id":"a/1","url":"https:');
    await session();
    expect((await stat(path)).size).toBe(size);
  });

  it('does not change lines that it did not write', async () => {
    await writeFile(path, 'not ours\n\n');
    await session([item('a/0')]);
    expect((await readFile(path, 'utf8')).split('\n').slice(0, 2)).toEqual(['not ours', '']);
  });

  it('has its lines in the file when a write resolves, synced or not', async () => {
    for (const sync of ['close', 'write'] as const) {
      const sink = jsonlSink({ path, sync });
      await sink.open();
      await sink.write([item(`${sync}/0`)]);
      expect(await idsOnDisk()).toContain(`${sync}/0`);
      await sink.close();
    }
  });

  it('refuses to write before it is open and after it is closed', async () => {
    const sink = jsonlSink({ path });
    await expect(sink.write([item('a/0')])).rejects.toThrow('not open');
    await sink.open();
    await sink.close();
    await expect(sink.write([item('a/0')])).rejects.toThrow('not open');
  });

  it('reports a missing directory', async () => {
    await expect(jsonlSink({ path: join(directory, 'no', 'x.jsonl') }).open()).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('appends, and never writes over what another has appended meanwhile', async () => {
    const sink = jsonlSink({ path });
    await sink.open();
    const other = await open(path, 'a');
    await other.write('other\n');
    await other.close();
    await sink.write([item('a/0')]);
    await sink.close();
    expect((await readFile(path, 'utf8')).startsWith('other\n{"id":"a/0"')).toBe(true);
  });
});

describe('items in memory', () => {
  it('hold each id once, in order', async () => {
    const sink = memorySink();
    const asSink: Sink = sink;
    await asSink.open();
    await asSink.write([item('a/0', 1), item('a/1', 2)]);
    await asSink.write([item('a/0', 3), item('b/0', 4)]);
    await asSink.close();
    expect(sink.items.map(({ data }) => data)).toEqual([1, 2, 4]);
  });
});
