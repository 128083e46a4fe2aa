// The items of a crawl, from the files of all its processes, each item once. If a process was killed before a page was
// settled, another process handles the page again and writes the same items, with the same ids, into its own file.

import { createRecentSet } from '@mannerly/frontier/internal';
import { countLines, readLines } from '../directory/read-lines.js';
import { parseJson } from '../parse-json.js';
import { readItemId } from './items.js';
import { idOfLine } from './jsonl.js';
import { MAX_ITEM_LINE_CHARS, MAX_JOINED_IDS } from './limits.js';

/**
 * The lines of all items, file after file, without newlines. Invalid JSON is left out. An item is recognized among the
 * last `MAX_JOINED_IDS`. @throws The platform's error; an absent file has no items.
 */
export async function* joinedItems(itemsPaths: readonly string[]): AsyncGenerator<string> {
  const seen = createRecentSet(MAX_JOINED_IDS);
  for (const path of itemsPaths) {
    for await (const line of readLines(path, MAX_ITEM_LINE_CHARS)) {
      if (parseJson(line) === undefined) continue;
      const id = itemsPaths.length > 1 ? idOfLine(line) : null;
      if (id === null || seen.add(id)) yield line;
    }
  }
}

/**
 * The current items of `joinedItems`: for each page those of its last visit that emitted any, and none if a tombstone
 * came after them. The lines are read twice. A page that was visited once takes no memory.
 */
export async function* currentItems(itemsPaths: readonly string[]): AsyncGenerator<string> {
  const last = new Map<string, number>();
  for await (const line of joinedItems(itemsPaths)) {
    const found = readItemId(idOfLine(line) ?? '');
    if (found !== null && found.visit > (last.get(found.page) ?? 0)) last.set(found.page, found.visit);
  }
  for await (const line of joinedItems(itemsPaths)) {
    const found = readItemId(idOfLine(line) ?? '');
    if (found === null || (!found.isTombstone && found.visit === (last.get(found.page) ?? 0))) yield line;
  }
}

/** The total number of items. @throws As `joinedItems`. */
export async function countItems(itemsPaths: readonly string[]): Promise<number> {
  const [only] = itemsPaths;
  if (itemsPaths.length === 1 && only !== undefined) return countLines(only);
  let items = 0;
  for await (const _ of joinedItems(itemsPaths)) items += 1;
  return items;
}
