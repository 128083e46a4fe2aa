// If a restriction for us is assigned to another agent, or lost behind a comma, a page is kept against its directive.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PageTags } from './tags.js';
import { parseRobotsMeta, parseRobotsTag, parseRobotsTagLists } from './tags.js';

const US = ['ExampleBot', 'example-images'];
const short = ({ restrictions, ignored }: PageTags) => [restrictions.join(' '), ignored];

describe('X-Robots-Tag (page-level §3)', () => {
  const cases: [string[], string, string[]][] = [
    [['otherbot: noindex', 'noarchive'], 'noarchive', []],
    [['EXAMPLE-IMAGES:noindex'], 'noindex', []],
    [['*: noindex'], 'noindex', []],
    [['otherbot: noindex, *: noarchive'], 'noarchive', []],
    [['otherbot: frob, examplebot: wibble'], '', ['wibble']],
    [['examplebot: unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, nofollow'], 'nofollow', []],
    [['unavailable_after: Friday, noindex'], 'noindex', ['unavailable_after']],
    [['unavailable_after: someday, 25-Jun-10 15:00:00 GMT, noindex'], 'noindex', ['unavailable_after', '25-Jun-10 15']],
    [
      ['max-snippet: 1.5, max-video-preview:-2, max-image-preview: huge'],
      '',
      ['max-snippet', 'max-video-preview', 'max-image-preview'],
    ],
    [['noindex frob'], '', ['noindex frob']],
    [['constructor, __proto__'], '', ['constructor', '__proto__']],
    [['examplebot:'], '', []],
    [['Unavailable_After : 25-Jun-10 15:00:00 GMT, noindex'], 'noindex', []],
    [['NOINDEX Nofollow'], 'nofollow noindex', []],
    [['max-snippet:0'], 'nosnippet', []],
    [['max-snippet:-1'], '', []],
  ];
  it.each(cases)('%j', (values, restrictions, ignored) => {
    expect(short(parseRobotsTag(values, US))).toEqual([restrictions, ignored]);
  });

  it('lines that may have been joined are read in the stricter way (DECISION L5)', () => {
    const joined = ['otherbot: noindex, examplebot: noarchive'];
    expect(short(parseRobotsTag(joined, US))).toEqual(['noarchive', []]);
    expect(short(parseRobotsTag(joined, US, true))).toEqual(['noarchive noindex', []]);
  });

  it('the smallest limit and the earliest date win', () => {
    const tags = parseRobotsTag(
      [
        'max-video-preview:-1, max-video-preview:30, max-video-preview:10, max-video-preview:20',
        'max-image-preview:NONE, max-image-preview:large',
        'unavailable_after: 25 Jun 2010 15:00:00 GMT, unavailable_after: 25 Jun 2011 15:00:00 GMT',
      ],
      US,
    );
    expect(tags).toMatchObject({ maxVideoPreview: 10, maxImagePreview: 'none', maxSnippet: null });
    expect(tags.unavailableAfterMs).toBe(Date.UTC(2010, 5, 25, 15));
  });
});

describe('Robots-Tag (page-level §3, DECISION L6)', () => {
  const cases: [string[], string][] = [
    [['noindex, nofollow'], 'nofollow noindex'],
    [['*=noindex; otherbot=nofollow; examplebot=noarchive'], 'noarchive noindex'],
    [['=noindex'], 'noindex'],
    [['otherbot=none'], ''],
    [[`${'otherbot=none;'.repeat(700)}noindex`], 'noindex'],
  ];
  it.each(cases)('%#', (values, restrictions) => {
    expect(parseRobotsTagLists(values, US).restrictions.join(' ')).toBe(restrictions);
  });
});

describe('robots meta (page-level §2)', () => {
  const cases: [string, string | null, string | null, string][] = [
    ['robots', 'noindex', 'nofollow', 'noindex'],
    ['robots', null, 'nofollow', 'nofollow'],
    ['robots', null, null, ''],
    ['EXAMPLEBOT', 'noindex', null, 'noindex'],
    ['spider by', ' NONE ', null, 'noindex'],
    [' Robots ', 'NONE', null, 'nofollow noindex'],
    ['example-images', 'noarchive', null, 'noarchive'],
    ['examplebot-news', 'noindex', null, ''],
    ['Spider  By', 'none', null, 'noindex'],
    ['spider by', 'nofollow', null, ''],
    ['description', 'noindex', null, ''],
  ];
  it.each(cases)('%j content=%j value=%j → %j', (name, content, value, restrictions) => {
    expect(parseRobotsMeta([{ name, content, value }], US).restrictions.join(' ')).toBe(restrictions);
  });
});

describe('all of these fields', () => {
  const piece = fc.constantFrom(
    'noindex',
    'none',
    'index',
    ',',
    ' ',
    ':',
    'examplebot',
    'other',
    'unavailable_after',
    '2026-01-01',
    'max-snippet',
    '0',
    ';',
    '=',
    'Friday',
  );
  const value = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  );

  it('never throw, and adding a permission never lifts a restriction', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (values) => {
        const tags = parseRobotsTag(values, US);
        const more = parseRobotsTag([...values, 'all, index, follow, examplebot: all'], US);
        expect(more.restrictions).toEqual(tags.restrictions);
        for (const restriction of tags.restrictions) {
          expect(parseRobotsTag(values, US, true).restrictions).toContain(restriction);
        }
        parseRobotsTagLists(values, US);
        parseRobotsMeta(
          values.map((content) => ({ name: 'robots', content })),
          US,
        );
      }),
    );
  });
});
