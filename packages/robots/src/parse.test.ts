/** What a document shows to people. One case provokes each diagnostic, and a similar one must not provoke it. */
import { describe, expect, it } from 'vitest';
import { byteArray } from './bytes.js';
import { diagnose } from './diagnostics/diagnose.js';
import { DIAGNOSTIC_CODES, diagnosticMeaning, diagnosticSeverity } from './diagnostics/diagnostic.js';
import { MAX_DIAGNOSTICS, MAX_EXCERPT_CHARS, MAX_FILE_BYTES } from './limits.js';
import { fileOutline } from './outline.js';
import { PackedRecord, records } from './packed-records.js';
import { parseRobots } from './parse.js';
import { compileRules } from './rules.js';
import { siteFields } from './site-fields.js';

const GROUP = 'User-agent: a\n';
const robotsUrl = 'https://example.com/robots.txt';

// code, file with this diagnostic, file without it
const CASES: readonly (readonly [code: string, yes: string | Uint8Array, no: string])[] = [
  ['bom', '\ufeffSitemap: https://example.com/', 'x\ufeff: y'],
  ['bom-incomplete', Uint8Array.from([0xef, 0xbb, 0x23]), '#'],
  ['encoding-utf16', Uint8Array.from([0xff, 0xfe, 0x23, 0]), '#'],
  ['invalid-utf8', Uint8Array.from([0x78, 0x3a, 0xe9]), 'x: é'],
  ['nul-byte', 'x: a\0b', 'x: ab'],
  ['odd-whitespace', `${GROUP}Disallow:\u00a0/a`, `${GROUP}Disallow:\t/a`],
  ['quoted-value', `${GROUP}Disallow: "/a"`, `${GROUP}Disallow: /"a"`],
  ['file-oversize', `${GROUP}${'#\n'.repeat(MAX_FILE_BYTES)}`, GROUP],
  ['file-truncated', `${GROUP}#${'x'.repeat(MAX_FILE_BYTES)}`, GROUP],
  ['file-html', ' \n<pre>User-agent: a\nDisallow: /\n</pre>', 'User-agent: <a>'],
  ['line-too-long', `${GROUP}Disallow: /${'a'.repeat(20_000)}`, `${GROUP}Disallow: /a #${'a'.repeat(20_000)}`],
  ['syntax', 'rubbish', '# rubbish'],
  ['unknown-field', 'Alow: /', 'Sitemap: https://example.com/'],
  ['field-typo', `${GROUP}Disalow: /`, `${GROUP}DISALLOW: /`],
  ['missing-colon', `${GROUP}Disallow /a`, `${GROUP}Disallow : /a`],
  [
    'extension-splits-group',
    `${GROUP}Crawl-delay: 60\n\nUser-agent: *\nDisallow: /x`,
    `${GROUP}Disallow: /x\nCrawl-delay: 60\n\nUser-agent: *`,
  ],
  ['multiple-agents', 'User-agent: a, b', 'User-agent: a # b'],
  ['multiple-paths', `${GROUP}Disallow: /a /b`, `${GROUP}Allow: /a /b`],
  ['space-in-path', `${GROUP}Disallow: /a b`, `${GROUP}Disallow: /a /b`],
  ['path-no-slash', `${GROUP}Disallow: a`, `${GROUP}Disallow: *.gif`],
  ['absolute-url', `${GROUP}Disallow: https://example.com/a`, `${GROUP}Disallow: /https://example.com/a`],
  ['empty-allow', `${GROUP}Allow:`, `${GROUP}Disallow:`],
  ['agent-empty', 'User-agent:', 'User-agent: *'],
  ['agent-invalid', 'User-agent: *bot', 'User-agent: bot'],
  ['agent-trailing', 'User-agent: bot/1.0', 'User-agent: bot'],
  ['rule-outside-group', 'Disallow: /', `${GROUP}Disallow: /`],
  ['field-outside-group', 'Crawl-delay: 1', `${GROUP}Crawl-delay: 1`],
  ['rule-names-robots', `${GROUP}Disallow: /robots.txt`, `${GROUP}Disallow: /robots`],
  ['robot-version-invalid', `${GROUP}Robot-version: two`, `${GROUP}Robot-version: 2.0.0`],
  ['robot-version-repeated', `${GROUP}Robot-version: 2.0.0\nRobot-version: 2.0.0`, `${GROUP}Robot-version: 2.0.0`],
  ['robot-version-misplaced', `${GROUP}Disallow: /\nRobot-version: 2.0.0`, `${GROUP}\nRobot-version: 2.0.0`],
  ['robot-version-short', `${GROUP}Robot-version: 2.0`, `${GROUP}Robot-version: 2.0.0`],
  ['robot-version-experimental', `${GROUP}Robot-version: 2.1.0`, `${GROUP}Robot-version: 2.2.0`],
  ['robot-version-unsupported', `${GROUP}Robot-version: 3.0.0`, `${GROUP}Robot-version: 1.0.0`],
  ['crawl-delay-invalid', `${GROUP}Crawl-delay: -1`, `${GROUP}Crawl-delay: 0`],
  ['crawl-delay-unit', `${GROUP}Crawl-delay: 5 s`, `${GROUP}Crawl-delay: 5`],
  ['crawl-delay-comma', `${GROUP}Crawl-delay: 1,5`, `${GROUP}Crawl-delay: 1.5`],
  ['crawl-delay-large', `${GROUP}Crawl-delay: 61`, `${GROUP}Crawl-delay: 60`],
  ['crawl-delay-clamped', `${GROUP}Crawl-delay: 86401`, `${GROUP}Crawl-delay: 86400`],
  ['request-rate-invalid', `${GROUP}Request-rate: 1/0`, `${GROUP}Request-rate: 1/1`],
  ['request-rate-zero', `${GROUP}Request-rate: 0/1`, `${GROUP}Request-rate: 1/1`],
  ['visit-time-invalid', `${GROUP}Visit-time: soon`, `${GROUP}Visit-time: 0600-0845`],
  [
    'visit-time-repeated',
    `${GROUP}Visit-time: 0600-0845\nVisit-time: 0600-0845`,
    `${GROUP}Visit-time: 0600-0845 1000-1100`,
  ],
  ['sitemap-relative', 'Sitemap: /s.xml', 'Sitemap: https://example.com/s.xml'],
  ['sitemap-invalid', 'Sitemap: ftp://example.com/', 'Sitemap: https://cdn.example/'],
  ['host-invalid', 'Host: a b', 'Host: a.example:8080'],
  ['host-repeated', 'Host: a.example\nHost: b.example', 'Host: a b\nHost: b.example'],
  ['clean-param-invalid', 'Clean-param: a b c', 'Clean-param: a&b /c'],
  ['clean-param-excess', 'Clean-param: a\n'.repeat(1_001), 'Clean-param: a\n'.repeat(1_000)],
  ['pleasevisit-foreign', 'PleaseVisit: https://other.example/', 'PleaseVisit: /new'],
  ['license-relative', 'License: /l.xml', 'License: https://example.com/l.xml'],
  ['license-invalid', 'License: http://example.com/l.xml', 'License: https://other.example/l.xml'],
  ['content-signal-invalid', `${GROUP}Content-Signal: ai-train=perhaps`, `${GROUP}Content-Signal: ai-train=no`],
  ['content-usage-invalid', `${GROUP}Content-Usage: =`, `${GROUP}Content-Usage: train-ai=n`],
  ['content-usage-legacy', `${GROUP}Content-Usage: bots=n`, `${GROUP}Content-Usage: train-ai=n`],
];

