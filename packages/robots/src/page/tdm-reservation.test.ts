// If a reservation is overlooked, text is mined against a stated right.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTdm, parseTdmRep, readTdm, tdmForUrl } from './tdm-reservation.js';

const FILE_URL = 'https://example.com/.well-known/tdmrep.json';
const reservedBy = (json: unknown, path: string) =>
  tdmForUrl(parseTdmRep(json, FILE_URL), `https://example.com${path}`).reserved;

describe('tdmrep.json (page-level §5)', () => {
  it.each(['x', '\u20ac', '\u0001', '\ud800'])(
    'is cut if %j makes it too long to keep, and reserves the rest',
    (char) => {
      const long = { location: `/${char.repeat(100_000)}`, 'tdm-reservation': 0 };
      const open = { location: '/open/', 'tdm-reservation': 0 };
      const rules = parseTdmRep([open, ...Array.from({ length: 12 }, () => long)], FILE_URL);
      expect(new TextEncoder().encode(JSON.stringify(rules)).length).toBeLessThan(1_048_576);
      expect(tdmForUrl(rules, 'https://example.com/open/a').reserved).toBe(false);
      expect(tdmForUrl(rules, 'https://example.com/other').reserved).toBe(true);
    },
  );

  it('is read with a byte order mark, as text and as bytes', () => {
    const text = '\ufeff[{"location":"/a","tdm-reservation":1}]';
    for (const body of [text, new TextEncoder().encode(text), new TextEncoder().encode(text.slice(1))])
      expect(reservedBy(body, '/a')).toBe(true);
  });

  it('is compared with a path as with a URL', () => {
    const rules = parseTdmRep([{ location: '/ä', 'tdm-reservation': 1 }], FILE_URL);
    for (const url of ['/ä', '/%C3%A4?b', ' https://example.com/ä', 'https:example.com/x/../ä'])
      expect(tdmForUrl(rules, url).reserved).toBe(true);
    expect(tdmForUrl(rules, '/b').reserved).toBeNull();
  });

  const cases: [unknown, string, boolean | null][] = [
    [[{ location: '*', 'tdm-reservation': 1 }], '/a', true],
    [[{ location: '/a$', 'tdm-reservation': 1 }], '/a/b', null],
    [[{ location: '/%61', 'tdm-reservation': 1 }], '/a', true],
    [[{ location: '/a', 'tdm-reservation': '1' }], '/a', true],
    [
      [
        { location: '/a', 'tdm-reservation': true },
        { location: '/', 'tdm-reservation': 0 },
      ],
      '/a',
      false,
    ],
    [[null, 3, 'x', [], { 'tdm-reservation': 1 }, { location: 7, 'tdm-reservation': 1 }], '/a', null],
    ['[{"location":"/a","tdm-reservation":1}]', '/a', true],
    ['not json', '/a', null],
    ['[{"location":"/a","tdm-reservation":1},]', '/b', true],
    [{ location: '/a', 'tdm-reservation': 1 }, '/a', true],
    [{ location: '/a', 'tdm-reservation': 1 }, '/b', null],
    [[{ location: 'https://example.com/a', 'tdm-reservation': 1 }], '/b', true],
    [
      [
        { location: 'a', 'tdm-reservation': 0 },
        { location: '/', 'tdm-reservation': 1 },
      ],
      '/a',
      true,
    ],
    [null, '/a', null],
  ];
  it.each(cases)('%j, %s → %s', (json, path, expected) => {
    expect(reservedBy(json, path)).toBe(expected);
  });

  it('if there are too many rules, what the kept ones do not cover is reserved', () => {
    const rule = (location: string) => ({ location, 'tdm-reservation': 0 });
    const many = Array.from({ length: 1000 }, () => rule('/a'));
    expect(reservedBy(many, '/z')).toBeNull();
    expect(reservedBy([...many, rule('/z')], '/z')).toBe(true);
    expect(reservedBy([...many, rule('/z')], '/a')).toBe(false);
  });

  it('reads policies as http(s) URLs, relative to where they are given', () => {
    expect(readTdm(' 1 ', 'p.json', 'https://example.com/a/b')).toEqual({
      reserved: true,
      policy: 'https://example.com/a/p.json',
    });
    expect(readTdm('1', 'javascript:x', 'https://example.com/').policy).toBeNull();
  });

  it('later sources override single values, and without a reservation there is no policy (L9)', () => {
    const file = readTdm('1', 'https://a.example/p', FILE_URL);
    const unset = readTdm(null, null, FILE_URL);
    expect(mergeTdm([file, unset])).toEqual({ reserved: true, policy: 'https://a.example/p' });
    expect(mergeTdm([file, readTdm('0', null, FILE_URL)])).toEqual({ reserved: false, policy: null });
    expect(mergeTdm([])).toEqual({ reserved: null, policy: null });
  });

  it('random values never throw', () => {
    fc.assert(
      fc.property(fc.anything(), fc.json(), fc.string(), (value, json, url) => {
        for (const each of [value, json]) tdmForUrl(parseTdmRep(each, url), url);
      }),
    );
  });
});
