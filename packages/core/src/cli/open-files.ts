// The files and sockets that a crawl needs open at once. Checked before anything else is loaded, which opens files too.

import { processLimits } from '@mannerly/frontier/processes';

/** With fewer, not even one host can be crawled: many modules are read at a time, and some 60 files stay open. */
const MIN_OPEN_FILES = 128;

/** The error if a process may open too few files; `null` if it may open enough. @param limit - As `ulimit -n` */
export function tooFewFilesText(limit = processLimits().openFiles): string | null {
  if (limit >= MIN_OPEN_FILES) return null;
  return `mannerly: this process may open ${limit} files, and it needs ${MIN_OPEN_FILES} or more\n  Lift the limit in the shell that starts it (ulimit -n 1024).`;
}
