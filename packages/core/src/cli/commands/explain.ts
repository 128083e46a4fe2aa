// `mannerly explain` and `mannerly queue`: why a URL was or was not fetched, what a host waits for, and the queue of a
// stopped crawl, one listing at a time. They make no request.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { QueuedUrl } from '@mannerly/frontier';
import { parseRobots } from '@mannerly/robots';
import { diagnose } from '@mannerly/robots/diagnostics';
import { orIfAbsent } from '../../directory/atomic-file.js';
import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { parseUrl } from '../../parse-url.js';
import { present } from '../../present.js';
import { type Explanation, isHostName } from '../../report/explain.js';
import { explanationText } from '../../report/explain-text.js';
import { plural, printable } from '../../report/table.js';
import { reportDamage } from '../crawl-directories.js';
import { UsageError } from '../failure.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { MAX_CLOCK_LEAD_MS } from '../limits.js';
import { inspectionTarget, withInspection } from '../open-inspection.js';

/**
 * Runs the command. A URL that the crawl never met is not an error.
 * @param first - The crawl directory; with `--store` the URL or host.
 * @param second - A URL, or the name of a host.
 * @throws UsageError, MannerlyError
 */
export async function explainCommand(
  first: string,
  second: string | undefined,
  flags: Flags,
  io: CliIo,
): Promise<void> {
  const [directory, target] = second === undefined && flags.store !== undefined ? [undefined, first] : [first, second];
  if (target === undefined)
    throw new UsageError('missing argument: url-or-host', 'First the crawl directory, then a URL or a host.');
  if (parseUrl(target) === null && !isHostName(target)) {
    const hint =
      'First the crawl directory, then a whole URL such as https://example.org/page, or a host such as example.org.';
    throw new UsageError(`"${target}" is neither a URL nor a host`, hint);
  }
  const where = inspectionTarget(directory, flags);
  if ('directory' in where) await reportDamage([where.directory], io);
  const robotsPath = 'directory' in where ? (await readCrawlDirectory(where.directory)).robotsPath : null;
  const { explanation, isStopped } = await withInspection(where, io, async (inspection) => ({
    explanation: await inspection.explain(target),
    isStopped: 'directory' in where && inspection.logsOnlyReason === null,
  }));
  if (flags.json === true) {
    io.out(json(explanation));
    return;
  }
  io.out(explanationText(explanation));
  const { decision, visit } = explanation;
  if (Math.max(decision?.atMs ?? 0, visit?.lastVisitMs ?? 0) > io.nowMs() + MAX_CLOCK_LEAD_MS)
    io.out('  That is later than now by the clock of this machine: it is wrong, or that of the crawl was.');
  const decider = await decidingLine(explanation, robotsPath);
  if (decider !== null) io.out(`  Line ${explanation.line} reads: ${printable(decider.text)}`);
  for (const text of decider?.readAs ?? []) io.out(`  It counts as: ${printable(text)}`);
  const isUndecided = ['unknown', 'waiting'].includes(explanation.status);
  if (isUndecided && explanation.place === null && 'store' in where)
    io.out('  A server keeps no log: mannerly explain <dir> <url> has what the process of that directory decided.');
  if (isStopped && ['waiting', 'held'].includes(explanation.status))
    io.out('  No run has the directory open. The command that started the crawl continues it.');
}

/** The deciding line of the robots.txt copy, and how a repair changed it; `null` if there is no line or no copy. */
async function decidingLine(
  { line, robots }: Explanation,
  robotsPath: string | null,
): Promise<{ text: string; readAs: readonly string[] } | null> {
  const hash = robots?.hash ?? '';
  if (robotsPath === null || line === null || robots === null || !/^[0-9a-f]+$/.test(hash)) return null;
  const file = await orIfAbsent(null, () => readFile(join(robotsPath, `${hash}.txt`)));
  const text = file?.toString().split(/\r\n|\r|\n/)[line - 1];
  if (!file || !text) return null;
  const diagnostics = diagnose(parseRobots(file, { robotsUrl: `${robots.authority}/robots.txt` }));
  return { text, readAs: diagnostics.find((diagnostic) => diagnostic.line === line)?.readAs ?? [] };
}

/** Runs the command. An empty queue is not an error. @throws MannerlyError `directory-in-use` during a run */
export async function queueCommand(directory: string | undefined, flags: Flags, io: CliIo): Promise<void> {
  const { host, limit = 100, cursor = null, store } = flags;
  const request = { limit, cursor, ...present({ host }) };
  if (directory !== undefined && store === undefined) await reportDamage([directory], io);
  const listing = await withInspection(inspectionTarget(directory, flags), io, (inspection) =>
    inspection.queued(request),
  );
  if (flags.json === true) {
    io.out(json(listing));
    return;
  }
  for (const item of listing.items) io.out(itemText(item));
  if (listing.cursor !== null) {
    const only = host === undefined ? '' : ` --host ${printable(host)}`;
    const where = directory ?? `--store '${store}'`;
    io.out(`More: mannerly queue ${where}${only} --limit ${limit} --cursor '${listing.cursor}'`);
  } else if (listing.items.length === 0) io.out(cursor === null ? 'Nothing is queued.' : 'Nothing more is queued.');
}

export function itemText({ priority, record }: QueuedUrl): string {
  const { url, depth, from, via, tries } = record;
  const how = from === null ? via : `${via} on ${printable(from)}`;
  const tried = tries === 0 ? '' : `, tried ${plural(tries, 'time')}`;
  return `${printable(url, 2_000)}  (priority ${priority}, depth ${depth}, ${how}${tried})`;
}
