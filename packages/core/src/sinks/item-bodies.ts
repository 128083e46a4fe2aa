// Items as lines of JSON, in portions of bounded length: a portion is in memory only while it is sent.

import { hash } from 'node:crypto';
import { itemLine } from '../output/jsonl.js';
import type { Item } from '../output/sink.js';
import { MAX_BODY_CHARS } from './limits.js';

/** A portion: its lines, each with its line feed, and the hash of their ids. */
interface ItemBody {
  readonly lines: readonly string[];
  readonly key: string;
}

/** The portions in order, each made on demand. Never throws. */
export function* itemBodies(items: readonly Item[]): Generator<ItemBody> {
  let lines: string[] = [];
  let ids: string[] = [];
  let chars = 0;
  for (const item of items) {
    const line = itemLine(item);
    if (lines.length > 0 && chars + line.length > MAX_BODY_CHARS) {
      yield { lines, key: hash('sha256', ids.join('\n')) };
      [lines, ids, chars] = [[], [], 0];
    }
    lines.push(line);
    ids.push(item.id);
    chars += line.length;
  }
  if (lines.length > 0) yield { lines, key: hash('sha256', ids.join('\n')) };
}
