// `mannerly queue`: what a stopped crawl has still queued, page by page.

import type { QueuedUrl } from '@mannerly/frontier';
import { printable } from '../../report/table.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { inspecting, type StoreFlag, whereOf } from '../open-inspection.js';

/** The flags as commander hands them over. */
export interface QueueFlags extends StoreFlag {
  readonly host?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

/**
 * Runs the command.
 *
 * @returns The exit code; an empty queue is no error.
 * @throws MannerlyError `directory-in-use` while a run has the directory; `directory-taken`, `directory-format`.
 */
export async function queueCommand(directory: string | undefined, flags: QueueFlags, io: CliIo): Promise<number> {
  const { host, limit, cursor = null } = flags;
  const where = whereOf(directory, flags);
  const request = { limit, cursor, ...(host === undefined ? {} : { host }) };
  const page = await inspecting(where, (inspection) => inspection.queued(request));
  if (flags.json === true) {
    io.out(JSON.stringify(page, null, 2));
    return EXIT.ok;
  }
  for (const item of page.items) io.out(itemText(item));
  if (page.cursor !== null) io.out(`More: ${again(directory ?? `--store '${flags.store}'`, flags, page.cursor)}`);
  else if (page.items.length === 0) io.out(cursor === null ? 'Nothing is queued.' : 'Nothing more is queued.');
  return EXIT.ok;
}

/** A line: the URL, and how the crawl came to it. */
function itemText({ priority, record }: QueuedUrl): string {
  const { url, depth, from, via, tries } = record;
  const how = from === null ? via : `${via} on ${printable(from)}`;
  return `${printable(url, 2_000)}  (priority ${priority}, depth ${depth}, ${how}${tries === 0 ? '' : `, tried ${tries} times`})`;
}

/** The command for the next page. */
function again(directory: string, { host, limit }: QueueFlags, cursor: string): string {
  const only = host === undefined ? '' : ` --host ${printable(host)}`;
  return `mannerly queue ${directory}${only} --limit ${limit} --cursor '${cursor}'`;
}
