// Archives by other programs: the cost of reading a record does not depend on the chunks in which it arrives, and a
// record that is longer than any of ours is skipped.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readExchanges, readRequests } from './read-archive.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-archive-'));
});
afterAll(() => rm(folder, { recursive: true }));

const record = (type: string, length: number): string =>
  `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Target-URI: https://a.example/\r\nContent-Length: ${length}\r\n\r\n`;
const write = (...members: readonly string[]) =>
  writeFile(join(folder, 'a.warc.gz'), Buffer.concat(members.map((member) => gzipSync(member))));

it('a header section that comes byte by byte takes linear time', async () => {
  const copied = async (length: number): Promise<number> => {
    await write(record('request', length), ...'a'.repeat(length));
    const concat = vi.spyOn(Buffer, 'concat');
    const read = [];
    for await (const { url } of readRequests(folder)) read.push(url);
    expect(read).toEqual(['https://a.example/']);
    const bytes = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    concat.mockRestore();
    return bytes;
  };
  const [once, twice, fourTimes] = [await copied(500), await copied(1_000), await copied(2_000)];
  expect(twice / once).toBeLessThan(2.3);
  expect(fourTimes / twice).toBeLessThan(2.3);
});

it('a record about an exchange that is longer than any of ours is skipped', async () => {
  const about = 'purpose: handler\r\n';
  const request = `${record('request', 4)}\r\n\r\n\r\n\r\n`;
  const purposes = async (length: number): Promise<readonly string[]> => {
    await write(request, `${record('metadata', length)}${about}\r\n\r\n`);
    const found = [];
    for await (const { purpose } of readExchanges(folder)) found.push(purpose);
    return found;
  };
  expect(await purposes(about.length)).toEqual(['handler']);
  expect(await purposes(200_000_001)).toEqual(['page']);
});

it('a file ends where the head of a record is longer than any of ours', async () => {
  const request = `${record('request', 4)}\r\n\r\n\r\n\r\n`;
  const long = request.replace('WARC-Type', `X: ${'a'.repeat(2 ** 21)}\r\nWARC-Type`);
  await write(request, request, long, request);
  const damaged: number[] = [];
  const read = [];
  for await (const { url } of readRequests(folder, (_, records) => damaged.push(records))) read.push(url);
  expect([read.length, damaged]).toEqual([2, [2]]);
});

it('conversions that no crawl writes are not kept', async () => {
  const { WARCRecord } = await import('warcio');
  const readFully = vi.spyOn(WARCRecord.prototype, 'readFully');
  const conversion = record('conversion', 1).replace('WARC-Type', 'Content-Type: text/x\r\nWARC-Type');
  await write(`${record('request', 4)}\r\n\r\n\r\n\r\n`, `${conversion}a\r\n\r\n`);
  for await (const { url } of readExchanges(folder)) expect(url).toBe('https://a.example/');
  expect(readFully).not.toHaveBeenCalled();
  readFully.mockRestore();
});

it('a file that ends within a skipped record is read to its end', async () => {
  await write(`${record('request', 4)}\r\n\r\n\r\n\r\n`, `${record('response', 1_000)}HTTP/1.1 200 OK\r\n`);
  const read = [];
  for await (const { url } of readRequests(folder)) read.push(url);
  expect(read).toEqual(['https://a.example/']);
});
