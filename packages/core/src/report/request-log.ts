// The request log of a crawl directory, `requests.jsonl`: one line per request that left, robots.txt included,
// after one that opens the run and says what it promised. The fields are described in docs/audit.md.

import { readValues } from '../directory/read-lines.js';
import type { RequestRecord } from './decision.js';
import { openLineLog } from './line-log.js';
import type { RunLine, RunPromise } from './run-line.js';

/** The request log while a crawl runs. */
export interface RequestLog {
  /** A run begins. */
  run(promise: RunPromise): void;
  request(record: RequestRecord): void;
  flush(): void;
  close(): void;
}

/**
 * Opens the log for writing, continued if it is there. The caller closes it.
 *
 * @throws MannerlyError `log-failed`, here and from every method.
 */
export function openRequestLog(path: string): RequestLog {
  const log = openLineLog<RequestRecord | RunLine>(path);
  return { run: (run) => log.append({ run }), request: log.append, flush: log.flush, close: log.close };
}

/** The requests of a log in the order of their ends. @throws The platform's error when the file cannot be read; absent is empty. */
export function readRequests(path: string): AsyncGenerator<RequestRecord> {
  return readValues(path, isRequest);
}

/** Whether a value is a line of a request log. Never throws. */
export function isRequest(value: unknown): value is RequestRecord {
  if (typeof value !== 'object' || value === null) return false;
  return 'host' in value && typeof value.host === 'string' && 'startedAtMs' in value && 'endedAtMs' in value;
}
