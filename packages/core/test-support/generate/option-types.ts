// The interfaces of the options, as the source of a TypeScript module. Editors show its doc comments.

import type { Row, Rows, Shape } from '../../src/options/row.js';
import { defaultOf, rangeOf, withoutLinks } from './option-text.js';

const HEAD = `// The options of \`createCrawler\`. Generated from the rows in this folder: edit those, then run \`pnpm generate\`. They
// are one file because a reader of one option usually wants the next.

import type {
  CanonicalRule,
  Clock,
  CustomPoliteness,
  FrontierStore,
  JsonValue,
  RobotsOptions,
  Via,
} from '@mannerly/frontier';
import type { HookOptions } from '../crawl/hooks.js';
import type { CookieJar } from '../fetch/cookies.js';
import type { Fetcher } from '../fetch/fetcher.js';
import type { ItemStage } from '../handle/item-stages.js';
import type { StoreNotice } from '../journal/events.js';
import type { LogFunction, Logger } from '../journal/log-entry.js';
import type { Sink } from '../output/sink.js';
import type { ContentFunction } from '../recrawl/recrawl-options.js';
import type { BrowserOptions } from './browser-rows.js';
`;
/** Types of groups that are declared elsewhere. */
const DECLARED: ReadonlySet<string> = new Set([
  "Omit<RobotsOptions, 'tokens'>",
  'CustomPoliteness',
  'BrowserOptions',
  'HookOptions',
]);
/** Types of groups that the package exports. The members of the others are documented where they are used. */
const EXPORTED: ReadonlySet<string> = new Set([
  'CrawlerOptions',
  'FileOptions',
  'IdentityOptions',
  'ScopeOptions',
  'NetworkOptions',
]);
const MAX_COLUMNS = 120;

/** The module. @param rows - The options of \`createCrawler\`. @param ofFile - Options of a configuration file only. */
export function optionTypes(rows: Rows, ofFile: Rows): string {
  const all = [
    ['CrawlerOptions', rows, 'Everything a crawl can be configured with.', []] as const,
    ['FileOptions', ofFile, 'What a configuration file may say in addition.', []] as const,
    ...groupsOf(rows),
  ].map(([name, each, does, needed]) => declaration(name, each, does, needed));
  return `${HEAD}\n${all.join('\n')}`;
}

type Group = readonly [name: string, rows: Rows, does: string, needsOneOf: readonly string[]];

function groupsOf(rows: Rows): Group[] {
  return Object.entries(rows).flatMap(([name, { shape }]) => {
    const inner = shape.kind === 'list' ? shape.of : shape;
    const shapes = inner.kind === 'either' ? inner.shapes : [inner];
    const groups = shapes.filter((each) => each.kind === 'group' && !DECLARED.has(each.type));
    return groups.flatMap((each) => {
      if (each.kind !== 'group') return [];
      return [
        [each.type, each.rows, `The options of \`${name}\`.`, each.needsOneOf ?? []] as const,
        ...groupsOf(each.rows),
      ];
    });
  });
}

function declaration(name: string, rows: Rows, does: string, needsOneOf: readonly string[]): string {
  const isWhole = name === 'CrawlerOptions';
  const members = Object.entries(rows).map(([key, row]) => member(key, row, isWhole && NEEDED.test(key)));
  const doc = EXPORTED.has(name) ? comment(withoutLinks(does), '') : '';
  if (needsOneOf.length === 0) return `${doc}export interface ${name} {\n${members.join('')}}\n`;
  const needed = needsOneOf.map((key) => `{ readonly ${key}: number }`).join(' | ');
  return `${doc}export type ${name} = Any${name} & (${needed});\n\ninterface Any${name} {\n${members.join('')}}\n`;
}

/** The required options. */
const NEEDED = /^(identity|scope|bounds)$/;

function member(key: string, row: Row, isNeeded: boolean): string {
  const isOptional = row.isRequired !== true && !isNeeded;
  const head = `  readonly ${key}${isOptional ? '?' : ''}:`;
  const type = typeOf(row.shape);
  const line = `${head} ${type};\n`;
  const isLong = line.length > MAX_COLUMNS + 1 && type.includes(' | ');
  return `${comment(docOf(row), '  ')}${isLong ? `${head}\n    | ${type.split(' | ').join('\n    | ')};\n` : line}`;
}

function docOf(row: Row): string {
  const { shape, does } = row;
  const shapes = shape.kind === 'either' ? shape.shapes : [shape];
  const ranges = shapes.filter(({ kind }) => kind === 'number' || kind === 'list').map(rangeOf);
  const counted = ranges.filter((range) => /\d/.test(range)).map((range) => range.replace(/^list of /, ''));
  const range = counted.length === 0 ? '' : ` ${counted.join(', or ')}.`.replace(/^ ([a-z])/, (s) => s.toUpperCase());
  const byDefault = defaultOf(row);
  // The `?` says that an option without a default may be left out.
  const tag = ['', 'none', 'required'].includes(byDefault) ? '' : ` @default ${byDefault.replaceAll('`', '')}`;
  return `${withoutLinks(does)}${range}${tag}`;
}

function typeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'boolean':
    case 'number':
      return shape.kind;
    case 'choice':
      return shape.values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');
    case 'text':
      return 'string';
    case 'list': {
      const of = typeOf(shape.of);
      return `readonly ${of.includes(' ') ? `(${of})` : of}[]`;
    }
    case 'json':
      return 'JsonValue';
    case 'group':
    case 'code':
      return shape.type;
    case 'either':
      return shape.shapes.map((each) => (typeOf(each).includes('=>') ? `(${typeOf(each)})` : typeOf(each))).join(' | ');
  }
}

/** A doc comment in as few lines as 120 columns allow: the file is long, and editors show only the text. */
function comment(text: string, indent: string): string {
  // `@default` stays with its value, and the end with the last word.
  const [first = '', ...words] = `${text}\u00a0*/`.replace('@default ', '@default\u00a0').split(' ');
  const lines = [`${indent}/** ${first}`];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= MAX_COLUMNS) lines[lines.length - 1] = line;
    else lines.push(`${indent} * ${word}`);
  }
  return `${lines.join('\n').replaceAll('\u00a0', ' ')}\n`;
}
