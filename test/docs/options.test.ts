// The reference of options is where a user looks up a default or a bound. The schema of configurations is compared with
// the options themselves elsewhere; here the page is compared with the schema: every key, its words, its range, its
// default.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rootPath } from '../house/source-tree.js';
import { keysOf } from './code-words.js';
import { type Row, rowsUnder } from './tables.js';

interface Part {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Part[];
  readonly properties?: Readonly<Record<string, Part>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

const schema = JSON.parse(readFileSync(`${rootPath}packages/core/schema/config.schema.json`, 'utf8')) as Part;
const page = readFileSync(`${rootPath}docs/reference/options.md`, 'utf8');
const rows = rowsUnder(page, null).filter(({ words }) => words.length > 0);

/**
 * Options that are code: the schema of a JSON file cannot have them. Their groups are interfaces, read from the source.
 */
const OF_CODE = ['scope.allows', 'urls.rules', 'network.resolve', 'hooks', 'sinks', 'fetcher', 'store', 'clock'];
const OF_A_RUN = keysOf('packages/core/src/crawler.ts', 'RunOptions');

/** Every option with its part; a group that holds nothing but other options has no row of its own. */
function options(part: Part, path: string): (readonly [path: string, part: Part])[] {
  const groups = [part, ...(part.anyOf ?? [])].flatMap(({ properties = {} }) => Object.entries(properties));
  const below = groups.flatMap(([name, each]) => options(each, path === '' ? name : `${path}.${name}`));
  const isGroup = part.properties !== undefined;
  return path === '' || isGroup ? below : [[path, part], ...below];
}

/** What a row does not say of its option. */
function faults(part: Part, row: Row | undefined): string[] {
  if (row === undefined) return ['no row'];
  const [, range = '', standard = ''] = row.cells;
  const choices = [part, ...(part.anyOf ?? [])].flatMap((each) => each.enum ?? []);
  const ends = [part.minimum, part.maximum, part.minLength, part.maxLength, part.minItems, part.maxItems];
  const sayable = ends.filter((end): end is number => end !== undefined && end < Number.MAX_SAFE_INTEGER);
  // A single letter at least, or a single path: that it may not be empty goes without saying.
  const told = part.minLength !== undefined && part.maxLength === undefined ? [] : sayable;
  return [
    ...told.filter((end) => !range.includes(written(end))).map((end) => `the range lacks ${written(end)}`),
    ...choices.filter((word) => !row.cells.join().includes(`\`${word}\``)).map((word) => `the word ${word} is missing`),
    ...(part.default === undefined || standard.includes(written(part.default))
      ? []
      : [`the default lacks ${written(part.default)}`]),
    ...(row.cells.some((cell) => cell === '') ? ['an empty cell'] : []),
  ];
}

/** As the page writes it. */
function written(value: unknown): string {
  if (value === 1 / 3_600) return '1/3,600';
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

const known = options(schema, '');

describe('docs/reference/options.md', () => {
  it('has every option of a configuration, with its range, its words and its default', () => {
    expect(known.length).toBeGreaterThan(90);
    const told = known.flatMap(([path, part]) => {
      // `traps: false` and `archive: true` have rows, and their objects' options have theirs.
      const row = rows.find(({ words: [word] }) => word === path);
      return faults(part, row).map((fault) => `${path}: ${fault}`);
    });
    expect(told).toEqual([]);
  });

  it('has every option that is code, and every option of a run', () => {
    const first = rows.map(({ words: [word] }) => word);
    expect([...OF_CODE, ...OF_A_RUN].filter((name) => !first.includes(name))).toEqual([]);
  });

  it('has no option that does not exist', () => {
    const exist = [...known.map(([path]) => path), ...OF_CODE, ...OF_A_RUN];
    expect(rows.map(({ words: [word = ''] }) => word).filter((word) => !exist.includes(word))).toEqual([]);
  });

  it('has the groups of createCrawler, and no others', () => {
    const groups = keysOf('packages/core/src/options/options.ts', 'CrawlerOptions');
    const said = new Set(rows.map(({ words: [word = ''] }) => word.split('.')[0]));
    expect(groups.filter((group) => !said.has(group))).toEqual([]);
  });

  it.each<[string, Part, string[]]>([
    ['| `a` | 1 to 1,000 | 5 | x |', { minimum: 1, maximum: 1_000, default: 5 }, []],
    ['| `a` | 1 to 999 | 5 | x |', { minimum: 1, maximum: 1_000, default: 5 }, ['the range lacks 1,000']],
    ['| `a` | 1 to 1,000 | 4 | x |', { minimum: 1, maximum: 1_000, default: 5 }, ['the default lacks 5']],
    ['| `a` | `b` | `b` | x |', { enum: ['b', 'c'] }, ['the word c is missing']],
    ['| `a` | `b` | `b` | |', { enum: ['b'] }, ['an empty cell']],
  ])('would find a fault: %s', (line, part, expected) => {
    const [row] = rowsUnder(`| a | b | c | d |\n|---|---|---|---|\n${line}\n`, null);
    expect(faults(part, row)).toEqual(expected);
  });
});
