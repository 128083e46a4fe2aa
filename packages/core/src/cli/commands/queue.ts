// `mannerly queue`: the queue of a stopped crawl, one listing at a time.

import type { QueuedUrl } from '@mannerly/frontier';
import { present } from '../../present.js';
import { plural, printable } from '../../report/table.js';
import { reportDamage } from '../crawl-directories.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { inspectionTarget, withInspection } from '../open-inspection.js';

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

/** A line: the URL, and how the crawl found it. */
export function itemText({ priority, record }: QueuedUrl): string {
  const { url, depth, from, via, tries } = record;
  const how = from === null ? via : `${via} on ${printable(from)}`;
  const tried = tries === 0 ? '' : `, tried ${plural(tries, 'time')}`;
  return `${printable(url, 2_000)}  (priority ${priority}, depth ${depth}, ${how}${tried})`;
}
