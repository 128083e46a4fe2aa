// The notice log of a crawl directory, `warnings.jsonl`: what an operator should know of a host, once per occasion.
// Pauses stand in it, so that the politeness report can be computed again from the logs alone.

import type { HostWarning } from '@mannerly/frontier';
import { readValues } from '../directory/read-lines.js';
import { openLineLog } from './line-log.js';

/** The notice log while a crawl runs. */
export interface WarningLog {
  notice(notice: HostWarning): void;
  flush(): void;
  close(): void;
}

/**
 * Opens the log for writing, continued if it is there. The caller closes it.
 *
 * @throws MannerlyError `log-failed`, here and from every method.
 */
export function openWarningLog(path: string): WarningLog {
  const log = openLineLog<HostWarning>(path);
  return { notice: log.append, flush: log.flush, close: log.close };
}

/** The notices of a log in the order of writing. @throws The platform's error when the file cannot be read; absent is empty. */
export function readHostWarnings(path: string): AsyncGenerator<HostWarning> {
  return readValues(path, isNotice);
}

function isNotice(value: unknown): value is HostWarning {
  if (typeof value !== 'object' || value === null) return false;
  return 'code' in value && 'host' in value && typeof value.host === 'string' && 'atMs' in value;
}
