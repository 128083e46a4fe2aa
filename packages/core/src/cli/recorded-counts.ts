// How much there is to read in a crawl directory, from the manifests of its runs: for progress lines, which may as well do without.

import { type RunManifestEnd, readRunManifests } from 'mannerly';

/** A count of the whole crawl over its directories; `null`: a run has no end, or nobody knows. */
export async function recordedCount(
  directories: readonly string[],
  name: 'requests' | 'items' | 'pages',
): Promise<number | null> {
  let sum = 0;
  for (const directory of directories) {
    const manifests = await readRunManifests(directory).catch(() => []);
    if (manifests.length === 0) return null;
    const ends = manifests.flatMap(({ end }): RunManifestEnd[] => (end === null ? [] : [end]));
    if (ends.length < manifests.length) return null;
    // Pages are those of the crawl, the others of each process.
    const counts = ends.map(({ counts: each }) => each[name]);
    sum += name === 'pages' ? Math.max(...counts) : counts.reduce((whole, each) => whole + each, 0);
  }
  return sum;
}
