/**
 * Foreign bytes: nothing throws, nothing hangs, and the chunks in which they arrive make no difference. The seed is
 * printed in every title; MANNERLY_SEED sets it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLines } from './decode.js';
import { dedupeKey } from './dedupe-key.js';
import { diagnose } from './diagnostics/diagnose.js';
import type { BaseDialect } from './dialects.js';
import { explain } from './explain.js';
import { MAX_DIAGNOSTICS, MAX_EXCERPT_CHARS, MAX_IDLE_LINES } from './limits.js';
import { fileOutline } from './outline.js';
import { parseRobots } from './parse.js';
import { sitePreferences } from './preferences/preferences.js';
import { compileRules } from './rules.js';
import { siteFields } from './site-fields.js';

const SEED = Number(process.env['MANNERLY_SEED'] ?? 9309);
const RUNS = { seed: SEED, numRuns: 150 };
const URLS = [
  'https://example.com/a?b=c',
  '/%zz',
  'https://example.com',
  '///',
  'mailto:x',
  '',
  '\ud800',
  '/robots.txt',
];
const DIALECTS: readonly BaseDialect[] = ['rfc9309', 'google', '1996', '1994'];

const field = fc.constantFrom(
  'User-agent',
  'Disallow',
  'Allow',
  'Sitemap',
  'Crawl-delay',
  'Request-rate',
  'Visit-time',
  'Robot-version',
  'Comment',
  'Host',
  'Clean-param',
  'PleaseVisit',
  'Noindex',
  'Cache-delay',
  'Content-Signal',
  'Content-Usage',
  'disalow',
  'user agent',
  'x-other',
  '',
);
const value = fc.oneof(
  fc.constantFrom(
    '*',
    'examplebot',
    '/',
    '/a',
    '/*a$',
    '2.0.0',
    '2.1',
    '1/5 0800-1600',
    '0600-0845',
    '10',
    'search=no',
    '/a b',
    'a&b /c',
  ),
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const rawLine = fc.oneof(
  fc.tuple(field, fc.constantFrom(':', ' : ', ' ', ''), value).map((parts) => parts.join('')),
  fc.constantFrom('', '# note', ' \t', '\0', '\u00a0'),
);
const text = fc
  .array(fc.tuple(rawLine, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
  .map((lines) => lines.flat().join(''));

/** A file of some kind with a few bytes changed. */
const bytes = fc
  .tuple(
    fc.oneof(
      text.map((body) => new TextEncoder().encode(body)),
      fc.uint8Array({ maxLength: 400 }),
    ),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
  )
  .map(([body, changes]) => {
    const changed = body.slice();
    if (body.length > 0) for (const [at, byte] of changes) changed[at % body.length] = byte;
    return changed;
  });

/** Asks a document every question. */
function everything(input: Uint8Array | string, charset?: string): unknown {
  const document = parseRobots(input, {
    robotsUrl: 'https://example.com/robots.txt',
    ...(charset === undefined ? {} : { charset }),
  });
  const { fields, sitemaps, truncated } = document;
  const { groups, unknown, orphans } = fileOutline(document);
  const diagnostics = diagnose(document);
  const readings = (['base', 'declared', 'declared-only', 'strictest'] as const).flatMap((policy) =>
    DIALECTS.map((dialect) => {
      const rules = compileRules(document, {
        tokens: ['examplebot', 'other'],
        policy,
        dialect,
        inheritPoliteness: true,
      });
      return [
        URLS.map((url) => [
          rules.decide(url),
          rules.isAllowed(url),
          sitePreferences(rules).preferences(url),
          sitePreferences(rules).signals(url),
          rules.isNoindex(url),
        ]),
        explain(rules, URLS[0] as string),
        rules.schedule(1_000_000_000_000),
        [rules.crawlDelayMs, rules.cacheDelayMs, rules.comments, rules.robotVersion, rules.agents, rules.groupLines],
      ];
    }),
  );
  const keys = URLS.map((url) => dedupeKey(document, url));
  return {
    fields,
    groups,
    sitemaps,
    siteFields: siteFields(document),
    unknown,
    orphans,
    diagnostics,
    truncated,
    readings,
    keys,
  };
}

