// Requests at once for which the limit on open files leaves enough.

import { processLimits } from '@mannerly/frontier/processes';

/** Files that are open for other things: the store, the logs, modules, look-ups of names. */
const OTHER_FILES = 80;
/** Files per request: its socket, an idle one kept for later, a file that its page is written to. */
const FILES_PER_REQUEST = 3;

/** At least 1; `Infinity` where the platform tells no limit. @param openFiles - Limit of the process, `ulimit -n` */
export function mostRequestsAtOnce(openFiles = processLimits().openFiles): number {
  return Math.max(1, Math.floor((openFiles - OTHER_FILES) / FILES_PER_REQUEST));
}
