// A process that opens a store and closes it, over and over: what others write meanwhile must stay. Runs the build.
// Argument: folder.

import { lmdbStore } from '@mannerly/frontier/lmdb';

const [path] = process.argv.slice(2);
for (;;) {
  const store = lmdbStore({ path });
  await store.open({ crawl: 'kill', create: true });
  await store.close();
}
