// What is at stake: an operator who releases a host must not be told that it was not parked where a store cannot know.

import { expect, it } from 'vitest';
import { CrawlLog } from './crawl-log.js';
import { createCrawlEmitter } from './events.js';
import type { LogEntry } from './log-entry.js';

it('a host of which the store cannot say whether it is parked is not said to be none', () => {
  const entries: LogEntry[] = [];
  const write = (entry: LogEntry): void => void entries.push(entry);
  const log = new CrawlLog(
    write,
    createCrawlEmitter(() => undefined),
    () => 0,
  );
  log.notParked({ host: 'a.test', isKnown: false, isParked: null, wait: null });
  log.notParked({ host: 'a.test', isKnown: false, isParked: false, wait: null });
  expect(entries.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'info: Whether a.test is parked this store cannot say; it is released if it is',
    'warn: a.test is not parked: this crawl knows no such host',
  ]);
});
