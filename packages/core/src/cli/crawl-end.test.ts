// The last lines of a crawl are what a newcomer reads next. If a path there cannot be pasted, they cannot find the
// result.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { testSite, who } from '../../test-support/test-site.js';
import { resultFilesText } from './crawl-end.js';
import { runCommand } from './program.js';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-results-'));
});
afterEach(() => rmSync(base, { recursive: true }));

it('paths are relative to the working directory, even if the configuration made them absolute', () => {
  const text = resultFilesText(join(base, 'tides'), false, { csv: join(base, 'tides.csv') }, base);
  expect(text).toBe(
    [
      'Items:  tides/items.jsonl, tides.csv',
      'Report: mannerly report tides (host by host; writes tides/report.html)',
      'Logs:   tides/requests.jsonl, decisions.jsonl',
      'Why a URL was fetched or not: mannerly explain tides <url or host>',
    ].join('\n'),
  );
  expect(resultFilesText(base, false, {}, base)).toContain('Items:  items.jsonl');
  expect(resultFilesText(base, false, {}, base)).toContain('mannerly report . ');
});

it('servers that have the items are named, without what may be a password', () => {
  const sinks = { postgres: 'env:DATABASE_URL', webhook: 'https://me:secret@intake.test/', s3: 'https://s3.test/b' };
  const text = resultFilesText(base, false, { sqlite: join(base, 'a.db'), ...sinks }, base);
  expect(text.split('\n')[0]).toBe(
    'Items:  items.jsonl, a.db, postgres env:DATABASE_URL, webhook https://***@intake.test/, s3 https://s3.test/b',
  );
});

it('paths elsewhere stay absolute, and missing logs are not named', () => {
  writeFileSync(join(base, 'rejected.jsonl'), '');
  const text = resultFilesText(base, false, {}, join(base, 'elsewhere'));
  expect(text).toContain(`Items:  ${base}/items.jsonl\n`);
  expect(text).toContain(`Logs:   ${base}/requests.jsonl, decisions.jsonl, rejected.jsonl\n`);
  expect(text).not.toContain('errors');
});

it('the archive is named, with its package, or with what packages those of several processes', () => {
  mkdirSync(join(base, 'archive'));
  expect(resultFilesText(base, false, {}, base)).toContain('\nWARC:   archive/\n');
  writeFileSync(join(base, 'archive.wacz'), '');
  expect(resultFilesText(base, false, {}, base)).toContain('\nWARC:   archive/, archive.wacz\n');
  expect(resultFilesText(base, true, {}, base)).toContain('\nWARC:   archive*/ (as one file: mannerly wacz .)\n');
});

it('each of several processes has its own files', () => {
  writeFileSync(join(base, 'warnings-2.jsonl'), '');
  const text = resultFilesText(base, true, {}, base);
  expect(text).toContain('Items:  items-*.jsonl (together: mannerly export .)');
  expect(text).toContain('Logs:   requests-*.jsonl, decisions-*.jsonl, warnings-*.jsonl\n');
});

it.each([true, false])('files of all runs are named together (several processes now: %s)', (isShared) => {
  for (const name of ['requests.jsonl', 'requests-1.jsonl', 'warnings-1.jsonl']) writeFileSync(join(base, name), '');
  const text = resultFilesText(base, isShared, {}, base);
  expect(text).toContain('Items:  items*.jsonl (together: mannerly export .)');
  expect(text).toContain('Logs:   requests*.jsonl, decisions*.jsonl, warnings*.jsonl\n');
});

it('a crawl prints them last, with --json on standard error', async () => {
  const site = await testSite([]);
  const argv = ['crawl', `${site.url}/`, ...who, '--no-config', '--interval', '0', '--out', join(base, 'out')];
  try {
    const io = fakeIo();
    expect(await runCommand(argv, io)).toBe(0);
    const text = resultFilesText(join(base, 'out'), false);
    expect(io.outLines.join('\n').endsWith(text), io.outLines.join('\n')).toBe(true);
    const asJson = fakeIo();
    await runCommand([...argv, '--json'], asJson);
    expect(JSON.parse(asJson.outLines.join('\n'))).toMatchObject({ alreadyFinished: true });
    expect(asJson.errLines.at(-1)).toBe(text);
  } finally {
    await site.close();
  }
});
