// `mannerly wacz`: the archive of a crawl as one file that other programs can open.

import { packageArchive } from '../../archive/package-archive.js';
import { present } from '../../present.js';
import { plural } from '../../report/table.js';
import { reportDamage } from '../crawl-directories.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { withProgress } from '../progress.js';

/** Runs the command. @throws MannerlyError as `packageArchive` */
export async function waczCommand(directory: string, { to, title, json: asJson }: Flags, io: CliIo): Promise<void> {
  await reportDamage([directory], io);
  const summary = await withProgress(io, 'Packaging', 'bytes', null, (onBytes) =>
    packageArchive({ from: directory, nowMs: io.nowMs, onBytes, ...present({ to, title }) }),
  );
  const { path, bytes, warcs } = summary;
  io.out(asJson === true ? json(summary) : `${path}: ${bytes} bytes, ${plural(warcs, 'WARC file')}.`);
}
