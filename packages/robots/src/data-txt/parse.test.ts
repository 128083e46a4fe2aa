// A misread descriptor sends a crawl to the wrong place; a lost rule lets it fetch what the file excludes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDataTxt } from './parse.js';

const BASE = 'https://example.com/data.txt';
const read = (text: string) => parseDataTxt(text, { base: BASE });
const shape = (text: string) =>
  read(text).records.map(({ agents, rules, dataset, extra, line }) => [line, agents, rules, dataset?.path, extra]);

describe('records (data-txt §4)', () => {
  const cases: [string, string, unknown[]][] = [
    [
      'a blank line after agents alone does not end the record',
      'User-agent: a\n\npath: /x',
      [[3, ['a'], [], '/x', []]],
    ],
    [
      'a User-agent line after a field starts a record',
      'path: /x\nUser-agent: a\nDisallow: /y',
      [
        [1, [], [], '/x', []],
        [3, ['a'], [['disallow', '/y']], undefined, []],
      ],
    ],
    [
      'a second path keeps the agents',
      'User-agent: a\npath: /x\npath: /y\n\npath: /z',
      [
        [2, ['a'], [], '/x', []],
        [3, ['a'], [], '/y', []],
        [5, [], [], '/z', []],
      ],
    ],
    ['a comment line bounds nothing', 'path: /x\n # note\nColour: blue', [[1, [], [], '/x', [['Colour', 'blue']]]]],
    [
      '--- and ... end a record',
      'User-agent: a\n---\npath: /x\n...\nname: n',
      [
        [3, [], [], '/x', []],
        [5, [], [], undefined, []],
      ],
    ],
    ['one pair of quotes is removed', 'path: "/x y"\nnote: \'\'', [[1, [], [], '/x y', [['note', '']]]]],
    ['indented lines are ordinary lines', 'path: /x\n   a : b : c', [[1, [], [], '/x', [['a', 'b : c']]]]],
    ['agents without anything else are no record', 'User-agent: a\n', []],
  ];
  it.each(cases)('%s', (_, text, records) => {
    expect(shape(text)).toEqual(records);
  });

  it('keeps a path that is not an http(s) URL, without url, and reports it', () => {
    const { records, diagnostics } = read('path: ftp://example.com/x\npath:\n');
    expect(records.map(({ dataset }) => dataset)).toEqual([{ path: 'ftp://example.com/x' }, { path: '' }]);
    expect(diagnostics).toEqual([
      { code: 'data-path-invalid', severity: 'warning', line: 1, excerpt: 'path: ftp://example.com/x' },
      { code: 'data-path-invalid', severity: 'warning', line: 2, excerpt: 'path:' },
    ]);
  });

  it('resolves only absolute URLs without a base', () => {
    expect(parseDataTxt('path: /x\npath: https://a.example/y').records.map(({ dataset }) => dataset?.url)).toEqual([
      undefined,
      'https://a.example/y',
    ]);
  });

  it('a file that is too long is cut at a line end, and its last part is not a record', () => {
    const { records, truncated } = read(`path: /x\n${'x'.repeat(600_000)}: y`);
    expect(truncated).toBe(true);
    expect(records).toHaveLength(1);
  });

  it('random files never throw, and every field is kept', () => {
    const line = fc.constantFrom(
      'path: /a',
      '- url: b',
      'name: n',
      'User-agent: *',
      'Disallow: /d',
      '',
      '# c',
      'x',
      '---',
      'k: v',
    );
    fc.assert(
      fc.property(fc.array(line), fc.uint8Array(), (lines, bytes) => {
        parseDataTxt(bytes);
        const { records } = read(lines.join('\n'));
        const kept = records.flatMap(({ rules, dataset, extra }) => [
          ...rules,
          ...extra,
          ...Object.keys(dataset ?? {}).filter((key) => key !== 'url'),
        ]);
        expect(kept).toHaveLength(lines.filter((each) => /:/.test(each) && !each.startsWith('User')).length);
      }),
    );
  });
});
