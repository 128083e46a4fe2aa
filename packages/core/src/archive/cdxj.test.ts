// The index leads readers to records: sorted over all files, with bounded memory.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { getSurt } from 'warcio/utils';
import { cdxjLine, mergeIndexes, parseCdxjLine } from './cdxj.js';
import { KnownPayloads } from './exchange-records.js';

const RECORD = { mime: 'text/html', status: 200, digest: 'sha256:00', offset: 5, length: 9, filename: 'a.warc.gz' };
const line = (path: string, at = 0): string =>
  cdxjLine(getSurt, { ...RECORD, url: `https://example.org${path}`, atMs: Date.UTC(2026, 10, 20) + at * 1000 });

/** Sorted indexes with these lines. */
async function indexes(...contents: readonly (readonly string[])[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-cdxj-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return Promise.all(
    contents.map(async (lines, at) => {
      const path = join(folder, `${at}.cdxj`);
      await writeFile(path, [...lines].sort().join(''));
      return path;
    }),
  );
}

async function merged(paths: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const each of mergeIndexes(paths)) lines.push(each);
  return lines;
}

it('a line has what a reader needs, and is read back', () => {
  expect(line('/a')).toBe(
    'org,example)/a 20261120000000 {"url":"https://example.org/a","mime":"text/html","status":"200","digest":"sha256:00","length":"9","offset":"5","filename":"a.warc.gz","date":"2026-11-20T00:00:00.000Z"}\n',
  );
  expect(parseCdxjLine(line('/a').trimEnd())).toMatchObject({
    url: 'https://example.org/a',
    timestamp: '20261120000000',
    offset: '5',
  });
  for (const odd of [
    '',
    'x',
    'a 1 {}',
    'a 20261120000000 {',
    'a 20261120000000 {"a"}',
    'a 20261120000000 {"filename":7}',
  ])
    expect(parseCdxjLine(odd)).toBeNull();
});

it('indexes are merged in one order, including empty ones', async () => {
  const paths = await indexes([line('/c'), line('/a', 1)], [], [line('/b'), line('/a'), line('/d')], [line('/a/b')]);
  const all = [line('/a'), line('/a', 1), line('/a/b'), line('/b'), line('/c'), line('/d')];
  expect(await merged(paths)).toEqual(all);
  expect(await merged([])).toEqual([]);
});

it('the latest payloads are remembered, up to a bound', async () => {
  const memory = new KnownPayloads(3);
  for (let at = 0; at < 5; at += 1) memory.keep(`sha256:${at}`, { url: `https://example.org/${at}`, date: 'x' });
  expect([0, 1, 2, 3, 4].map((at) => memory.find(`sha256:${at}`) !== null)).toEqual([false, false, true, true, true]);
});

it('payloads of an earlier run are remembered from its index, revisits are not', async () => {
  const repeated = { ...RECORD, mime: 'warc/revisit', digest: 'sha256:01', url: 'https://example.org/r', atMs: 0 };
  const old = line('/old', 7)
    .replace('sha256:00', 'sha256:02')
    .replace(/,"date":"[^"]*"/, '');
  const [path = ''] = await indexes([line('/a', 7.5), cdxjLine(getSurt, repeated), old]);
  const memory = new KnownPayloads();
  await memory.readIndex(path);
  expect(memory.find('sha256:00')).toMatchObject({ url: 'https://example.org/a', date: '2026-11-20T00:00:07.500Z' });
  // Indexes of earlier versions have whole seconds.
  expect(memory.find('sha256:02')?.date).toBe('2026-11-20T00:00:07Z');
  expect(memory.find('sha256:01')).toBeNull();
});
