// RSL documents as they are read, and what makes one non-conformant. If this breaks, a crawl reads other terms than
// the author wrote.

import { describe, expect, it } from 'vitest';
import { rslOf } from '../../test-support/rsl-document.js';
import { readLicenseDocument } from './license-document.js';

const whyOf = (text: string): string | null => {
  const reading = readLicenseDocument(text);
  return reading.kind === 'unreadable' ? reading.reason : null;
};

describe('a licence document', () => {
  it('is read completely', () => {
    const text = `<?xml version="1.0"?>
      <r:rsl xmlns:r="https://rslstandard.org/rsl" xmlns:x="urn:x" max-age="7">
        <!-- terms --> <x:note><license>ignored</license></x:note>
        <r:content url="/a/*.pdf$" server="https://s.example/olp" encrypted="true">
          <r:license>
            <r:permits type="usage">ai-input
              search</r:permits>
            <r:prohibits type="geo">EU</r:prohibits>
            <r:payment type="crawl"><r:amount currency="USD">0.015</r:amount>
              <r:custom>https://x.example/t?a&amp;b</r:custom><r:accepts type="application/x402+json"/></r:payment>
            <r:legal type="warranty">no</r:legal>
          </r:license>
          <r:copyright contactEmail="a@b.example">B</r:copyright>
        </r:content>
      </r:rsl>`;
    expect(readLicenseDocument(text)).toEqual({
      kind: 'read',
      maxAgeDays: 7,
      isVersion09: false,
      remarks: ['legal: warranty no', 'copyright: a@b.example B'],
      contents: [
        {
          url: '/a/*.pdf$',
          server: 'https://s.example/olp',
          isEncrypted: true,
          licenses: [
            {
              permits: { usage: ['ai-input', 'search'] },
              prohibits: { geo: ['eu'] },
              payment: {
                type: 'crawl',
                amount: '0.015 USD',
                terms: ['https://x.example/t?a&b'],
                accepts: ['application/x402+json'],
              },
              hasDuties: true,
            },
          ],
        },
      ],
    });
  });

  it('is read as RSL 0.9 if its lists have commas (C4)', () => {
    const document = readLicenseDocument(
      rslOf('<license><permits type="usage">search, ai-train</permits><payment type="inference"/></license>'),
    );
    expect(document).toMatchObject({ isVersion09: true });
    expect(document).toMatchObject({
      contents: [{ licenses: [{ permits: { usage: ['search', 'ai-train'] }, payment: { type: 'use' } }] }],
    });
  });

  it('keeps no amount that cannot be shown as written', () => {
    for (const amount of ['1e3', '-1', '1,50', '0x1', '١', '']) {
      const text = rslOf(
        `<license><payment type="crawl"><amount currency="USD">${amount}</amount></payment></license>`,
      );
      expect(readLicenseDocument(text)).toMatchObject({ contents: [{ licenses: [{ payment: { amount: null } }] }] });
    }
  });

  const license = '<license/>';
  const nested = (depth: number) => `${'<x:a>'.repeat(depth)}${'</x:a>'.repeat(depth)}`;
  const UNREADABLE: readonly (readonly [string, string, string])[] = [
    ['text', 'no terms here', 'not XML'],
    ['nothing', '', 'not XML'],
    ['an element that is not closed', rslOf(license).replace('</content>', ''), 'not XML: an element is not closed'],
    ['an end that is cut off', rslOf(license).slice(0, -4), 'not XML: an element is not closed'],
    ['a second root', rslOf(license).repeat(2), 'not XML: a second root'],
    ['text behind the root', `${rslOf(license)}x`, 'not XML: text outside the root'],
    ['an attribute twice', rslOf('<license a="1" a="2"/>'), 'not XML: an attribute is repeated'],
    ['another root', '<html xmlns="https://rslstandard.org/rsl"/>', 'the root is not rsl in its namespace'],
    ['a root without namespace', rslOf(license).replace(/ xmlns="[^"]*"/, ''), 'the root is not rsl in its namespace'],
    [
      'a document type',
      `<!DOCTYPE rsl [<!ENTITY a "b">]>${rslOf(license)}`,
      'it has a document type, which is not read',
    ],
    ['an unknown element', rslOf('<license><permit/></license>'), 'permit does not belong into license'],
    ['an element in another place', rslOf('<license><license/></license>'), 'license does not belong into license'],
    ['a content without license', rslOf(''), 'a content without license'],
    ['a list of no known type', rslOf('<license><permits>all</permits></license>'), 'without a known type'],
    [
      'two lists of one type',
      rslOf('<license><permits type="geo">DE</permits><permits type="geo">FR</permits></license>'),
      'two lists of type geo',
    ],
    ['two payments', rslOf('<license><payment/><payment/></license>'), 'a license has two payments'],
    ['max-age of nothing', rslOf(license, 'max-age="0"'), 'max-age is not a number of days'],
    ['too many contents', rslOf(license).replace(/<content.*content>/, (one) => one.repeat(2_001)), 'more than 2000'],
    ['too many licences', rslOf(license.repeat(51)), 'a content has too many licences'],
    ['elements too deep', rslOf(license + nested(15), 'xmlns:x="urn:x"'), 'nested deeper than 16'],
    [
      'a list too long',
      rslOf(`<license><permits type="geo">${'DE '.repeat(65)}</permits></license>`),
      'a list has more than 64 words',
    ],
    ['no content', rslOf('').replace(/<content.*content>/, ''), 'no content'],
    ['an attribute without quotes', rslOf(license).replace('"/"', '/a'), 'not XML: an attribute without quotes'],
    ['typographic quotes', rslOf(license).replace('"/"', '”/”'), 'not XML: an attribute without quotes'],
    [
      'a path without slash',
      rslOf(license).replace('"/"', '"news/"'),
      'a content at news/, which is neither a path nor',
    ],
    ['a host without scheme', rslOf(license).replace('"/"', '"a.test/*"'), 'a content at a.test/*, which is neither'],
    ['a pattern of hosts', rslOf(license).replace('"/"', '"https://*.a.test/"'), 'neither a path nor a URL'],
    [
      'a prohibition that RSL does not define',
      rslOf('<license><prohibits type="usage">ai-training</prohibits></license>'),
      'it prohibits ai-training, which RSL does not define',
    ],
    [
      'a prohibited country with a name of its own',
      rslOf('<license><prohibits type="geo">Germany</prohibits></license>'),
      'it prohibits germany, which',
    ],
    ['a URL too long', rslOf(license).replace('url="/"', `url="/${'a'.repeat(2_048)}"`), 'a URL has more than 2048'],
    ['too many attributes', rslOf(`<license${' a=""'.repeat(65)}/>`), 'an element has too many attributes'],
    ['too many bytes', rslOf(license) + ' '.repeat(262_144), 'more than 262144 bytes'],
  ];
  it.each(UNREADABLE)('cannot be read with %s', (_, text, reason) => expect(whyOf(text)).toContain(reason));

  it('is still read at its limits', () => {
    const many = rslOf(license).replace(/<content.*content>/, (one) => one.repeat(2_000));
    expect(whyOf(many)).toBeNull();
    expect(whyOf(rslOf(license.repeat(50)))).toBeNull();
    expect(whyOf(rslOf(license + nested(14), 'xmlns:x="urn:x"'))).toBeNull();
    expect(whyOf(rslOf(`<license><permits type="geo">${'DE '.repeat(64)}</permits></license>`))).toBeNull();
  });
});
