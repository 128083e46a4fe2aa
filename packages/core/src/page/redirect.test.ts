// Where a response redirects to. A missed redirect loses pages; an invented one requests URLs that no page names.

import { describe, expect, it } from 'vitest';
import { response } from '../../test-support/page-work.js';
import type { HeaderLines, ResponseOutcome } from '../fetch/outcome.js';
import { followRedirects, parseRefresh, redirectTarget, refreshTarget } from './redirect.js';

const PAGE = 'https://example.com/dir/page';
const ENDED_MS = 1_700_000_000_000;

function answer(status: number, headers: HeaderLines): ResponseOutcome {
  const timing = { startedAtMs: ENDED_MS - 100, headersAtMs: ENDED_MS, endedAtMs: ENDED_MS };
  return response(PAGE, '', headers, { status, timing });
}

describe('a Location', () => {
  const rows: [status: number, location: string[], expected: string][] = [
    [301, ['/x'], 'https://example.com/x'],
    [302, ['x?y'], 'https://example.com/dir/x?y'],
    [303, ['//other.example/'], 'https://other.example/'],
    [307, ['http://u:p@other.example/x#f'], 'http://other.example/x'],
    [308, ['', ''], PAGE],
    [301, ['/x', '/x'], 'https://example.com/x'],
    [301, ['/\xc3\xa4'], 'https://example.com/%C3%A4'],
    [301, ['/\xe4'], 'https://example.com/%C3%A4'],
    [301, ['/\u0109'], 'https://example.com/%C4%89'],
    [300, ['/x'], 'none'],
    [304, ['/x'], 'none'],
    [305, ['/x'], 'none'],
    [200, ['/x'], 'none'],
    [404, ['/x'], 'none'],
    [301, [], 'redirect-invalid'],
    [301, ['/x', '/y'], 'redirect-invalid'],
    [301, ['http://exa mple/'], 'redirect-invalid'],
    [301, ['mailto:x@y'], 'redirect-invalid'],
    [301, ['file:///etc/passwd'], 'redirect-invalid'],
  ];
  it.each(rows)('%i %j → %s', (status, locations, expected) => {
    const redirect = redirectTarget(
      answer(
        status,
        locations.map((value) => ['Location', value] as const),
      ),
    );
    expect(redirect.kind === 'to' ? redirect.url : redirect.kind).toBe(expected);
  });

  it('is followed after Retry-After, at most a day (access §10)', () => {
    const notBefore = (value: string) => {
      const redirect = redirectTarget(
        answer(302, [
          ['location', '/x'],
          ['Retry-After', value],
        ]),
      );
      return redirect.kind === 'to' ? redirect.notBeforeMs : undefined;
    };
    expect(notBefore('30')).toBe(ENDED_MS + 30_000);
    expect(notBefore('0')).toBeNull();
    expect(notBefore('soon')).toBeNull();
    expect(notBefore('999999')).toBe(ENDED_MS + 86_400_000);
  });
});

describe('a Refresh field', () => {
  const rows: [status: number, value: string, expected: string][] = [
    [200, '0; url=/x', 'https://example.com/x'],
    [200, '5;URL=/x', 'https://example.com/x'],
    [200, '6;URL=/x', 'none'],
    [200, '0; url=page', 'none'],
    [200, '0', 'none'],
    [404, '0; url=/x', 'none'],
  ];
  it.each(rows)('%i %j → %s', (status, value, expected) => {
    const redirect = redirectTarget(answer(status, [['Refresh', value]]));
    expect(redirect.kind === 'to' ? redirect.url : redirect.kind).toBe(expected);
    if (redirect.kind === 'to') expect(redirect.by).toBe('refresh');
  });
});

describe('what a page loads', () => {
  const moved: HeaderLines[number] = ['Location', '/b'];
  const rows: [what: string, status: number, headers: HeaderLines, expected: object, requested: number][] = [
    ['follows a Location', 302, [moved], { kind: 'response', status: 204 }, 2],
    ['waits as long as Retry-After says', 302, [moved, ['Retry-After', '30']], { untilMs: ENDED_MS + 30_000 }, 1],
    ['follows no Refresh', 200, [['Refresh', '0; url=/b']], { kind: 'response', status: 200 }, 1],
  ];
  it.each(rows)('%s', async (_what, status, headers, expected, requested) => {
    const asked: string[][] = [];
    const outcome = await followRedirects('https://example.com/a', PAGE, async (...hop) => {
      asked.push(hop);
      return asked.length === 1 ? answer(status, headers) : answer(204, []);
    });
    expect(outcome).toMatchObject(expected);
    const hops = [
      ['https://example.com/a', PAGE],
      ['https://example.com/b', 'https://example.com/a'],
    ];
    expect(asked).toEqual(hops.slice(0, requested));
  });
});

describe('the content of a refresh', () => {
  const rows: [content: string, delaySeconds: number | null, url: string | null][] = [
    ['5', 5, null],
    ['5;', 5, null],
    ['5.7', 5, null],
    ['.5; url=x', 0, 'x'],
    [' 0 ; URL = x ', 0, 'x '],
    ['0,x', 0, 'x'],
    ['0 x', 0, 'x'],
    ['0; url="x y"z', 0, 'x y'],
    ["0; url='x", 0, 'x'],
    ['0; "x"', 0, 'x'],
    ['0; urlx=y', 0, 'urlx=y'],
    ['0; url', 0, 'url'],
    ['0x', null, null],
    ['; url=x', null, null],
    ['url=x', null, null],
    ['-1; url=x', null, null],
    ['', null, null],
  ];
  it.each(rows)('%j → %j %j', (content, delaySeconds, url) => {
    expect(parseRefresh(content)).toEqual(delaySeconds === null ? null : { delaySeconds, url });
  });

  it('leads only to http(s), relative to the base, and never to the page itself', () => {
    expect(refreshTarget('0;url=x', 'https://cdn.example/y/', PAGE)).toBe('https://cdn.example/y/x');
    expect(refreshTarget('0;url=javascript:0', PAGE, PAGE)).toBeNull();
    expect(refreshTarget('0;url=#a', PAGE, PAGE)).toBeNull();
    expect(refreshTarget(null, PAGE, PAGE)).toBeNull();
  });

  it('is read in linear time', () => {
    expect(parseRefresh(`0${' '.repeat(200_000)}x`)).toEqual({ delaySeconds: 0, url: 'x' });
    expect(parseRefresh(`0;url${' '.repeat(200_000)}`)?.delaySeconds).toBe(0);
  });
});
