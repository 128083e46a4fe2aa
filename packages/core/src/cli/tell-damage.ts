// Says, before a command answers from a crawl directory, what of it is not as the last run left it.

import { readCrawlDirectory } from '../directory/crawl-directory.js';
import { damageOf } from '../run/directory-damage.js';
import type { CliIo } from './io.js';

/** Prints a line for each damaged file. @throws MannerlyError as `readCrawlDirectory` */
export async function tellDamage(directories: readonly string[], io: CliIo): Promise<void> {
  for (const directory of directories) {
    await readCrawlDirectory(directory);
    for (const file of await damageOf(directory)) io.err(`Damaged: ${file}.`);
  }
}
