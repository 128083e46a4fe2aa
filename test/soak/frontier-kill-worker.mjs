// A process on an lmdb file, for the suite to kill and stop. Uses the build. Arguments: folder, `broken` or nothing.

import { runSuiteWorker } from '@mannerly/frontier/conformance';
import { lmdbStore } from '@mannerly/frontier/lmdb';

const [path, isBroken] = process.argv.slice(2);
const store = lmdbStore({ path, commitEveryMs: 5 });
if (isBroken === 'broken') {
  // Releases hosts as if they had no delay left.
  const commit = store.commit.bind(store);
  store.commit = (hosts, links) =>
    commit(
      hosts.map((part) => ('keep' in part.then ? part : { ...part, then: { release: { dueInMs: 0 } } })),
      links,
    );
}
await runSuiteWorker(store);
