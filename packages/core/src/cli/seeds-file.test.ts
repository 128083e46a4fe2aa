// A user who crawls many sites has their URLs in a file. If a line is silently skipped, a site is missing from the
// results: an invalid URL must be reported with its line before any request.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { runWith } from '../../test-support/run-command.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';

let site: TestSite;
let folder: string;
let file: string;

beforeEach(async () => {
  site = await testSite([]);
  folder = await mkdtemp(join(tmpdir(), 'mannerly-seeds-'));
  file = join(folder, 'seeds.txt');
});
afterEach(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

function run(command: string, argv: readonly string[], input = '') {
  const where = ['--no-config', '--interval', '0', '--out', join(folder, 'out')];
  return runWith(fakeIo({ input }), command, ...argv, ...who, ...where);
}

const urls = (...paths: string[]): string => paths.map((path) => `${site.url}${path}\n`).join('');

describe('--seeds', () => {
  it('reads a URL per line, after those of the command line; skips blank lines and comments', async () => {
    await writeFile(file, `\uFEFF# harbours\r\n\r\n  ${site.url}/a \r\n${urls('/b')}\n# ${site.url}/no\n${site.url}/c`);
    const { code, err } = await run('crawl', [`${site.url}/first`, '--seeds', file]);
    expect(err).toContain('Crawling 4 seeds');
    expect({ code, paths: site.requestedPaths }).toEqual({
      code: 0,
      paths: ['/robots.txt', '/first', '/a', '/b', '/c'],
    });
    const { seeds } = JSON.parse(await readFile(join(folder, 'out', 'crawl.json'), 'utf8')) as { seeds: string[] };
    expect(seeds).toEqual(['/first', '/a', '/b', '/c'].map((path) => site.url + path));
  });

  it('- is standard input, and says that it is being read', async () => {
    const { code, err } = await run('crawl', ['--seeds', '-'], urls('/a', '/b'));
    expect(err).toMatch(/^Reading seeds from standard input\.\nCrawling 2 seeds/);
    expect({ code, paths: site.requestedPaths }).toEqual({ code: 0, paths: ['/robots.txt', '/a', '/b'] });
  });

  it('provides the seeds of a plan', async () => {
    await writeFile(file, urls('/a', '/b'));
    const { code, err } = await run('plan', ['--seeds', file]);
    expect(err).toContain('Planning a crawl of 2 seeds');
    expect(code).toBe(0);
  });

  it.each([
    ['https://a.test/\n\n# b\nb.test\n', /seeds\.txt:4: .*got "b\.test"\n.*did you mean https:\/\/b\.test\/\?/],
    ['ftp://a.test/', /seeds\.txt:1: .*got "ftp:\/\/a\.test\/"\n.*Only http and https/],
    ['https://a.test/ # mine', /seeds\.txt:1: expected one URL, got "https:\/\/a\.test\/ # mine"\n.*its own line/],
    ['https://a.test/\nhttps://b.test/ https://c.test/', /seeds\.txt:2: expected one URL, got/],
    ['# nothing\n', /seeds\.txt holds no seed\n.*one URL per line/],
    [Buffer.from([0xff, 0xfe, 0x68, 0]), /seeds\.txt is not UTF-8/],
    [Buffer.alloc(15 * 1024 * 1024 + 1, '\n'), /seeds\.txt has more than 15 MiB\n.*Split it/],
    ['https://a.test/\n'.repeat(100_001), /seeds\.txt:100001: a crawl has at most 100000 seeds/],
  ])('%# is refused before anything is requested', async (text, says) => {
    await writeFile(file, text);
    const { code, err } = await run('crawl', ['--seeds', file]);
    expect(err).toMatch(says);
    expect(err).not.toContain('Crawling');
    expect(code).toBe(2);
  });

  it('a missing file is named', async () => {
    const { code, err } = await run('plan', ['--seeds', join(folder, 'none.txt')]);
    expect(err).toMatch(/none\.txt cannot be read: ENOENT.*\n.*one URL per line, or - for standard input/);
    expect(code).toBe(2);
  });
});
