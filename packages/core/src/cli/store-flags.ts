// More than one process, from the command line.

import { type Command, Option } from 'commander';
import { type CrawlInspection, inspectCrawl, inspectStore, type StoreInspection } from 'mannerly';
import { UsageError } from './failure.js';
import { numberArgument } from './flag-values.js';
import { openStore } from './open-store.js';

/** The flags as commander hands them over. */
export interface StoreFlags {
  readonly store?: string;
  readonly workers?: number;
}

/** Processes of one command at most: more than any machine has cores to run them. */
const MOST_WORKERS = 64;

/** Adds the flags of a crawl to a command. */
export function withProcesses(command: Command): Command {
  return command
    .optionsGroup('More than one process:')
    .addOption(storeOption())
    .option(
      '--workers <n>',
      'crawl with so many processes on this machine, over the same store (default: 1)',
      numberArgument(1, MOST_WORKERS, true),
    );
}

/** The flag of a store. */
export function storeOption(): Option {
  return new Option(
    '--store <url>',
    'the crawl whose frontier is on a server, shared by as many processes and machines as run the same command: redis://…, rediss://…, postgres://… (?crawl=<name> tells several apart)',
  );
}

/**
 * Refuses what has no meaning together.
 *
 * @throws UsageError
 */
export function checkProcesses({
  store,
  reset,
  workers = 1,
  csv,
  dashboard,
}: StoreFlags & { readonly reset?: boolean; readonly csv?: string; readonly dashboard?: unknown }): void {
  if (store !== undefined && reset === true) {
    throw new UsageError(
      '--reset does not remove what is on a server',
      'Take another name (--store …?crawl=<name>), or remove the keys or the schema of this one yourself.',
    );
  }
  if (workers > 1 && csv !== undefined) {
    throw new UsageError(
      '--csv is written by one process',
      'Leave it out, and have all items in one table afterwards: mannerly export <dir> --csv <file>.',
    );
  }
  if (workers > 1 && dashboard !== undefined) {
    throw new UsageError('--dashboard shows one process', 'Leave it out, or --workers.');
  }
}

/**
 * The directory of a question, or the store.
 *
 * @throws UsageError where neither or both are named.
 */
export function whereOf(
  directory: string | undefined,
  { store }: StoreFlags,
): { readonly directory: string } | { readonly store: string } {
  if (directory !== undefined && store === undefined) return { directory };
  if (directory === undefined && store !== undefined) return { store };
  throw new UsageError(
    'name the crawl directory, or the store of the crawl',
    'As the first word, or as --store <url>; not both.',
  );
}

/** Opens a crawl for questions, asks, and closes it. @throws UsageError, MannerlyError; what `ask` throws. */
export async function inspecting<T>(
  where: ReturnType<typeof whereOf>,
  ask: (inspection: CrawlInspection) => Promise<T>,
): Promise<T> {
  if ('store' in where) return inspectingStore(where.store, ask);
  const inspection = await inspectCrawl(where.directory);
  return ask(inspection).finally(() => inspection.close());
}

/** The same of a store. @throws As `inspecting`. */
export async function inspectingStore<T>(url: string, ask: (inspection: StoreInspection) => Promise<T>): Promise<T> {
  const opened = await openStore(url, '');
  try {
    const inspection = await inspectStore(() => opened.make(() => undefined));
    return await ask(inspection).finally(() => inspection.close());
  } finally {
    await opened.close();
  }
}

/** Whether other processes work on the same crawl. Never throws. */
export function isShared({ store, workers = 1 }: StoreFlags): boolean {
  return store !== undefined || workers > 1;
}