describe('a diagnostic', () => {
  it('exists for every code of the table', () => {
    expect(CASES.map(([code]) => code).sort()).toEqual([...DIAGNOSTIC_CODES].sort());
  });

  it.each(CASES)('%s is given for its case, and not for a similar one (robots §11)', (code, yes, no) => {
    const codes = (input: string | Uint8Array) =>
      diagnose(parseRobots(input, { robotsUrl })).map((found) => found.code);
    expect(codes(yes)).toContain(code);
    expect(codes(no)).not.toContain(code);
  });

  it('has a severity, a description, a line and an excerpt of bounded length', () => {
    const [found] = diagnose(parseRobots(`\n\nDisalow: /${'ツ'.repeat(300)}`));
    expect(found).toMatchObject({ code: 'field-typo', severity: 'info', line: 3 });
    expect(found?.excerpt).toBe(`Disalow: /${'ツ'.repeat(MAX_EXCERPT_CHARS - 10)}`);
    for (const code of DIAGNOSTIC_CODES) {
      expect(diagnosticMeaning(code)).not.toBe('');
      expect(['info', 'warning']).toContain(diagnosticSeverity(code));
    }
  });

  it('is reported at most a thousand times per file', () => {
    expect(diagnose(parseRobots('rubbish\n'.repeat(5000))).length).toBe(MAX_DIAGNOSTICS);
  });
});

