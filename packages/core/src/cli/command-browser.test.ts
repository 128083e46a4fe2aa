// A missing browser is reported before a crawl begins, with what to install. The flags reach the fetcher.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it, onTestFinished } from 'vitest';
import { browserFetcher } from '../browser/browser-fetcher.js';
import { BROWSER_ROW } from '../options/browser-rows.js';
import { commandBrowser, findProgram } from './command-browser.js';
import { type CrawlFlags, withCrawlFlags } from './crawl-flags.js';
import { setUpCrawl } from './crawl-setup.js';

const WHO = ['--name', 'tidepool-study', '--contact', 'https://example.org/our-crawler'];

async function optionsFor(...args: string[]) {
  const command = withCrawlFlags(new Command().exitOverride());
  command.parse([...WHO, ...args], { from: 'user' });
  return (await setUpCrawl(['https://example.org/'], { ...command.opts<CrawlFlags>(), config: false })).options;
}

/** A folder with a program that is never started. */
function program(): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'chromium');
  writeFileSync(path, '');
  chmodSync(path, 0o755);
  return { folder, path };
}

const wants = (options: Awaited<ReturnType<typeof optionsFor>>, path: string): boolean | undefined =>
  options.fetcher?.renderer?.wants({ url: `https://example.org${path}`, label: null, headers: [] });

describe('the browser of the command', () => {
  it('is enabled by any of its flags, for the pages that they name', async () => {
    const own = ['--browser-program', program().path, '--browser-flag=--no-sandbox'];
    const every = await optionsFor('--browser', ...own);
    expect([wants(every, '/'), Object.keys(every)]).toEqual([true, expect.not.arrayContaining(['browser'])]);
    const some = await optionsFor('--browser-for', '/app/', '--browser-for', '/*?view=', ...own);
    expect(['/app/1', '/x?view=2', '/'].map((path) => wants(some, path))).toEqual([true, true, false]);
    expect((await optionsFor()).fetcher).toBeUndefined();
  });

  it('uses the proxy of the crawl', async () => {
    const own = ['--browser-program', program().path, '--browser-flag=--no-sandbox'];
    const { network } = await optionsFor('--browser', '--proxy', 'http://127.0.0.1:9', ...own);
    expect(network).toEqual({});
  });

  it.each<[string[], RegExp]>([
    [['--browser-program', '/nowhere/chromium'], /no program \/nowhere\/chromium/],
    [['--browser', '--browser-loads', 'beacon'], /--browser-loads/],
  ])('%j is a wrong call', async (args, message) => {
    await expect(optionsFor(...args)).rejects.toThrow(message);
  });

  const { shape } = BROWSER_ROW;
  const groups =
    shape.kind === 'either' ? shape.shapes.flatMap((each) => (each.kind === 'group' ? [each.rows] : [])) : [];
  const numbers = groups
    .flatMap((rows) => Object.entries(rows))
    .flatMap(([name, row]) => {
      return row.shape.kind === 'number' ? [[name, row.shape.range] as const] : [];
    });
  it.each(numbers)('has the range of browserFetcher for %s', (name, { min: least, max: most }) => {
    const make = (value: number) =>
      browserFetcher({ launch: () => Promise.reject(new Error('unused')), [name]: value });
    for (const value of [least, most]) expect(() => make(value)).not.toThrow();
    for (const value of [least - 1, most + 1]) expect(() => make(value)).toThrow(name);
  });

  it('says what to install', async () => {
    await expect(commandBrowser({ program: 'no-such-browser' }, undefined)).rejects.toMatchObject({
      hint: expect.stringMatching(/apt-get install chromium.*playwright-core install.*--browser-program/),
    });
  });

  it('is the first suitable program in the PATH', () => {
    const { folder, path } = program();
    expect(findProgram(['chrome', 'chromium'], ['/nowhere', folder].join(delimiter))).toBe(path);
    expect(findProgram([path], '')).toBe(path);
    expect(findProgram(['chromium'], '')).toBeNull();
  });

  it.skipIf(process.getuid?.() !== 0)('does not start as root with its sandbox, and says what to do', async () => {
    await expect(commandBrowser({ program: program().path }, undefined)).rejects.toMatchObject({
      message: expect.stringContaining('root'),
      hint: expect.stringContaining('--browser-flag=--no-sandbox'),
    });
  });
});
