// The items of a crawl, from the files of all its processes: each item once. A page whose process was killed before it
// was settled is handled again by another one, which writes the same items, under the same ids, into a file of its own.

import { countLines, readLines } from '../directory/read-lines.js';
import { idOfLine } from './item-line.js';
import { MAX_JOINED_IDS } from './limits.js';
import { RecentIds } from './recent-ids.js';

/**
 * The lines of all items, each once, file after file; without their newlines. Of ids more than `MAX_JOINED_IDS` items
 * ago nothing is known any more.
 *
 * @throws The platform's error when a file cannot be read; one that is absent has no items.
 */
export async function* joinedItems(itemsPaths: readonly string[]): AsyncGenerator<string> {
  const seen = new RecentIds(MAX_JOINED_IDS);
  for (const path of itemsPaths) {
    for await (const line of readLines(path)) {
      const id = idOfLine(line);
      if (id !== null && itemsPaths.length > 1) {
        if (seen.has(id)) continue;
        seen.add(id);
      }
      yield line;
    }
  }
}

/** How many items there are in all. @throws As `joinedItems`. */
export async function countItems(itemsPaths: readonly string[]): Promise<number> {
  const [only] = itemsPaths;
  if (itemsPaths.length === 1 && only !== undefined) return countLines(only);
  let items = 0;
  for await (const _ of joinedItems(itemsPaths)) items += 1;
  return items;
}
