// The flags of `mannerly crawl` that set an option, made from the option table, and how the values of flags are read.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { MannerlyError } from '../errors.js';
import type { CrawlConfig } from '../options/config.js';
import type { CrawlerOptions } from '../options/crawler-options.js';
import type { Flag, Row, Shape } from '../options/row.js';
import { choiceHint } from '../options/suggestion.js';
import { type PlacedRow, placedRows, SECTIONS } from '../options/table.js';
import { present } from '../present.js';
import { appendValue, numberArgument, oneOf } from './flags.js';

/** Options of a crawl of which any may be absent. */
export type PartialOptions = { readonly [K in keyof CrawlerOptions]?: Partial<CrawlerOptions[K]> } & Pick<
  CrawlConfig,
  'browser'
>;

interface FlaggedRow extends PlacedRow {
  readonly flag: Flag;
  /** That of its section. */
  readonly title: string;
  /** The property in which commander keeps the value. */
  readonly property: string;
}

/** The options with a flag, section by section. */
export const FLAGGED_ROWS: readonly FlaggedRow[] = SECTIONS.flatMap(({ title, rows }) =>
  placedRows(rows).flatMap(({ path, row }) => {
    const { flag } = row;
    return flag === undefined ? [] : [{ path, row, flag, title, property: new Option(flag.name).attributeName() }];
  }),
);

/** Adds the flags to a command, each under the title of its section. */
export function withOptionFlags(command: Command): void {
  for (const flagged of FLAGGED_ROWS) command.addOption(optionOf(flagged).helpGroup(`${flagged.title}:`));
}

/** The default of the command for a bound, and the reader of its value. */
export function boundFlag(bound: 'pages' | 'minutes') {
  const { row, flag } = FLAGGED_ROWS.find(({ path }) => path === `bounds.${bound}`) as FlaggedRow;
  return { default: flag.default as number, read: readerOf(row.shape, flag) };
}

export function optionsFromFlags(values: Readonly<Record<string, unknown>>): PartialOptions {
  const options: Record<string, unknown> = {};
  for (const { path, flag, property } of FLAGGED_ROWS) {
    const value = values[property];
    const isNegated = flag.name.startsWith('--no-');
    if (value === undefined || (isNegated && value !== false)) continue;
    setOption(options, path, flag.sets ?? value);
    if (flag.alsoSets !== undefined) setOption(options, flag.alsoSets, true);
  }
  return options as PartialOptions;
}

/** The same error, with the flag that set the value next to the option. */
export function withFlagName(error: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof MannerlyError)) return error;
  const [, path] = /`([\w.]+)/.exec(error.message) ?? [];
  const row = FLAGGED_ROWS.find((each) => each.path === path && values[each.property] !== undefined);
  if (row === undefined) return error;
  const message = error.message.replace(/`[^`]+`/, (option) => `${option} (${row.flag.name.replace(/ .*/, '')})`);
  return new MannerlyError(error.code, message, present({ hint: error.hint, cause: error.cause }));
}

function setOption(options: Record<string, unknown>, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    // A flag of the whole group keeps what other flags have set of its parts.
    if (typeof value !== 'object' || options[name] === undefined) options[name] = value;
    return;
  }
  const group = { ...(options[name] as object | undefined) } as Record<string, unknown>;
  options[name] = group;
  setOption(group, rest.join('.'), value);
}

export function optionOf({ row, flag }: FlaggedRow): Option {
  const option = new Option(flag.name, helpOf(row, flag));
  return option.required || option.optional ? option.argParser(readerOf(row.shape, flag)) : option;
}

function helpOf({ shape, default: value }: Row, flag: Flag): string {
  const choices = choicesOf(shape);
  const defaultValue = flag.default ?? (typeof value === 'boolean' || typeof value === 'object' ? null : value);
  const displayed = flag.isSeconds === true ? Number(defaultValue) / 1_000 : defaultValue;
  const more = [
    ...(choices === null || flag.sets !== undefined ? [] : [choices.join(', ')]),
    // A flag without a value sets a value other than the default.
    ...(displayed === null || flag.sets !== undefined || !/[<[]/.test(flag.name) ? [] : [`default: ${displayed}`]),
  ];
  return more.length === 0 ? flag.help : `${flag.help} (${more.join('; ')})`;
}

function choicesOf(shape: Shape): readonly string[] | null {
  if (shape.kind === 'choice') return shape.values.map(String);
  if (shape.kind === 'list') return choicesOf(shape.of);
  return shape.kind === 'either' ? choicesOf(flagShape(shape)) : null;
}

/** The one of several shapes that a flag takes: a list rather than one word, a text rather than a number. */
function flagShape(shape: Shape & { readonly kind: 'either' }): Shape {
  const [first] = shape.shapes;
  return shape.shapes.find(({ kind }) => kind === 'list') ?? (first as Shape);
}

function readerOf(shape: Shape, flag: Flag): (text: string, before?: unknown) => unknown {
  switch (shape.kind) {
    case 'number': {
      const { min, max, isInteger, isExclusiveMin } = shape.range;
      const parseNumber = numberArgument(min, max, isInteger, isExclusiveMin);
      if (flag.isDays === true) return (text) => parseNumber(daysText(text));
      if (flag.isSeconds !== true) return parseNumber;
      const read = numberArgument(min / 1_000, max / 1_000, isInteger, isExclusiveMin);
      return (text) => read(text) * 1_000;
    }
    case 'choice': {
      const choices = shape.values.map(String);
      return (text) => oneOf(flag.name.replace(/ .*/, ''), choices, text, choiceHint(text, choices));
    }
    case 'list': {
      const read = readerOf(shape.of, flag);
      return (text, before) => appendValue(read(text), before as unknown[] | undefined);
    }
    case 'either':
      return readerOf(flagShape(shape), flag);
    case 'text':
      return (text) => text;
    default:
      throw new InvalidArgumentError(`${flag.name} takes no value`);
  }
}

/** `7d`, `12h` and `2w` as a number of days. @throws InvalidArgumentError for another unit, or a word */
function daysText(text: string): string {
  const [, count = '', unit = ''] = /^([\d.]+) ?([hdw])$/.exec(text.trim()) ?? [];
  if (count === '' && Number.isNaN(Number(text)))
    throw new InvalidArgumentError('Expected days such as 7 or 7d, hours such as 12h, or weeks such as 2w.');
  return count === '' ? text : String((Number(count) * { h: 1, d: 24, w: 168 }[unit as 'h' | 'd' | 'w']) / 24);
}
