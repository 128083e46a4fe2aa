// The flags of the commands that do not crawl, as commander returns them; flags that several commands share; and how
// the values of flags are read.

import { InvalidArgumentError, Option } from 'commander';
import type { LicenseParty } from '../licensing/license-terms.js';
import type { FileOptions } from '../options/crawler-options.js';
import type { ExportFormat } from '../output/export-items.js';
import { UsageError } from './failure.js';

/** Sinks that flags name, and a configuration file. */
export interface NamedSinks extends Pick<FileOptions, 'csv' | 'sqlite' | 'postgres' | 'webhook' | 's3'> {
  /** Whether texts stay unchanged, formulas included. */
  readonly rawCells?: boolean;
}

/** Flags of the commands that neither crawl nor are about the crawler. */
export interface Flags extends NamedSinks {
  readonly agent?: string;
  readonly allowAddress?: string[];
  readonly contact?: string;
  readonly country?: string;
  readonly current?: boolean;
  readonly cursor?: string;
  readonly dialect?: string;
  readonly format?: ExportFormat;
  readonly handlers?: string;
  readonly host?: string;
  readonly items?: string;
  readonly json?: boolean;
  readonly keys?: string;
  readonly label?: string;
  readonly limit?: number;
  readonly listen?: string;
  readonly listenName?: readonly string[];
  readonly metrics?: boolean;
  readonly name?: string;
  readonly policy?: string;
  readonly preferences?: boolean;
  readonly store?: string;
  readonly title?: string;
  readonly to?: string;
  /** Milliseconds. */
  readonly tolerance?: number;
  readonly user?: LicenseParty['user'];
  readonly yes?: boolean;
}

/** The flags of `mannerly identity` as commander has them. */
export interface IdentityFlags extends Pick<Flags, 'name' | 'to' | 'keys' | 'allowAddress' | 'json'> {
  readonly key?: string;
  readonly config?: string;
  readonly also?: readonly string[];
  readonly leaked?: boolean;
  readonly listen?: number;
  readonly live?: string;
}

/** A result as `--json` prints it. */
export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

export const STORE_FLAG = flag(
  '--store <url>',
  'the server that keeps the frontier, for several processes or machines: redis://…, rediss://…, postgres://… (?crawl=<name> for one of several crawls; for several servers, their URLs in one argument, separated by spaces)',
);

/** For commands that read what only crawl directories have: prints that. */
export const NO_STORE_FLAG = flag('--store <url>', '')
  .hideHelp()
  .argParser(() => {
    throw new UsageError(
      'a server has the queue of a crawl: its logs and items are in the crawl directories of its machines',
      'Copy or mount them in one place and name all of them, <dir> <dir> …. Numbers of all processes: mannerly report --store <url>.',
    );
  });

/** For every command with `--csv`. */
export const RAW_CELLS_FLAG = flag('--raw-cells', 'with --csv: keep text that a spreadsheet would run as formulas');

/** Sinks besides the file of items. */
export const SINK_FLAGS: readonly Option[] = [
  flag('--csv <file>', 'also write items to this CSV file'),
  RAW_CELLS_FLAG,
  flag('--sqlite <file>', 'also write items to this SQLite file'),
  flag(
    '--postgres <url>',
    'also write items to a PostgreSQL table: postgres://user@host/database?table=items, or env:NAME',
  ),
  flag('--webhook <url>', 'also post items to this URL, or env:NAME'),
  flag(
    '--s3 <url>',
    'also put items, saved files and archives into a bucket: https://HOST/BUCKET/PREFIX; keys are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ),
];

/** @param parse - Reads its value. @param value - Its default. */
export function flag<T>(name: string, help: string, parse?: (text: string, before: T) => T, value?: T): Option {
  const made = new Option(name, help).default(value);
  return parse === undefined ? made : made.argParser(parse);
}

export function appendValue<T>(value: T, before: readonly T[] = []): T[] {
  return [...before, value];
}

/** One of a few values. @throws UsageError naming the flag, the values and the given one. */
export function oneOf<T extends string>(flag: string, choices: readonly T[], value: string, hint?: string): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined)
    throw new UsageError(`expected ${flag} to be one of ${choices.join(', ')}, got "${value}"`, hint);
  return found;
}

/** @param hasCsv - Whether a CSV file is written. @throws UsageError */
export function checkRawCells(rawCells: boolean | undefined, hasCsv: boolean): void {
  if (rawCells === true && !hasCsv) throw new UsageError('--raw-cells needs --csv', 'For instance: --csv items.csv');
}

export function numberArgument(
  min: number,
  max: number,
  isWhole: boolean,
  isMinExclusive = false,
): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const isInRange = value <= max && (isMinExclusive ? value > min : value >= min);
    if (isInRange && (!isWhole || Number.isInteger(value))) return value;
    const range = isMinExclusive ? `above ${min}, up to ${max}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`Expected a ${isWhole ? 'whole ' : ''}number ${range}.`);
  };
}

/** Reads a date (midnight, UTC) or a date with a time, as epoch milliseconds. @throws InvalidArgumentError */
export function dateArgument(text: string): number {
  const atMs = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw new InvalidArgumentError('Expected a date such as 2026-05-01 or 2026-05-01T18:30Z.');
}

/** Reads the printed end of a listing: its form depends on the store. @throws InvalidArgumentError */
export function cursorArgument(text: string): string {
  if (/^(?:.+ [0-9a-f]{8}|waiting \d+)$/s.test(text)) return text;
  throw new InvalidArgumentError('Expected what the last listing has printed behind --cursor.');
}

export function countryArgument(text: string): string {
  if (/^[a-z]{2}$/i.test(text)) return text;
  throw new InvalidArgumentError('Expected two letters, such as DE.');
}
