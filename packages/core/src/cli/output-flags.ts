// The flags about what a crawl leaves behind beside its directory's own files, and what they stand for.

import type { Command } from 'commander';
import { type CrawlerOptions, csvSink } from 'mannerly';
import { numberArgument } from './flag-values.js';

/** The flags as commander hands them over. */
export interface OutputFlags {
  readonly warc?: boolean;
  readonly wacz?: boolean;
  readonly warcBytes?: number;
  readonly csv?: string;
  readonly decisionsSample?: number;
  readonly decisionsMax?: number;
}

const MIB = 1_048_576;

/** Adds the flags to a command; its own `--json` stands among them. */
export function withOutput(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--warc', 'archive every exchange as WARC 1.1, in the archive/ of the crawl directory')
    .option('--wacz', 'package that archive as archive.wacz at the end (with it, --warc)')
    .option(
      '--warc-bytes <bytes>',
      'bytes of a WARC file after which the next one begins (default: 1000000000; with it, --warc)',
      numberArgument(MIB, MIB * MIB, true),
    )
    .option('--csv <file>', 'write items to this CSV file too')
    .option(
      '--decisions-sample <share>',
      'share of URLs with a line in decisions.jsonl, 0 to 1; what is excluded or failed has one (default: 1)',
      numberArgument(0, 1, false),
    )
    .option(
      '--decisions-max <lines>',
      'lines that a run writes to decisions.jsonl at most; the rest is counted',
      numberArgument(1, 1_000_000_000, true),
    )
    .option('--json', 'print the report as JSON on standard output');
}

/** The options they stand for. @throws Never */
export function outputFrom({
  warc,
  wacz,
  warcBytes,
  csv,
  decisionsSample,
  decisionsMax,
}: OutputFlags): Pick<CrawlerOptions, 'archive' | 'sinks' | 'decisionLog'> {
  const isArchived = warc === true || wacz === true || warcBytes !== undefined;
  return {
    ...(isArchived ? { archive: { wacz: wacz === true, ...(warcBytes === undefined ? {} : { warcBytes }) } } : {}),
    ...(csv === undefined ? {} : { sinks: [csvSink({ path: csv })] }),
    ...(decisionsSample === undefined && decisionsMax === undefined
      ? {}
      : {
          decisionLog: {
            ...(decisionsSample === undefined ? {} : { sample: decisionsSample }),
            ...(decisionsMax === undefined ? {} : { maxLines: decisionsMax }),
          },
        }),
  };
}
