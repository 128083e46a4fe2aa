// The flags of the commands that do not crawl, as commander has them, and flags that several commands have.

import { Option } from 'commander';

/** Flags of the commands that neither crawl nor are about the crawler. */
export interface Flags {
  readonly agent?: string;
  readonly allowAddress?: string[];
  readonly contact?: string;
  readonly csv?: string;
  readonly cursor?: string;
  readonly dialect?: string;
  readonly format?: string;
  readonly handlers?: string;
  readonly host?: string;
  readonly items?: string;
  readonly json?: boolean;
  readonly keys?: string;
  readonly label?: string;
  readonly limit?: number;
  readonly name?: string;
  readonly policy?: string;
  readonly preferences?: boolean;
  readonly rawCells?: boolean;
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
  'the server that keeps the frontier, for several processes or machines: redis://…, rediss://…, postgres://… (?crawl=<name> for one of several crawls)',
);

/** Wherever `--csv` is. */
export const RAW_CELLS_FLAG = new Option(
  '--raw-cells',
  'with --csv: keep texts that a spreadsheet would run as formulas',
);
