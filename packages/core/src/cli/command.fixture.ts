// The command as a file that processes run: that of the workspace, or the packaged one where `pnpm soak` runs these
// tests on it.

import { fileURLToPath } from 'node:url';

/** Its path. */
export const COMMAND =
  process.env['MANNERLY_COMMAND'] ?? fileURLToPath(new URL('../../bin/mannerly.js', import.meta.url));
