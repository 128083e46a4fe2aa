// What people ask of a crawl that has stopped: why not this page, what is left, and a retry of the failures. If this
// breaks, a queued page is reported as unknown, and a failure can only be fixed by starting over.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlReport, Explanation, QueueListing } from 'mannerly';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { run } from '../../test-support/run-command.js';
import { type TestSite, testSite, who } from '../../test-support/test-site.js';
import { openCrawlDirectory } from '../directory/crawl-directory.js';
import { runCommand } from './program.js';

let base: string;
let out: string;
let site: TestSite;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-questions-'));
  out = join(base, 'crawl');
  site = await testSite(['/1', '/2', '/3', '/closed']);
});

afterEach(async () => {
  await site.close();
  rmSync(base, { recursive: true });
});

async function crawl(...more: string[]): Promise<CrawlReport & { code: number }> {
  const argv = ['crawl', `${site.url}/`, ...who, '--interval', '0', '--out', out, '--json', ...more];
  const result = await run(...argv);
  return { ...(JSON.parse(result.out) as CrawlReport), code: result.code };
}

describe('mannerly explain', () => {
  it('shows an undecided URL as queued: where, since which page, and which bound keeps it there', async () => {
    await crawl('--pages', '2');
    site.requestedPaths.length = 0;
    const { code, out: text } = await run('explain', out, `${site.url}/3#part`);
    expect(code).toBe(0);
    expect(text).toMatch(/(Queued|Held): /);
    expect(text).toContain(`Queued for 127.0.0.1 in priority 4: link on ${site.url}/, depth 1.`);
    expect(text).toMatch(/robots\.txt allows it/);
    expect(text).toMatch(/bound of pages is used up[\s\S]*No run has the directory/);
    expect(site.requestedPaths).toEqual([]);
  });

  it('mentions a decision that is later than now, as after a crawl with a wrong clock', async () => {
    await crawl('--pages', '2');
    const io = fakeIo();
    const notes: boolean[] = [];
    // The clock of this command begins in 1970.
    for (const passedMs of [0, Date.now()]) {
      io.advance(passedMs);
      await runCommand(['explain', out, `${site.url}/`], io);
      notes.push(io.outLines.splice(0).join().includes('That is later than now by the clock of this machine'));
    }
    expect(notes).toEqual([true, false]);
  });

  it('uses the tracking parameters of the crawl, as its runs do', async () => {
    await crawl('--drop-tracking');
    const tagged = `${site.url}/1?utm_source=x`;
    expect((await run('explain', out, tagged)).out).toContain(`counts as the same URL: ${site.url}/1`);
    const json = JSON.parse((await run('explain', out, tagged, '--json')).out) as Explanation;
    expect(json.inspection?.isKnown).toBe(true);
  });

  it('names the spelling under which an unknown URL is known, and none for a URL that was never found', async () => {
    await crawl();
    const { out: text } = await run('explain', out, `${site.url}/%31?#part`);
    expect(text).toContain(`The log has another spelling of it, which counts as the same URL: ${site.url}/1`);
    expect((await run('explain', out, `${site.url}/never`)).out).not.toContain('another spelling');
    expect((await run('explain', out, `${site.url}/1?utm_source=x`)).out).not.toContain('another spelling');
  });

  it('shows a host: its queue, its interval and who asked for it, its robots.txt with hash and time', async () => {
    await crawl('--pages', '2');
    const { code, out: text } = await run('explain', out, '127.0.0.1');
    expect(code).toBe(0);
    expect(text).toMatch(/2 URLs queued, 0 in flight/);
    expect(text).toMatch(/Interval 0 s \(profile\)/);
    expect(text).toMatch(/\/robots\.txt: rules, status 200, copy [0-9a-f]{64} of \d{4}-.*, used until \d{4}-/);
    const json = JSON.parse((await run('explain', out, '127.0.0.1', '--json')).out) as Explanation;
    expect(json.host).toMatchObject({ queued: 2, isParked: false });
  });

  it('shows the robots.txt of a host whatever its port, also with nothing queued and while a run has the queue', async () => {
    await crawl();
    const file = new RegExp(`${site.url}/robots\\.txt: rules, status 200, copy [0-9a-f]{64} of \\d{4}-`);
    expect((await run('explain', out, '127.0.0.1')).out).toMatch(file);
    expect((await run('explain', out, new URL(site.url).host)).out).toMatch(file);
    const crawlIs = { name: 'tester', tokens: ['tester'], seeds: [`${site.url}/`] };
    const { release } = await openCrawlDirectory(out, crawlIs);
    const logged = await run('explain', out, '127.0.0.1');
    await release();
    expect(logged.out).toMatch(
      new RegExp(`${site.url}/robots\\.txt: status 200, copy [0-9a-f]{64}, requested \\d{4}-`),
    );
  });

  it.each([
    ['/', /Fetched\./],
    ['/closed', /Excluded[\s\S]*Line \d+ reads: Disallow: \/closed/],
    ['/never', /Unknown/],
  ])('%s: %s', async (path, says) => {
    await crawl('--pages', '2');
    expect((await run('explain', out, `${site.url}${path}`)).out).toMatch(says);
  });

  it('answers from the logs while a run has the directory, and says so', async () => {
    await crawl('--pages', '2');
    const crawlIs = { name: 'tester', tokens: ['tester'], seeds: [`${site.url}/`] };
    const { release } = await openCrawlDirectory(out, crawlIs);
    const url = await run('explain', out, `${site.url}/`);
    const host = await run('explain', out, '127.0.0.1');
    const queue = await run('queue', out);
    await release();
    expect(url.out).toMatch(/Fetched[\s\S]*From the logs alone: .*in use by process/);
    expect(host.out).toMatch(/3 requests[\s\S]*From the logs alone/);
    expect(queue).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/in use by process \d+/) });
  });
});