describe(`any bytes, seed ${SEED}`, () => {
  it('never throw, and isAllowed agrees with decide', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom(undefined, 'windows-1252', 'utf-16le', 'nonsense'), (input, charset) => {
        const { readings } = everything(input, charset) as { readings: [[{ allowed: boolean }, boolean][]][] };
        for (const [answers] of readings)
          expect(answers.filter(([decision, isAllowed]) => isAllowed !== decision.allowed)).toEqual([]);
        expect(() => decodeLines(input)).not.toThrow();
      }),
      RUNS,
    );
  });

  it('mean the same with a comment after each line, which another code path reads', () => {
    const lines = fc.array(
      fc.constantFrom('a', '/', ' ', '*', '$', '?', ':', '\u00e4', '\u00a0', '\ufeff', '\u65e5', '\xff'),
      {
        maxLength: 10,
      },
    );
    const file = fc.array(fc.tuple(fc.constantFrom('Allow', 'Disallow', 'Noindex', 'Host'), lines), { maxLength: 8 });
    const fields = (names: [string, string[]][], end: string) => {
      const text = names.map(([name, parts]) => `${name}:${parts.join('')}${end}\n`).join('');
      // U+00FF stands for a byte that is not UTF-8.
      const body = Buffer.from(Buffer.from(text).toString('latin1').replaceAll('\xc3\xbf', '\xff'), 'latin1');
      const document = parseRobots(Buffer.concat([Buffer.from('User-agent: *\n'), body]));
      const rules = compileRules(document, { tokens: 'examplebot' });
      return {
        fields: document.fields,
        diagnostics: diagnose(document),
        answers: URLS.map((url) => rules.decide(url)),
      };
    };
    fc.assert(
      fc.property(file, (names) => {
        expect(fields(names, '#')).toEqual(fields(names, ''));
      }),
      RUNS,
    );
  });

  it('mean the same as the string whose UTF-8 they are', () => {
    fc.assert(
      fc.property(text, (body) => {
        const asBytes = new TextEncoder().encode(body);
        expect(parseRobots(asBytes).packed).toBe(parseRobots(body).packed);
        expect(everything(asBytes)).toEqual(everything(body));
      }),
      RUNS,
    );
  });

  it('mean the same wherever in memory they are', () => {
    fc.assert(
      fc.property(bytes, fc.nat(9), (input, shift) => {
        const memory = new Uint8Array(input.length + 2 * shift).fill(0x41);
        memory.set(input, shift);
        expect(everything(memory.subarray(shift, shift + input.length))).toEqual(everything(input));
      }),
      RUNS,
    );
  });

  it('are cut into the same lines by decodeLines and by the parser', () => {
    fc.assert(
      fc.property(text, (body) => {
        const { lines } = decodeLines(body);
        for (const { line, value: found } of parseRobots(body).fields) expect(lines[line - 1]).toContain(found);
      }),
      RUNS,
    );
  });

  it('give bounded diagnostics with line numbers that exist', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        const diagnostics = diagnose(parseRobots(input));
        const count = Math.max(decodeLines(input).lines.length, 1);
        expect(diagnostics.length).toBeLessThanOrEqual(MAX_DIAGNOSTICS);
        for (const { line, excerpt } of diagnostics) {
          expect(line).toBeGreaterThanOrEqual(0);
          expect(line).toBeLessThanOrEqual(count);
          expect([...excerpt].length).toBeLessThanOrEqual(MAX_EXCERPT_CHARS);
        }
      }),
      RUNS,
    );
  });
});

describe('hostile files', () => {
  const LARGE: readonly (readonly [name: string, body: string])[] = [
    ['a line without end', 'a'.repeat(2_000_000)],
    ['nothing but line ends', '\r'.repeat(2_000_000)],
    ['nothing but colons', ':'.repeat(600_000)],
    ['a million agents', 'User-agent: examplebot\n'.repeat(50_000)],
    ['agents on one line', `User-agent: ${'a,'.repeat(8_000)}\nDisallow: /`],
    [
      'nested prefixes',
      Array.from({ length: 900 }, (_, i) => `Disallow: /${'a'.repeat(i)}`)
        .join('\n')
        .replace(/^/, 'User-agent: *\n'),
    ],
    [
      'rules that begin alike',
      `User-agent: *\n${Array.from({ length: 30_000 }, (_, i) => `Disallow: /*${i}`).join('\n')}`,
    ],
    ['stars', `User-agent: *\n${`Disallow: /${'*a'.repeat(8000)}\n`.repeat(30)}`],
    ['NUL', '\0'.repeat(1_000_000)],
    ['high bytes', 'é'.repeat(1_000_000)],
    ['blanks', `User-agent: *\nDisallow: ${' a'.repeat(8000)}\n`.repeat(30)],
  ];

  it.each(LARGE)('%s is read and queried in bounded time', (_name, body) => {
    // The bound is the test's own time limit: quadratic work here takes minutes.
    const document = parseRobots(body);
    const rules = compileRules(document, { tokens: 'examplebot', policy: 'strictest' });
    rules.decide(`https://example.com/${'a'.repeat(8000)}`);
    explain(rules, '/a');
    expect(diagnose(document).length).toBeLessThanOrEqual(MAX_DIAGNOSTICS);
    expect(document.fields.length + fileOutline(document).groups.length).toBeGreaterThanOrEqual(0);
  });
});

describe(`a file with more lines without effect than are kept (seed ${SEED})`, () => {
  const line = fc.constantFrom(
    'User-agent: *',
    'User-agent: examplebot',
    'Disallow: /a',
    'Allow: /b',
    'Crawl-delay: 5',
    'x: y',
    'us: y',
    'word',
    'two words',
    ':',
    '\0a: b',
    '\u00e9: b',
    '\u00e9',
    '\u00a0',
    'disallow /c',
    'userx: y',
    '#',
    '',
  );

  it('means the same as without them', () => {
    const idle = 'word\n'.repeat(MAX_IDLE_LINES);
    const agreed = fc.property(fc.array(line, { maxLength: 14 }), fc.constantFrom(...DIALECTS), (lines, dialect) => {
      const meaning = (text: string) => {
        const document = parseRobots(text);
        const rules = compileRules(document, { tokens: 'otherbot', dialect });
        const answers = ['/a', '/b', '/c', '/d'].map((url) => rules.isAllowed(url));
        const groups = fileOutline(document).groups.map((group) => [group.agents, group.rules.map(({ raw }) => raw)]);
        return { answers, groups, delay: rules.crawlDelayMs };
      };
      expect(meaning(idle + lines.join('\n'))).toEqual(meaning(lines.join('\n')));
    });
    const record = ['User-agent: *', 'x: y', 'User-agent: examplebot', 'Disallow: /a'];
    fc.assert(agreed, { ...RUNS, examples: [[record, '1996']] });
  });

  it('keeps no more of them', () => {
    const file = (count: number) => parseRobots('word\nx: y\n'.repeat(count)).packed.length;
    expect(file(100_000)).toBe(file(10_000));
    expect(file(MAX_IDLE_LINES / 2)).toBeGreaterThan(file(MAX_IDLE_LINES / 4));
  });
});
