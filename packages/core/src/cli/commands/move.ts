// `mannerly move` and `mannerly delete`: move a stopped crawl from one store to another (a crawl directory, Redis,
// PostgreSQL), and remove it from its server, after a confirmation. Crawl directories stay.

import { resolve } from 'node:path';
import type { FrontierStore } from '@mannerly/frontier';
import { storesIn } from '../../default-parts.js';
import { checkEntryKinds } from '../../directory/crawl-directory.js';
import { lockDirectory, refuseShared } from '../../directory/directory-lock.js';
import { moveStore, removeCrawl } from '../../inspection/store-inspection.js';
import { plural } from '../../report/table.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { openStore } from '../open-store.js';
import { withProgress } from '../progress.js';

export async function moveCommand(from: string, to: string, flags: Flags, io: CliIo): Promise<void> {
  if (resolve(from) === resolve(to)) throw new UsageError('both places are the same', 'Name another target.');
  const source = await openLocation(from, io);
  try {
    const target = await openLocation(to, io);
    try {
      const moved = await withProgress(io, 'Moving', 'URLs', null, (progress) =>
        moveStore(source.createStore, target.createStore(), ({ known, entries }) => progress(known + entries)),
      );
      if (flags.json === true) io.out(json(moved));
      else {
        const { known, hosts, entries } = moved;
        const done =
          known === 0
            ? 'It was moved before.'
            : `${plural(known, 'URL')} known, ${entries} queued, ${plural(hosts, 'host')} moved.`;
        io.out(`${done} ${target.next}`);
      }
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

interface Location {
  createStore(): FrontierStore;
  readonly next: string;
  close(): Promise<void>;
}

/** @param text - The URL of a store, or a crawl directory, which no run opens in the meantime. */
async function openLocation(text: string, io: CliIo): Promise<Location> {
  if (/^(?:rediss?|postgres(?:ql)?):\/\//.test(text)) {
    const opened = await openStore(text, '');
    // The store's name is not a URL to enter: it lacks the user.
    const next = `Continue with --store, the URL of ${opened.name}, and the crawl directory that you have.`;
    return {
      createStore: () => opened.createStore(({ message }) => io.err(message)),
      next,
      close: () => opened.close(),
    };
  }
  const createStore = await storesIn(text);
  await checkEntryKinds(text, true);
  const lock = await lockDirectory(text);
  try {
    await refuseShared(text);
  } catch (error) {
    await lock.release();
    throw error;
  }
  return { createStore, next: `Continue with --out ${text}, without --store.`, close: () => lock.release() };
}

/** Runs the command. @throws UsageError; MannerlyError `directory-in-use` while processes are working, `not-running` */
export async function deleteCommand(flags: Flags, io: CliIo): Promise<number> {
  const { store, yes = false } = flags;
  if (store === undefined) throw new UsageError('name the store of the crawl', 'Add --store <url>.');
  const { prompter } = io;
  if (!yes && prompter === null)
    throw new UsageError('there is no terminal for the question', 'Add --yes to remove the crawl.');
  const opened = await openStore(store, '');
  try {
    const isRemoved = await removeCrawl(
      () => opened.createStore(({ message }) => io.err(message)),
      async ({ known, queued }) => {
        const message = `Remove ${opened.name}, with ${known} known URLs, ${queued} of them queued? Type yes.`;
        return yes || (await prompter?.ask({ message, fault: () => null })) === 'yes';
      },
    );
    io.err(isRemoved ? `${opened.name} is removed. Crawl directories are not.` : 'Nothing was removed.');
    return isRemoved ? EXIT.ok : EXIT.stopped;
  } finally {
    await opened.close();
  }
}