describe('a document', () => {
  const text = [
    'Crawl-delay: 9',
    'User-Agent: A',
    'user-agent: b/1.0',
    'Disallow: /x # why',
    'Allow: y',
    'X-Thing: 1',
    '',
    'useragent: *',
    'Request-rate: 1/5',
    'Sitemap: /s.xml# part',
    'Host: www.example.com',
    'Clean-param: a&b /p',
    'PleaseVisit: /new',
  ].join('\r\n');
  const document = parseRobots(text, { robotsUrl });

  it('keeps every field with its line', () => {
    expect(document.fields.map(({ line, field, rawField, value }) => [line, field, rawField, value])).toEqual([
      [1, 'crawl-delay', 'crawl-delay', '9'],
      [2, 'user-agent', 'user-agent', 'A'],
      [3, 'user-agent', 'user-agent', 'b/1.0'],
      [4, 'disallow', 'disallow', '/x'],
      [5, 'allow', 'allow', 'y'],
      [6, 'x-thing', 'X-Thing', '1'],
      [8, 'user-agent', 'useragent', '*'],
      [9, 'request-rate', 'request-rate', '1/5'],
      [10, 'sitemap', 'sitemap', '/s.xml'],
      [11, 'host', 'host', 'www.example.com'],
      [12, 'clean-param', 'clean-param', 'a&b /p'],
      [13, 'pleasevisit', 'pleasevisit', '/new'],
    ]);
  });

  it('shows the groups as RFC 9309 defines them (§2.2.1)', () => {
    expect(fileOutline(document).groups).toEqual([
      {
        agents: ['a', 'b'],
        agentLines: [2, 3],
        version: null,
        rules: [
          { kind: 'disallow', raw: '/x', line: 4 },
          { kind: 'allow', raw: 'y', line: 5 },
        ],
        fields: [{ field: 'x-thing', rawField: 'X-Thing', value: '1', line: 6 }],
        licenses: [],
      },
      {
        agents: ['*'],
        agentLines: [8],
        version: null,
        rules: [],
        fields: [{ field: 'request-rate', rawField: 'request-rate', value: '1/5', line: 9 }],
        licenses: [],
      },
    ]);
  });

  it('shows what applies to every agent', () => {
    expect(document.sitemaps).toEqual(['https://example.com/s.xml']);
    expect(siteFields(document)).toEqual({
      host: 'www.example.com',
      cleanParams: [{ params: ['a', 'b'], path: '/p' }],
      pleaseVisit: ['https://example.com/new'],
    });
    expect(fileOutline(document).orphans.map(({ line }) => line)).toEqual([1]);
    expect(fileOutline(document).unknown.map(({ line }) => line)).toEqual([6]);
    expect(document.truncated).toBe(false);
  });

  it('keeps the licences of the file and of each group apart (licensing C3)', () => {
    const licensed = parseRobots('License: /f.xml\nUser-agent: a\nDisallow:\nLicense: no url\n\nLicense: /g.xml\n', {
      robotsUrl,
    });
    expect(licensed.licenses).toEqual(['https://example.com/f.xml', 'https://example.com/g.xml']);
    expect(fileOutline(licensed).groups[0]?.licenses).toEqual([
      'https://example.com/no%20url',
      'https://example.com/g.xml',
    ]);
    expect(fileOutline(licensed).orphans).toEqual([]);
    expect(parseRobots('License: /f.xml').licenses).toEqual(['/f.xml']);
  });

  it('strips unusual blanks around a value, with a colon or without (robots §3.3)', () => {
    for (const line of ['Disallow\u00a0:\ufeff/a\u000b', 'Disallow \u00a0/a', '\u00a0Disallow: /a\0']) {
      const [rule] = fileOutline(parseRobots(`${GROUP}${line}`)).groups[0]?.rules ?? [];
      expect(rule, JSON.stringify(line)).toEqual({ kind: 'disallow', raw: '/a', line: 2 });
    }
  });

  it('returns the same lists each time', () => {
    expect(document.fields).toBe(document.fields);
    expect(document.sitemaps).toBe(document.sitemaps);
  });

  it('takes less memory than the file', () => {
    const long = `${GROUP}${'Disallow: /some/path/\n'.repeat(1000)}`;
    expect(parseRobots(long).packed.length).toBeLessThan(0.9 * long.length);
  });
});

