// `mannerly serve`: a crawl that stays open, with its live view and the HTTP API by which other programs use it.

import type { CrawlFlags } from '../crawl-flags.js';
import { UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { DEFAULT_LISTEN } from '../limits.js';
import { crawlCommand } from './crawl.js';

/** Runs the command. @throws UsageError, MannerlyError */
export async function serveCommand(args: readonly string[], flags: CrawlFlags, io: CliIo): Promise<number> {
  if (flags.dashboard !== undefined) {
    throw new UsageError('serve has the live view at its own address', 'Name its port with --listen.');
  }
  return crawlCommand(args, { ...flags, keepOpen: true, listen: flags.listen ?? DEFAULT_LISTEN }, io);
}
