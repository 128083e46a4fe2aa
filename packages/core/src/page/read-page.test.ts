// From an answer to a page: what is read at once, what is read on demand, and the errors of wrong calls.

import { describe, expect, it } from 'vitest';
import { pageWork, response } from '../../test-support/page-work.js';
import { releaseBody } from '../fetch/outcome.js';
import { resolveExclusionOptions } from './exclusion.js';
import type { FetchedPage } from './page.js';
import { PageReader, type PageReaderParts } from './read-page.js';

const URL_OF_PAGE = 'https://example.com/a/';

const PARTS: PageReaderParts = {
  tokens: ['examplebot'],
  options: resolveExclusionOptions({}),
  joinsHeaders: false,
  nowMs: () => 0,
  tdmFor: async () => ({ reserved: null, policy: null }),
  decodeText: (bytes) => new TextDecoder().decode(bytes),
};

interface Counted {
  readonly page: FetchedPage;
  /** How often the content has been decoded so far. */
  readonly decodings: () => number;
}

async function read(
  body: string | Uint8Array,
  type: string,
  record: Parameters<typeof pageWork>[1] = {},
  more: Partial<Pick<PageReaderParts, 'utf8Offset' | 'onSlow' | 'decodeText'>> = {},
): Promise<Counted> {
  let decodings = 0;
  const reader = new PageReader({
    ...PARTS,
    decodeText(bytes) {
      decodings += 1;
      return new TextDecoder().decode(bytes);
    },
    ...more,
  });
  const page = await reader.read(pageWork(URL_OF_PAGE, record), response(URL_OF_PAGE, body, [['Content-Type', type]]));
  return { page, decodings: () => decodings };
}

it.each([
  [300, 1],
  [0, 0],
])('a page that takes %d ms to read is named %d times', async (ms, times) => {
  const notices: string[] = [];
  const decodeText = (bytes: Uint8Array): string => {
    for (const end = performance.now() + ms; performance.now() < end; );
    return new TextDecoder().decode(bytes);
  };
  await read('<title>a</title>', 'text/html', undefined, {
    decodeText,
    onSlow: (url, tookMs) => void (tookMs >= 300 && notices.push(url)),
  });
  expect(notices).toEqual(Array.from({ length: times }, () => URL_OF_PAGE));
});

describe('an HTML page', () => {
  it('is decoded once, however its text is requested', async () => {
    const { page, decodings } = await read('<title>Ä</title><a href=b>x</a>', 'text/html');
    expect(page.title).toBe('Ä');
    expect(page.links.map(({ url }) => url)).toEqual(['https://example.com/a/b']);
    expect(page.$('a').text()).toBe('x');
    expect(await page.text()).toContain('<title>Ä');
    expect(decodings()).toBe(1);
  });

  it('is scanned without decoding if it is known to be UTF-8', async () => {
    const body = new TextEncoder().encode('\uFEFF<title>Ä &auml; 😀</title><a href="/ü?a&amp;b" rel=NOFOLLOW>x</a>');
    for (const [start, decoded] of [
      [3, 0],
      [null, 1],
    ] as const) {
      const { page, decodings } = await read(body, 'text/html', {}, { utf8Offset: () => start });
      expect(page.title).toBe('Ä ä 😀');
      expect(page.links.map(({ url, rel }) => [url, rel])).toEqual([['https://example.com/%C3%BC?a&b', ['nofollow']]]);
      expect(decodings()).toBe(decoded);
      expect(await page.text()).toContain('😀</title>');
      expect(decodings()).toBe(1);
    }
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
    const reader = new PageReader(PARTS);
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
  const reader = new PageReader(PARTS);
  const answer = response(URL_OF_PAGE, '{"a":1}', [['Content-Type', 'application/json']]);
  const page = await reader.read(pageWork(URL_OF_PAGE), answer);
  const kept = await page.bytes();
  releaseBody(answer);
  await expect(page.bytes()).rejects.toMatchObject({ code: 'page-over' });
  expect(() => page.body).toThrow(expect.objectContaining({ code: 'page-over' }));
  expect([kept.length, await page.json()]).toEqual([7, { a: 1 }]);
});
