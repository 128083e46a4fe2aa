// An archive may come from a stranger. Whatever its fields say, a replay ends, and counts each page that cannot be read
// as failed: none is lost silently.

import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { memorySink, type ReplayRoutes, replay } from 'mannerly';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { crawl } from '../support/crawl.js';
import { page, startWeb, text } from '../support/web.js';

/** Values of every kind, each of which replaces one field after the other. */
const HOSTILE = [null, true, -1, 1e300, 8.64e15 + 1, 'x', [null], {}];

/** The records of a crawl's only WARC file, as text with one character per byte. */
let file: string;
let out: string;
let warc: string;
/** The same without the second page, whose payload equals the first one's. */
let short: string;

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'test-out-'));
  const web = await startWeb({
    hosts: {
      'a.test': {
        '/robots.txt': text('User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\nLicense: /l.xml'),
        '/l.xml': text(
          '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><payment type="free"/></license></content></rsl>',
        ),
        '/': page('a', ['/same']),
        '/same': page('a', ['/same']),
      },
    },
  });
  await crawl({ seeds: [web.url('a.test')], out, archive: true, purposes: ['search'], licensing: { read: 'always' } });
  await web.close();
  const folder = join(out, 'archive');
  file = join(folder, (await readdir(folder)).find((name) => name.endsWith('.warc.gz')) ?? '');
  warc = gunzipSync(await readFile(file)).toString('latin1');
  short = warc.slice(0, warc.lastIndexOf('WARC/1.1\r\nWARC-Type: request'));
  return () => rm(out, { recursive: true, force: true });
});

/** Replays the archive with a field changed in the page's record and in each record before it. */
async function replayed(name: string, change: (value: string) => string) {
  const changed = short.replaceAll(
    new RegExp(`Content-Length: (\\d+)(\\r\\n(?:[^\\r]+\\r\\n)*\\r\\n(?:[^\\r]+\\r\\n)*?${name}: )([^\\r]*)`, 'g'),
    (_all, length: string, between: string, value: string) => {
      const next = change(value);
      return `Content-Length: ${Number(length) + next.length - value.length}${between}${next}`;
    },
  );
  await writeFile(file, gzipSync(Buffer.from(changed, 'latin1')));
  const sink = memorySink();
  const report = await replay({
    from: out,
    handlers: (routes) =>
      routes.on('html', (page) => {
        const { url, fetchedAtMs, via, depth, label, license, links } = page;
        return page.emit({
          url,
          at: new Date(fetchedAtMs).toISOString(),
          via,
          depth,
          label,
          license,
          links: links.length,
        });
      }),
    sinks: [sink],
  });
  return { ...report, ids: sink.items.map(({ id }) => id) };
}

/** Copies of an object in which one value, at any depth, is replaced by a hostile one. */
function* variants(value: unknown): Generator<unknown> {
  yield* HOSTILE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const other of variants(inner))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
}

describe('a replay of a hostile archive', () => {
  it.each(['mannerlyVisit', 'mannerlySettings'])('ends, whatever %s says, and accounts for its page', async (name) => {
    const [, valid = ''] = new RegExp(`${name}: ([^\\r]*)`).exec(warc) ?? [];
    expect((await replayed(name, () => '{')).failures).toBe(1);
    for (const variant of variants(JSON.parse(valid))) {
      const json = JSON.stringify(variant);
      const report = await replayed(name, () => json).catch((error: unknown) => error as Error);
      if (report instanceof Error) throw new Error(json, { cause: report });
      expect(report.pages + report.failures, json).toBe(1);
    }
  });

  it('returns a valid date, whatever the archive says about times', async () => {
    for (const durationMs of ['1e300', '-1e300', 'x', ''])
      expect(await replayed('fetchTimeMs', () => durationMs), durationMs).toMatchObject({ pages: 1, items: 1 });
  });

  it.each(['', 'x', 'javascript:alert(1)', 'http://[', '9'.repeat(9_000)])('ends for the URL %j', async (url) => {
    await writeFile(file, gzipSync(Buffer.from(short.replace(/(Target-URI: )[^\r]*\/(?=\r)/g, `$1${url}`), 'latin1')));
    const { pages, failures } = await replay({ from: out, handlers: (routes) => routes.on('html', () => undefined) });
    expect(pages + failures).toBe(1);
  });

  it('says which file cannot be read to its end', async () => {
    const records = warc.split(/(?=^WARC\/1\.1\r\n)/m).map((each) => gzipSync(Buffer.from(each, 'latin1')));
    const whole = Buffer.concat(records);
    const inLast = whole.length - Math.floor((records.at(-1)?.length ?? 0) / 2);
    const flipped = Buffer.from(whole);
    flipped[inLast] = (flipped[inLast] ?? 0) ^ 1;
    const handlers = (routes: ReplayRoutes) => routes.on('html', () => undefined);
    const damaged = async (bytes: Uint8Array): Promise<readonly string[]> => {
      await writeFile(file, bytes);
      return (await replay({ from: out, handlers })).incomplete;
    };
    expect(await damaged(whole)).toEqual([]);
    const sentence = `${file} cannot be read after its first ${records.length - 1} records: the rest is left out`;
    expect(await damaged(flipped)).toEqual([sentence]);
    expect(await damaged(whole.subarray(0, inLast))).toEqual([sentence]);
  });

  it('says which file a killed run left, whose pages are missing', async () => {
    await rename(file, `${file}.open`);
    onTestFinished(() => rename(`${file}.open`, file));
    const { pages, incomplete } = await replay({ from: out, handlers: (routes) => routes.on('html', () => undefined) });
    expect({ pages, incomplete }).toEqual({
      pages: 0,
      incomplete: [expect.stringMatching(/\.open is left out: a run is writing it, or was killed/)],
    });
  });

  it.each([
    ['offset', 'x'],
    ['offset', '-5'],
    ['length', '1e300'],
    ['filename', '../outside.warc.gz'],
  ])('reads no payload if the index says %s %s', async (name, value) => {
    await writeFile(file, gzipSync(Buffer.from(warc, 'latin1')));
    await writeFile(join(out, 'outside.warc.gz'), gzipSync(Buffer.from(warc, 'latin1')));
    const index = file.replace('.warc.gz', '.cdxj');
    const valid = await readFile(index, 'utf8');
    await writeFile(index, valid.replaceAll(new RegExp(`"${name}":"[^"]*"`, 'g'), `"${name}":"${value}"`));
    onTestFinished(() => writeFile(index, valid));
    const failures: string[] = [];
    const handlers = (routes: ReplayRoutes) =>
      routes.on('html', ({ url }) => void failures.push(new URL(url).pathname));
    await expect(replay({ from: out, handlers })).rejects.toThrow(/holds no record|no such file/);
    expect(failures).toEqual(['/']);
  });

  it('yields what the crawl had written, with the fields as they were', async () => {
    expect(await replayed('mannerlyVisit', (value) => value)).toMatchObject({ pages: 1, items: 1, failures: 0 });
  });
});
