// Starting over in a crawl directory: all that its crawl has kept is removed, and nothing else. Never done unless asked for.

import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { finishReset, holdsNoCrawl, isFree, RESET_NAME } from '../directory/crawl-directory.js';
import { MANIFEST_NAME, readAnyManifest } from '../directory/crawl-manifest.js';
import { lockDirectory, refuseShared } from '../directory/directory-lock.js';
import { partsOf } from '../directory/directory-parts.js';
import { MannerlyError } from '../errors.js';
import { restedAtMs } from '../report/last-requests.js';

/**
 * Removes a crawl from its directory: manifest, frontier, items, logs, copies of robots.txt. A directory that is absent or
 * empty has nothing to remove. A reset that is killed is finished by whoever opens the directory next.
 *
 * @param name - Who asks: the crawl of another name is not removed.
 * @param politeness - The profile: how long a host rests after a request.
 * @returns When every host that was asked last has had its rest, epoch milliseconds; 0 where nothing was removed.
 * @throws MannerlyError `directory-taken` where there is something and it is no crawl of that name; `directory-in-use`
 *   while a run has it.
 */
export async function resetCrawlDirectory(
  path: string,
  name: string,
  politeness: { readonly minMs: number; readonly factor: number },
): Promise<number> {
  const file = join(path, MANIFEST_NAME);
  const manifest = await readAnyManifest(file);
  if (manifest === null) {
    if (await isFree(path)) return 0;
    throw holdsNoCrawl(path, 'Nothing was removed. A reset is for the directory of a crawl.');
  }
  if (manifest === 'unreadable' || manifest.name !== name) {
    const whose = manifest === 'unreadable' ? 'nobody that can be read' : JSON.stringify(manifest.name);
    throw new MannerlyError('directory-taken', `${path} belongs to ${whose}, not to ${JSON.stringify(name)}`, {
      hint: 'Nothing was removed. Name another directory, or remove this one yourself.',
    });
  }
  const lock = await lockDirectory(path);
  try {
    await refuseShared(path);
    const logs = (await partsOf(path)).map(({ requestsPath }) => restedAtMs(requestsPath, politeness));
    const restedAt = Math.max(...(await Promise.all(logs)));
    await rename(file, join(path, RESET_NAME));
    await finishReset(path);
    return restedAt;
  } finally {
    await lock.release();
  }
}