describe('packed records', () => {
  it('hold any line number and any length', () => {
    const lines = [1, 63, 64, 4095, 4096, 300_000];
    const lengths = [0, 1, 63, 64, 16_000];
    const texts: string[] = [];
    const expected: [number, number][] = [];
    for (const [i, line] of lines.entries()) {
      texts.push('\n'.repeat(line - texts.join('').split('\n').length));
      const length = lengths[i % lengths.length] as number;
      texts.push(`x:${'v'.repeat(length)}`);
      expected.push([line, length]);
    }
    const found = Array.from(records(parseRobots(texts.join('')).packed), ({ line, value }) => [line, value.length]);
    expect(found).toEqual(expected);
  });

  it('keep bytes of files in any encoding', () => {
    for (const share of [1, 100]) {
      const bytes = Uint8Array.from({ length: 2560 }, (_, i) => (i % share === 0 ? 0x80 + (i % 128) : 0x61));
      const line = Uint8Array.from([0x78, 0x3a, 0x61, ...bytes, 0x61]);
      const { value } = new PackedRecord(parseRobots(line).packed, 0);
      expect(byteArray(value)).toEqual(Uint8Array.from([0x61, ...bytes, 0x61]));
    }
  });
});

it('an option of parseRobots that does not exist is refused', () => {
  expect(() => parseRobots('', { url: 'https://example.com/robots.txt' } as object)).toThrowError(
    expect.objectContaining({ code: 'option-unknown', hint: expect.stringContaining('robotsUrl') }),
  );
});

it.each([
  ['https://exämple.com/x', 'https://exämple.com/robots.txt'],
  ['https://exämple.com/x', 'https://xn--exmple-cua.com/robots.txt'],
  ['https://example.com./x', 'https://example.com/robots.txt'],
  ['https://example.com/x', 'https://example.com./robots.txt'],
])('Disallow: %s is a path of the file %s (R14)', (value, robotsUrl) => {
  const rules = compileRules(parseRobots(`User-agent: *\nDisallow: ${value}\n`, { robotsUrl }), { tokens: 'a' });
  expect(rules.isAllowed('/x')).toBe(false);
  expect(rules.isAllowed('/y')).toBe(true);
});
