// How many concurrent requests the limit on open files allows.

import { processLimits } from '@mannerly/frontier/processes';

/** Files open for other purposes: the store, the logs, modules, look-ups of names. */
const RESERVED_FILES = 80;
/** Files per request: its socket, an idle socket kept for later, and a file for its page. */
const FILES_PER_REQUEST = 3;

/** At least 1; `Infinity` if the platform reports no limit. @param openFiles - Limit of the process, `ulimit -n` */
export function maxConcurrentRequests(openFiles = processLimits().openFiles): number {
  return Math.max(1, Math.floor((openFiles - RESERVED_FILES) / FILES_PER_REQUEST));
}
