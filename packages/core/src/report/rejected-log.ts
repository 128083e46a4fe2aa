// Items that their schema did not take, `rejected.jsonl` of a crawl directory. Most crawls have none: the file is made with the
// first. It is bounded, because a schema that fits no page rejects as much as a crawl can find.

import { readValues } from '../directory/read-lines.js';
import type { RejectedItem } from '../handle/rejected-item.js';
import { MAX_REJECTED_BYTES } from './limits.js';
import { type LineLog, openLineLog } from './line-log.js';

/** The log while a crawl runs. */
export interface RejectedLog {
  /** Takes items while there is room; what does not fit is counted by the report alone. @throws MannerlyError `log-failed` */
  append(items: readonly RejectedItem[]): void;
  /** @throws MannerlyError `log-failed` */
  close(): void;
}

/**
 * The log of a path, whose directory exists. Nothing is opened before the first item.
 *
 * @param maxBytes - What the file may have, with what earlier runs wrote.
 * @throws Never
 */
export function openRejectedLog(path: string, maxBytes = MAX_REJECTED_BYTES): RejectedLog {
  let log: LineLog<RejectedItem> | null = null;
  let room = 0;
  return {
    append(items) {
      if (log === null) {
        log = openLineLog<RejectedItem>(path);
        room = maxBytes - log.bytesBefore;
      }
      for (const item of items) {
        const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
        if (bytes > room) return;
        room -= bytes;
        log.append(item);
      }
    },
    close: () => log?.close(),
  };
}

/** The rejected items of a log in the order of writing. @throws The platform's error when the file cannot be read; absent is empty. */
export function readRejected(path: string): AsyncGenerator<RejectedItem> {
  return readValues(path, isRejected);
}

function isRejected(value: unknown): value is RejectedItem {
  return typeof value === 'object' && value !== null && 'url' in value && 'issues' in value && 'data' in value;
}
