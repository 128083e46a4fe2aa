// A date read wrongly shortens a pause or keeps an expired page.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHttpDate, parseLooseDate } from './http-date.js';

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().replace('.000Z', 'Z'));

describe('dates', () => {
  // [text, as HTTP-date, as loose date]
  const cases: [string, string | null, string | null][] = [
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37Z', '1994-11-06T08:49:37Z'],
    [' Sun, 06 Nov 1994 08:49:60 GMT\t', '1994-11-06T08:50:00Z', '1994-11-06T08:50:00Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z', '1994-11-06T08:49:37Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37Z', '1994-11-06T08:49:37Z'],
    ['Friday, 25-Jun-10 15:00:00 GMT', '2010-06-25T15:00:00Z', '2010-06-25T15:00:00Z'],
    ['Friday, 25-Jun-69 15:00:00 GMT', '2069-06-25T15:00:00Z', '2069-06-25T15:00:00Z'],
    ['Friday, 25-Jun-70 15:00:00 GMT', '1970-06-25T15:00:00Z', '1970-06-25T15:00:00Z'],
    ['25 Jun 2010 15:00:00 GMT', null, '2010-06-25T15:00:00Z'],
    ['25 Jun 2010 15:00:00 PST', null, '2010-06-25T23:00:00Z'],
    ['25 June 2010 15:00 +0200', null, '2010-06-25T13:00:00Z'],
    ['25 June 2010 15:00 -0530', null, '2010-06-25T20:30:00Z'],
    ['25 Jun 2010', null, '2010-06-25T00:00:00Z'],
    ['Fri, 25 Jun 2010 15:00:00 Q', null, '2010-06-25T15:00:00Z'],
    ['2026-11-01', null, '2026-11-01T00:00:00Z'],
    ['2026-11-01T10:00:00-05', null, '2026-11-01T15:00:00Z'],
    ['2026-11-01T10:00:00.999Z', null, '2026-11-01T10:00:00Z'],
    ['2026-01-01 12:00:00 +02:00', null, '2026-01-01T10:00:00Z'],
    ['2026-01-01 12:00', null, '2026-01-01T12:00:00Z'],
    ['Wed, 31 Feb 2026 00:00:00 GMT', null, null],
    ['2026-13-01', null, null],
    ['2026-00-31', null, null],
    ['2026-01-00', null, null],
    ['Sun, 06 Nov 1994 08:60:37 GMT', null, null],
    ['Sun, 06 Nov 1994 08:49:61 GMT', null, null],
    ['2026-11-01T24:00:00Z', null, null],
    ['Sat, 01 Jan 0001 00:00:00 GMT', null, null],
    ['0', null, null],
    ['-1', null, null],
    ['someday', null, null],
    ['', null, null],
  ];
  it.each(cases)('%j', (text, http, loose) => {
    expect([iso(parseHttpDate(text)), iso(parseLooseDate(text))]).toEqual([http, loose]);
  });

  it('a date that a server prints is read back unchanged', () => {
    const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(fc.property(seconds, (s) => parseHttpDate(new Date(s * 1000).toUTCString()) === s * 1000));
  });

  it('random text never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => [parseHttpDate(text), parseLooseDate(text)].length === 2));
  });
});
