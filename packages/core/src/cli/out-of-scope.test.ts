// A crawl that ends after its seeds because every link leads elsewhere looks like a broken crawler. It must say that
// its scope was too narrow, for which hosts, and which option includes them; and say nothing in other cases.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlReport, ScopeOptions } from 'mannerly';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { testSite, who } from '../../test-support/test-site.js';
import { outOfScopeText } from './crawl-end.js';
import { runCommand } from './program.js';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-scope-'));
});
afterEach(() => rmSync(base, { recursive: true }));

/** Crawls a site whose front page has these links. */
async function crawl(links: readonly string[], ...more: string[]): Promise<{ out: string; err: string }> {
  const site = await testSite(links);
  const io = fakeIo();
  const where = ['--no-config', '--interval', '0', '--out', join(base, 'out')];
  try {
    await runCommand(['crawl', `${site.url}/`, ...who, ...where, ...more], io);
  } finally {
    await site.close();
  }
  return { out: io.outLines.join('\n'), err: io.errLines.join('\n') };
}

describe('the last lines of a crawl', () => {
  const AWAY = ['http://b.test/1', 'http://b.test/2', 'http://c.test/', 'mailto:a@b.test'];
  const says =
    /\nEvery link led out of scope: 3 links, to b\.test \(2\), c\.test \(1\)\.\n {2}--within list --host b\.test .*\n {2}--within any .*\n.*scope\.within.*$/;

  it('say that every link was out of scope, to which hosts, and what includes them', async () => {
    expect((await crawl(AWAY)).out).toMatch(says);
  });

  it('say so on standard error with --json', async () => {
    expect((await crawl(AWAY, '--json')).err).toMatch(says);
  });

  it('name the paths that prefixes leave out', async () => {
    const { out } = await crawl(['/shop/a', '/shop/b'], '--include', '/$');
    expect(out).toMatch(
      /Every link led out of scope: 2 links, to 127\.0\.0\.1:\d+ \(2\)\.\n {2}--prefix or --include .*\/shop\/a/,
    );
    expect(out).not.toContain('--within any');
  });

  it.each([
    ['a link was followed', [...AWAY, '/a'], []],
    ['robots.txt closes a link in scope', [...AWAY, '/closed'], []],
    ['there is no link', [], []],
    ['a bound ended it before', [...AWAY, '/a'], ['--pages', '1']],
  ])('do not mention it if %s', async (_, links, more) => {
    expect((await crawl(links, ...more)).out).not.toContain('Every link led');
  });
});

describe('the option that includes them', () => {
  const closed = (...urls: string[]) =>
    urls.map((url) =>
      JSON.stringify({ url, status: 'dropped', reason: 'out-of-scope', layer: 'scope', depth: 1, atMs: 1 }),
    );
  const text = (scope: Omit<ScopeOptions, 'seeds'>, ...urls: string[]) => {
    writeFileSync(join(base, 'decisions.jsonl'), `${closed(...urls).join('\n')}\n`);
    const outcomes = { dropped: { 'out-of-scope': urls.length } };
    const report = { outcomes, queued: 0, pages: 1, scopeMoves: [] } as unknown as CrawlReport;
    return outOfScopeText(report, { seeds: ['https://docs.example.org/'], ...scope }, base);
  };

  it('is domain for a sibling host of the seed', async () => {
    const output = await text({}, 'https://www.example.org/', 'https://example.net/');
    expect(output).toContain('\n  --within domain opens www.example.org.\n');
  });

  it('is not domain if that is the scope already', async () => {
    expect(await text({ within: 'domain' }, 'https://example.net/')).not.toContain('--within domain');
  });

  it('names five hosts, and how many more there are', async () => {
    const urls = Array.from({ length: 8 }, (_, index) => `https://h${index}.test/`);
    expect(await text({}, ...urls)).toMatch(/8 links, to h0\.test \(1\), .*h4\.test \(1\) and 3 more\.\n/);
  });
});
