// How many concurrent requests the limit on open files allows.

import { processLimits } from '@mannerly/frontier/processes';

/** Files open for other purposes: the store, the logs, modules, look-ups of names. */
const OTHER_FILES = 80;
/** Files per request: its socket, an idle socket kept for later, and a file for its page. */
const FILES_PER_REQUEST = 3;

/** At least 1; `Infinity` if the platform reports no limit. @param openFiles - Limit of the process, `ulimit -n` */
export function mostRequestsAtOnce(openFiles = processLimits().openFiles): number {
  return Math.max(1, Math.floor((openFiles - OTHER_FILES) / FILES_PER_REQUEST));
}