describe('mannerly queue', () => {
  it('lists the queue in parts, each with the command for the next', async () => {
    await crawl('--pages', '1');
    const all = JSON.parse((await run('queue', out, '--json')).out) as QueueListing;
    expect(all).toMatchObject({ cursor: null });
    expect(all.items.map(({ record }) => record.url)).toEqual(['/1', '/2', '/3'].map((path) => site.url + path));
    const first = await run('queue', out, '--limit', '2');
    const cursor = /--cursor '(.*)'$/.exec(first.out)?.[1] ?? '';
    expect(first.out.split('\n')).toHaveLength(3);
    expect(first.out).toContain(`${site.url}/1  (priority 4, depth 1, link on ${site.url}/)`);
    const rest = await run('queue', out, '--limit', '2', '--cursor', cursor);
    expect(rest.out).toContain(`${site.url}/3 `);
    expect(rest.out).not.toContain('More:');
  });

  it('lists one host only, and a finished crawl', async () => {
    await crawl('--pages', '1');
    expect((await run('queue', out, '--host', '127.0.0.1')).out.split('\n')).toHaveLength(3);
    expect((await run('queue', out, '--host', 'other.test')).out).toBe('Nothing is queued.');
    await crawl();
    expect(await run('queue', out)).toMatchObject({ code: 0, out: 'Nothing is queued.' });
  });
});

describe('mannerly crawl --retry', () => {
  it('requests only the failures that it names once more', async () => {
    site.statuses.set('/1', 404).set('/2', 410);
    const before = await crawl();
    expect(before.outcomes['failed']).toEqual({ 'status-404': 1, 'status-410': 1 });
    site.statuses.clear();
    site.requestedPaths.length = 0;
    const after = await crawl('--retry', 'status-404', '--retry-host', '127.0.0.1', '--retry-since', '2020-01-01');
    expect(site.requestedPaths).toEqual(['/1']);
    expect(after).toMatchObject({ code: 0, state: 'finished', alreadyFinished: false });
    expect((await run('explain', out, `${site.url}/1`)).out).toMatch(/Fetched\./);
    await crawl('--retry', 'all');
    expect(site.requestedPaths).toEqual(['/1', '/2']);
  });

  it.each([
    ['another reason', ['--retry', 'timeout-*']],
    ['another host', ['--retry', 'all', '--retry-host', 'other.test']],
    ['a later time', ['--retry', 'all', '--retry-since', '2999-01-01']],
  ])('of %s makes no request', async (_, flags) => {
    site.statuses.set('/1', 404);
    await crawl();
    site.requestedPaths.length = 0;
    expect(await crawl(...flags)).toMatchObject({ code: 0, alreadyFinished: true });
    expect(site.requestedPaths).toEqual([]);
  });

  it('respects the bounds of the whole crawl', async () => {
    site.statuses.set('/1', 404);
    await crawl('--pages', '4');
    site.requestedPaths.length = 0;
    expect(await crawl('--pages', '4', '--retry', 'all')).toMatchObject({ code: 4, state: 'bounded' });
    expect(site.requestedPaths).toEqual([]);
    await crawl('--pages', '5', '--retry', 'all');
    expect(site.requestedPaths).toEqual(['/1']);
  });

  it.each([
    ['where there is no crawl', ['--retry', 'all'], /nothing to retry/],
    ['next to a reset', ['--retry', 'all', '--reset'], /contradict/],
    ['with a host alone', ['--retry-host', 'a.test'], /--retry all/],
    ['since no date', ['--retry', 'all', '--retry-since', 'yesterday'], /--retry-since.*yesterday.*2026-05-01/],
  ])('%s is a wrong call', async (_, flags, says) => {
    const { code, err } = await run('crawl', `${site.url}/`, ...who, '--out', out, ...flags);
    expect({ code, paths: site.requestedPaths }).toEqual({ code: 2, paths: [] });
    expect(err).toMatch(says);
  });
});
