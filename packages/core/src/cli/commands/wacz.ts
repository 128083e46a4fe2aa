// `mannerly wacz`: the archive of a crawl as one file that others can open.

import { packageArchive } from '../../archive/package-archive.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { showWork, watched } from '../progress.js';

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
  const summary = await watched(showWork(io, 'Packaging', 'bytes'), (tell) =>
    packageArchive({
      from: directory,
      nowMs: io.nowMs,
      onBytes: tell,
      ...(to === undefined ? {} : { to }),
      ...(title === undefined ? {} : { title }),
    }),
  );
  io.out(
    json === true
      ? JSON.stringify(summary, null, 2)
      : `${summary.path}: ${summary.bytes} bytes, ${summary.warcs} WARC files.`,
  );
  return EXIT.ok;
}
