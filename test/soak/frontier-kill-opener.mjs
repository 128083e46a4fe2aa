// A process that opens and closes a store again and again: what others write meanwhile must stay. Uses the build.
// Argument: folder.

import { lmdbStore } from '@mannerly/frontier/lmdb';

const [path] = process.argv.slice(2);
for (;;) {
  const store = lmdbStore({ path });
  await store.open({ crawl: 'kill', create: true });
  await store.close();
}
