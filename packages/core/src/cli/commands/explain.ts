// `mannerly explain`: why a URL was, was not or is not yet fetched, and what a host waits for. It makes no request.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { orIfAbsent } from '../../directory/whole-file.js';
import { parseUrl } from '../../parse-url.js';
import type { Explanation } from '../../report/explain.js';
import { explanationText } from '../../report/explain-text.js';
import { printable } from '../../report/table.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { inspecting, whereOf } from '../open-inspection.js';
import { tellDamage } from '../tell-damage.js';

/**
 * Runs the command. A URL that the crawl never met is no error.
 *
 * @param first - The crawl directory; with `--store` the URL or host.
 * @param second - A URL, or the name of a host.
 * @throws UsageError, MannerlyError
 */
export async function explainCommand(
  first: string,
  second: string | undefined,
  flags: Flags,
  io: CliIo,
): Promise<number> {
  const [directory, about] = second === undefined && flags.store !== undefined ? [undefined, first] : [first, second];
  if (about === undefined)
    throw new UsageError('missing argument: url-or-host', 'First the crawl directory, then a URL or a host.');
  if (parseUrl(about) === null && (about.includes('/') || parseUrl(`http://${about}/`) === null)) {
    const hint = 'First the crawl directory, then https://example.org/page, written whole, or example.org.';
    throw new UsageError(`"${about}" is neither a URL nor a host`, hint);
  }
  const where = whereOf(directory, flags);
  if ('directory' in where) await tellDamage([where.directory], io);
  const robotsPath = 'directory' in where ? (await readCrawlDirectory(where.directory)).robotsPath : null;
  const { explanation, isAtRest } = await inspecting(where, async (inspection) => ({
    explanation: await inspection.explain(about),
    isAtRest: 'directory' in where && inspection.whyLogsOnly === null,
  }));
  if (flags.json === true) {
    io.out(json(explanation));
    return EXIT.ok;
  }
  io.out(explanationText(explanation));
  const quoted = await quotedLine(explanation, robotsPath);
  if (quoted !== null) io.out(`  It reads: ${printable(quoted)}`);
  if (isAtRest && ['waiting', 'held'].includes(explanation.status))
    io.out('  No run has the directory open. The command that started the crawl continues it.');
  return EXIT.ok;
}

/** The deciding line of the robots.txt copy; `null` where there is no line or no copy. */
async function quotedLine({ line, robots }: Explanation, robotsPath: string | null): Promise<string | null> {
  const hash = robots?.hash ?? '';
  if (robotsPath === null || line === null || !/^[0-9a-f]+$/.test(hash)) return null;
  const text = await orIfAbsent('', () => readFile(join(robotsPath, `${hash}.txt`), 'utf8'));
  return text.split(/\r\n|\r|\n/)[line - 1] || null;
}
