// `mannerly wacz`: the archive of a crawl as one file that others can open.

import { packageArchive } from 'mannerly';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';

/** The flags as commander hands them over. */
export interface WaczFlags {
  readonly to?: string;
  readonly title?: string;
  readonly json?: boolean;
}

/**
 * Runs the command.
 *
 * @returns The exit code.
 * @throws MannerlyError as `packageArchive`.
 */
export async function waczCommand(directory: string, { to, title, json }: WaczFlags, io: CliIo): Promise<number> {
  const summary = await packageArchive({
    from: directory,
    nowMs: io.nowMs,
    ...(to === undefined ? {} : { to }),
    ...(title === undefined ? {} : { title }),
  });
  io.out(
    json === true
      ? JSON.stringify(summary, null, 2)
      : `${summary.path}: ${summary.bytes} octets, ${summary.warcs} WARC files.`,
  );
  return EXIT.ok;
}
