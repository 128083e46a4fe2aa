// The interfaces of the options, as the source of a TypeScript module. Editors show its doc comments, whose sentences
// are those of the reference.

import type { Row, Rows, Shape } from '../../src/options/row.js';
import { defaultOf, rangeOf, type Sentences, UNSAID, withoutLinks } from './option-text.js';

const HEAD = `// The options of \`createCrawler\`. Generated from the rows in this folder and from the sentences of
// docs/reference/options.md: edit those, then run \`pnpm generate\`. It is still one file because a reader of one option
// usually wants the next.

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
import type { GivenBrowser } from './browser-rows.js';
`;
/** Types of groups that are declared elsewhere. */
const DECLARED: ReadonlySet<string> = new Set([
  "Omit<RobotsOptions, 'tokens'>",
  'CustomPoliteness',
  'GivenBrowser',
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

/**
 * The module.
 *
 * @param rows - Those of `createCrawler`, and what they do.
 * @param ofFile - Those of a configuration file alone.
 */
export function optionTypes(rows: Rows, said: Sentences, ofFile: Rows, saidOfFile: Sentences): string {
  const all = [
    declaration('CrawlerOptions', rows, '', said, 'Everything a crawl can be configured with.'),
    declaration('FileOptions', ofFile, '', saidOfFile, 'What a configuration file may say in addition.'),
    ...groupTypes(rows, '', said),
  ];
  return `${HEAD}\n${all.join('\n')}`;
}

/** The types of groups. @param prefix - The path of what holds them, with a dot. */
function groupTypes(rows: Rows, prefix: string, said: Sentences): string[] {
  return Object.entries(rows).flatMap(([name, { shape }]) => {
    const isList = shape.kind === 'list';
    const shapes = shape.kind === 'either' ? shape.shapes : [isList ? shape.of : shape];
    const within = `${prefix}${name}${isList ? '[]' : ''}.`;
    return shapes.flatMap((each) => {
      if (each.kind !== 'group' || DECLARED.has(each.type)) return [];
      const { type, rows: inner, needsOneOf } = each;
      const about = `The options of \`${name}\`.`;
      return [declaration(type, inner, within, said, about, needsOneOf), ...groupTypes(inner, within, said)];
    });
  });
}

function declaration(
  name: string,
  rows: Rows,
  prefix: string,
  said: Sentences,
  about: string,
  needsOneOf: readonly string[] = [],
): string {
  const isWhole = name === 'CrawlerOptions';
  const members = Object.entries(rows).map(([key, row]) => {
    const does = said.get(`${prefix}${key}`) ?? UNSAID;
    return member(key, row, does, isWhole && NEEDED.test(key));
  });
  const doc = EXPORTED.has(name) ? comment(about, '') : '';
  if (needsOneOf.length === 0) return `${doc}export interface ${name} {\n${members.join('')}}\n`;
  const needed = needsOneOf.map((key) => `{ readonly ${key}: number }`).join(' | ');
  return `${doc}export type ${name} = Any${name} & (${needed});\n\ninterface Any${name} {\n${members.join('')}}\n`;
}

/** The options that no crawl goes without. */
const NEEDED = /^(identity|scope|bounds)$/;

function member(key: string, row: Row, does: string, isNeeded: boolean): string {
  const isOptional = row.isRequired !== true && !isNeeded;
  const head = `  readonly ${key}${isOptional ? '?' : ''}:`;
  const type = typeOf(row.shape);
  const line = `${head} ${type};\n`;
  const isLong = line.length > MAX_COLUMNS + 1 && type.includes(' | ');
  return `${comment(docOf(row, does), '  ')}${isLong ? `${head}\n    | ${type.split(' | ').join('\n    | ')};\n` : line}`;
}

function docOf(row: Row, does: string): string {
  const { shape } = row;
  const shapes = shape.kind === 'either' ? shape.shapes : [shape];
  const ranges = shapes.filter(({ kind }) => kind === 'number' || kind === 'list').map(rangeOf);
  const counted = ranges.filter((range) => /\d/.test(range)).map((range) => range.replace(/^list of /, ''));
  const range = counted.length === 0 ? '' : ` ${counted.join(', or ')}.`.replace(/^ ([a-z])/, (s) => s.toUpperCase());
  const byDefault = defaultOf(row);
  // That an option without a default may be left out, its `?` says.
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
    case 'group':
    case 'code':
      return shape.type;
    case 'either':
      return shape.shapes.map((each) => (typeOf(each).includes('=>') ? `(${typeOf(each)})` : typeOf(each))).join(' | ');
  }
}

/** A doc comment of as few lines as 120 columns allow. */
function comment(text: string, indent: string): string {
  if (indent.length + text.length + 7 <= MAX_COLUMNS) return `${indent}/** ${text} */\n`;
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (indent.length + line.length + 2 <= MAX_COLUMNS) lines[lines.length - 1] = line;
    else lines.push(` ${word}`);
  }
  return `${indent}/**\n${lines.map((line) => `${indent} *${line}\n`).join('')}${indent} */\n`;
}
