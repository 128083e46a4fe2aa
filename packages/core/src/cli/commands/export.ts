// `mannerly export`: the items of a crawl as one file of JSON lines, from those of all its processes, each item once.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { joinedItems, readCrawlDirectory } from 'mannerly';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';

/**
 * Runs the command.
 *
 * @param directories - Crawl directories: those of all machines that worked on one crawl, together.
 * @returns The exit code.
 * @throws MannerlyError `directory-taken`, `directory-format`.
 */
export async function exportCommand(
  directories: readonly string[],
  flags: { readonly to?: string },
  io: CliIo,
): Promise<number> {
  const found = await Promise.all(directories.map(readCrawlDirectory));
  const paths = found.flatMap(({ parts }) => parts.map(({ itemsPath }) => itemsPath));
  if (flags.to === undefined) {
    for await (const line of joinedItems(paths)) await io.outSoon(line);
    return EXIT.ok;
  }
  const file = createWriteStream(flags.to, { flags: 'wx' });
  await once(file, 'open');
  let items = 0;
  for await (const line of joinedItems(paths)) {
    items += 1;
    if (!file.write(`${line}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  io.err(`${items} item${items === 1 ? '' : 's'} in ${flags.to}.`);
  return EXIT.ok;
}
