// Opens a crawl that no run has open, for inspection: from its directory, or from its store on a server.

import { inspectCrawl } from '../default-parts.js';
import type { CrawlInspection } from '../inspection/inspection.js';
import { inspectStore, type StoreInspection } from '../inspection/store-inspection.js';
import { UsageError } from './failure.js';
import type { Flags } from './flags.js';
import type { CliIo } from './io.js';
import { openStore } from './open-store.js';

/** The directory or the store to inspect. @throws UsageError if neither or both are named */
export function inspectionTarget(
  directory: string | undefined,
  { store }: Flags,
): { readonly directory: string } | { readonly store: string } {
  if (directory !== undefined && store === undefined) return { directory };
  if (directory === undefined && store !== undefined) return { store };
  if (store === undefined)
    throw new UsageError('name the crawl directory, or the store of the crawl', 'Give one: <dir> or --store <url>.');
  const hint = 'Omit one: the directory has the logs, the store has the queue.';
  throw new UsageError('both a crawl directory and a store are given, and only one can be read', hint);
}

/** Opens a crawl, inspects it, and closes it. @throws UsageError, MannerlyError; what `inspect` throws. */
export async function withInspection<T>(
  where: ReturnType<typeof inspectionTarget>,
  io: CliIo,
  inspect: (inspection: CrawlInspection) => Promise<T>,
): Promise<T> {
  if ('store' in where) return withStoreInspection(where.store, io, inspect);
  const inspection = await inspectCrawl(where.directory);
  return inspect(inspection).finally(() => inspection.close());
}

/** As `withInspection`, for a store. Prints a message while it waits for the server. @throws As `withInspection`. */
export async function withStoreInspection<T>(
  url: string,
  io: CliIo,
  inspect: (inspection: StoreInspection) => Promise<T>,
): Promise<T> {
  const opened = await openStore(url, '');
  try {
    // The store is opened twice, once for the settings of the crawl: each message is printed once.
    const printed = new Set<string>();
    const print = (message: string): void => {
      if (!printed.has(message)) io.err(message);
      printed.add(message);
    };
    const inspection = await inspectStore(() => opened.createStore(({ message }) => print(message)));
    return await inspect(inspection).finally(() => inspection.close());
  } finally {
    await opened.close();
  }
}
