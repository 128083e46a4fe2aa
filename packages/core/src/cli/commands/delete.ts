// `mannerly delete`: removes a crawl from its server, after a confirmation. Crawl directories stay.

import { removeCrawl } from '../../inspection/store-inspection.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { Flags } from '../flags.js';
import type { CliIo } from '../io.js';
import { openStore } from '../open-store.js';

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
