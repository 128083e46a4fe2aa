// From an answer to a page: what is read at once, what is read on demand, and the errors of wrong calls.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { pageReader, pageWork, response } from '../../test-support/page-work.js';
import { releaseBody } from '../fetch/outcome.js';
import type { PageReaderParts } from './read-page.js';

const URL_OF_PAGE = 'https://example.com/a/';

afterEach(() => {
  vi.restoreAllMocks();
});

/** @returns Also how often the content, all of it, has been decoded so far. */
async function read(
  body: string | Uint8Array,
  type: string,
  record: Parameters<typeof pageWork>[1] = {},
  onSlow?: PageReaderParts['onSlow'],
) {
  const toText = vi.spyOn(Buffer.prototype, 'toString');
  const reader = pageReader({}, onSlow === undefined ? {} : { onSlow });
  const page = await reader.read(pageWork(URL_OF_PAGE, record), response(URL_OF_PAGE, body, [['Content-Type', type]]));
  const decodings = (): number =>
    toText.mock.calls.filter(([charset, , end]) => charset === 'utf8' && end === undefined).length;
  return { page, decodings };
}

it.each([
  [300, 1],
  [0, 0],
])('a page that takes %d ms to read is named %d times', async (ms, times) => {
  const notices: string[] = [];
  vi.spyOn(performance, 'now')
    .mockReturnValueOnce(1_000)
    .mockReturnValueOnce(1_000 + ms);
  await read('<title>a</title>', 'text/html', undefined, (url, tookMs) => void (tookMs === 300 && notices.push(url)));
  expect(notices).toEqual(Array.from({ length: times }, () => URL_OF_PAGE));
});

describe('an HTML page', () => {
  it('is decoded once, however its text is requested, and scanned without', async () => {
    const { page, decodings } = await read('<title>Ä</title><a href=b>x</a>', 'text/html');
    expect(decodings()).toBe(0);
    expect(page.title).toBe('Ä');
    expect(page.links.map(({ url }) => url)).toEqual(['https://example.com/a/b']);
    expect(page.$('a').text()).toBe('x');
    expect(await page.text()).toContain('<title>Ä');
    expect(decodings()).toBe(1);
  });

  it.each(['utf8', 'utf16le'] as const)('is scanned in %s', async (charset) => {
    const html = '\uFEFF<title>Ä &auml; 😀</title><a href="/ü?a&amp;b" rel=NOFOLLOW>x</a>';
    const { page } = await read(Buffer.from(html, charset), 'text/html');
    expect(page.title).toBe('Ä ä 😀');
    expect(page.links.map(({ url, rel }) => [url, rel])).toEqual([['https://example.com/%C3%BC?a&b', ['nofollow']]]);
    expect(await page.text()).toContain('😀</title>');
  });

  it('makes its links and its document once', async () => {
    const { page } = await read('<a href=b>x</a>', 'text/html');
    expect(page.links).toBe(page.links);
    page.$('a').remove();
    expect(page.$('a')).toHaveLength(0);
  });

  it('gives excerpts no longer than it allows (page-level §2)', async () => {
    const { page } = await read('<meta name=robots content="max-snippet:8">', 'text/html');
    expect(page.excerpt('a short text', 100)).toBe('a short…');
    expect((await read('<p>', 'text/html')).page.excerpt('a short text', 100)).toBe('a short text');
  });

  it('says how the crawl found it', async () => {
    const { page } = await read('', 'text/html', {
      depth: 3,
      from: 'https://example.com/',
      via: 'redirect',
      label: 'x',
      userData: { n: 1 },
      tries: 2,
    });
    expect(page).toMatchObject({
      url: URL_OF_PAGE,
      status: 200,
      depth: 3,
      from: 'https://example.com/',
      via: 'redirect',
      label: 'x',
      userData: { n: 1 },
      attempt: 3,
      fetchedAtMs: 2_000,
      truncated: null,
    });
  });
});

describe('noscript', () => {
  it('is part of the page, in its links and in its document', async () => {
    const { page } = await read('<body><noscript><a href=b>x</a></noscript>', 'text/html');
    expect(page.links).toHaveLength(1);
    expect(page.$('noscript a')).toHaveLength(1);
  });
});

describe('other content', () => {
  it('is not decoded until its text is requested', async () => {
    const { page, decodings } = await read('{"a":[1]}', 'application/json');
    expect([page.kind, page.title, page.html, page.links]).toEqual(['json', null, null, []]);
    expect(decodings()).toBe(0);
    expect(await page.json()).toEqual({ a: [1] });
    expect(decodings()).toBe(1);
  });

  it('has no links even if it looks like HTML', async () => {
    expect((await read('<a href=b>x</a>', 'text/plain')).page.links).toEqual([]);
  });

  it('has a document if it is XML, with unchanged names', async () => {
    const { page } = await read('<feed><entryId>7</entryId></feed>', 'application/xml');
    expect(page.$('entryId').text()).toBe('7');
  });

  it('has no document if it is neither HTML nor XML', async () => {
    const { page } = await read('x', 'text/plain');
    expect(() => page.$).toThrow(expect.objectContaining({ code: 'page-not-markup' }));
  });

  it('that is not JSON fails with its URL', async () => {
    const { page } = await read('{"a":', 'application/json');
    await expect(page.json()).rejects.toMatchObject({
      code: 'page-not-json',
      message: expect.stringContaining(URL_OF_PAGE),
    });
  });

  it('that is not JSON because it was cut says how to get all of it', async () => {
    const reader = pageReader();
    const answer = response(URL_OF_PAGE, '{"a":', [['Content-Type', 'application/json']]);
    const page = await reader.read(pageWork(URL_OF_PAGE), { ...answer, truncated: 'limit' });
    await expect(page.json()).rejects.toMatchObject({ hint: expect.stringContaining('`network.maxBodyBytes`') });
  });

  it('streams its bytes, as often as needed', async () => {
    const { page } = await read('ä', 'text/plain');
    for (let round = 0; round < 2; round += 1) {
      const chunks: Uint8Array[] = [];
      for await (const piece of page.body) chunks.push(piece);
      expect(Buffer.concat(chunks).toString()).toBe('ä');
    }
    expect(await page.bytes()).toEqual(new Uint8Array([0xc3, 0xa4]));
  });
});

it('refuses the bytes of a page whose handler has ended, in place of none, and keeps its text', async () => {
  const reader = pageReader();
  const answer = response(URL_OF_PAGE, '{"a":1}', [['Content-Type', 'application/json']]);
  const page = await reader.read(pageWork(URL_OF_PAGE), answer);
  const kept = await page.bytes();
  releaseBody(answer);
  await expect(page.bytes()).rejects.toMatchObject({ code: 'page-over' });
  expect(() => page.body).toThrow(expect.objectContaining({ code: 'page-over' }));
  expect([kept.length, await page.json()]).toEqual([7, { a: 1 }]);
});
