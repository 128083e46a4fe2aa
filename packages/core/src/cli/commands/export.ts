// `mannerly export`: the items of a crawl as one file of JSON lines or one table, from those of all its processes, each item once.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { csvSink, type Item, joinedItems, readCrawlDirectory } from 'mannerly';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';

/** The flags as commander hands them over. */
export interface ExportFlags {
  readonly to?: string;
  readonly csv?: string;
}

/** Items that go into a table at a time. The columns are the keys of the first of these pieces. */
const TABLE_PIECE = 1_000;

/**
 * Runs the command.
 *
 * @param directories - Crawl directories: those of all machines that worked on one crawl, together.
 * @returns The exit code.
 * @throws MannerlyError `directory-taken`, `directory-format`; the platform's error for a file that is there already.
 */
export async function exportCommand(
  directories: readonly string[],
  { to, csv }: ExportFlags,
  io: CliIo,
): Promise<number> {
  const found = await Promise.all(directories.map(readCrawlDirectory));
  const paths = found.flatMap(({ parts }) => parts.map(({ itemsPath }) => itemsPath));
  if (to === undefined && csv === undefined) {
    for await (const line of joinedItems(paths)) await io.outSoon(line);
    return EXIT.ok;
  }
  if (to !== undefined) tellCount(await writeLines(paths, to), to, io);
  if (csv !== undefined) tellCount(await writeTable(paths, csv), csv, io);
  return EXIT.ok;
}

async function writeLines(paths: readonly string[], to: string): Promise<number> {
  const file = createWriteStream(to, { flags: 'wx' });
  await once(file, 'open');
  let items = 0;
  for await (const line of joinedItems(paths)) {
    items += 1;
    if (!file.write(`${line}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return items;
}

async function writeTable(paths: readonly string[], csv: string): Promise<number> {
  await (await open(csv, 'wx')).close();
  const sink = csvSink({ path: csv });
  await sink.open();
  try {
    let items = 0;
    let piece: Item[] = [];
    const write = async () => {
      await sink.write(piece);
      items += piece.length;
      piece = [];
    };
    for await (const line of joinedItems(paths)) {
      const item = itemOf(line);
      if (item !== null) piece.push(item);
      if (piece.length === TABLE_PIECE) await write();
    }
    await write();
    return items;
  } finally {
    await sink.close();
  }
}

/** An item as its line tells it; `null` for the end of a file that a kill cut short. */
function itemOf(line: string): Item | null {
  const told = parsed(line);
  if (told === null) return null;
  const { id, url, fetchedAt, expiresAt, preferences, ...rest } = told;
  const isWrapped = 'data' in rest && Object.keys(rest).length === 1;
  return {
    id,
    url,
    fetchedAtMs: Date.parse(fetchedAt),
    expiresAtMs: expiresAt === undefined ? null : Date.parse(expiresAt),
    preferences: preferences ?? {},
    data: isWrapped ? rest.data : rest,
  };
}

function parsed(line: string) {
  try {
    return JSON.parse(line);
  } catch {
    return null; // Its page was not settled: it comes again, whole.
  }
}

function tellCount(items: number, path: string, io: CliIo): void {
  io.err(`${items} item${items === 1 ? '' : 's'} in ${path}.`);
}
