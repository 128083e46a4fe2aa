// The flags of the commands that do not crawl, as commander returns them, and flags that several commands share.

import { Option } from 'commander';
import type { ExportFormat } from '../output/export-items.js';
import { UsageError } from './failure.js';

/** Sinks that flags name, and a configuration file. */
export interface NamedSinks {
  /** A file; so is `sqlite`. */
  readonly csv?: string;
  /** Whether texts stay unchanged, formulas included. */
  readonly rawCells?: boolean;
  readonly sqlite?: string;
  /** `postgres://user@host/database?table=items`, or a reference to such a URL. */
  readonly postgres?: string;
  /** An http(s) URL, or a reference to one. */
  readonly webhook?: string;
  /** The URL of a bucket, followed by a prefix of keys. */
  readonly s3?: string;
}

/** Flags of the commands that neither crawl nor are about the crawler. */
export interface Flags extends NamedSinks {
  readonly agent?: string;
  readonly allowAddress?: string[];
  readonly contact?: string;
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
  readonly current?: boolean;
  readonly store?: string;
  readonly title?: string;
  readonly to?: string;
  /** Milliseconds. */
  readonly tolerance?: number;
  readonly yes?: boolean;
}

/** A result as `--json` prints it. */
export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Names a crawl on a server. */
export const STORE_FLAG = new Option(
  '--store <url>',
  'the server that keeps the frontier, for several processes or machines: redis://…, rediss://…, postgres://… (?crawl=<name> for one of several crawls; for several servers, their URLs in one argument, separated by spaces)',
);

/** For commands that read what only crawl directories have: prints that. */
export const NO_STORE_FLAG = new Option('--store <url>').hideHelp().argParser(() => {
  throw new UsageError(
    'a server has the queue of a crawl: its logs and items are in the crawl directories of its machines',
    'Copy or mount them in one place and name all of them, <dir> <dir> …. Numbers of all processes: mannerly report --store <url>.',
  );
});

/** For every command with `--csv`. */
export const RAW_CELLS_FLAG = new Option(
  '--raw-cells',
  'with --csv: keep text that a spreadsheet would run as formulas',
);

/** Sinks besides the file of items. */
export const SINK_FLAGS: readonly Option[] = [
  new Option('--csv <file>', 'also write items to this CSV file'),
  RAW_CELLS_FLAG,
  new Option('--sqlite <file>', 'also write items to this SQLite file'),
  new Option(
    '--postgres <url>',
    'also write items to a PostgreSQL table: postgres://user@host/database?table=items, or env:NAME',
  ),
  new Option('--webhook <url>', 'also post items to this URL, or env:NAME'),
  new Option(
    '--s3 <url>',
    'also put items, saved files and archives into a bucket: https://HOST/BUCKET/PREFIX; keys are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ),
];
