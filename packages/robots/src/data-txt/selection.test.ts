// data.txt restricts only what it offers. When records are split, no rule must be lost.
import { describe, expect, it } from 'vitest';
import { parseDataTxt } from './parse.js';
import { viewDataTxt } from './selection.js';

const FILE = parseDataTxt(
  [
    'User-agent: otherbot',
    'path: /other.csv',
    '',
    'User-agent: ExampleBot/1.0',
    'path: /a.csv',
    'path: /b.csv',
    'Disallow: /private/',
    '',
    'User-agent: *',
    'path: /all.csv',
    '',
    'path: /everyone.csv',
    'Disallow: /raw/',
  ].join('\n'),
  { base: 'https://example.com/data.txt' },
);

describe('which agents a record addresses (data-txt §5)', () => {
  const cases: [string[], string[]][] = [
    [['examplebot'], ['/a.csv', '/b.csv', '/everyone.csv']],
    [['EXAMPLE'], ['/a.csv', '/b.csv', '/everyone.csv']],
    [
      ['unknown', 'otherbot'],
      ['/other.csv', '/everyone.csv'],
    ],
    [['thirdbot'], ['/all.csv', '/everyone.csv']],
  ];
  it.each(cases)('%j is offered %j', (tokens, paths) => {
    expect(viewDataTxt(FILE, tokens).offers.map(({ dataset }) => dataset.path)).toEqual(paths);
  });

  const decisions: [string, string, boolean, number | null][] = [
    ['examplebot', '/private/x', false, 7],
    ['thirdbot', '/private/x', true, null],
    ['examplebot', '/raw/x', false, 13],
    ['thirdbot', '/raw/x', false, 13],
    ['examplebot', '/raw', true, null],
    ['examplebot', '/robots.txt', true, null],
  ];
  it.each(decisions)('%s, %s → %s by line %j', (token, path, allowed, line) => {
    expect(viewDataTxt(FILE, [token]).decide(`https://example.com${path}`)).toEqual({ allowed, line });
  });

  it('a URL that cannot be read is not fetched', () => {
    expect(viewDataTxt(FILE, ['examplebot']).decide('nonsense').allowed).toBe(false);
  });

  it('too many rules close the file, and datasets are offered up to their bound', () => {
    const many = (line: (n: number) => string, times: number) =>
      parseDataTxt(Array.from({ length: times }, (_, n) => line(n)).join('\n'));
    const rules = many((n) => `Allow: /${n}`, 1001);
    expect(viewDataTxt(rules, ['examplebot']).decide('https://example.com/1').allowed).toBe(false);
    const fewer = many((n) => `Allow: /${n}`, 1000);
    expect(viewDataTxt(fewer, ['examplebot']).decide('https://example.com/x').allowed).toBe(true);
    const datasets = many((n) => `path: /${n}`, 10_001);
    expect(viewDataTxt(datasets, ['examplebot']).offers).toHaveLength(10_000);
  });

  it('the most expensive file within the bounds is judged quickly', { timeout: 300_000 }, () => {
    const lines = [
      ...Array.from({ length: 1000 }, (_, n) => `Disallow: /${'a'.repeat(40)}${n}b`),
      ...Array.from({ length: 9000 }, (_, n) => `path: /${'a'.repeat(30)}${n}`),
    ];
    const view = viewDataTxt(parseDataTxt(lines.join('\n'), { base: 'https://example.com/data.txt' }), ['examplebot']);
    const start = performance.now();
    const allowed = view.offers.filter(({ dataset }) => view.decide(dataset.url ?? '').allowed);
    expect(allowed).toHaveLength(9000);
    // This takes about 0.25 s; compiling the rules again for each dataset takes more than two minutes.
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});
