// The command as a file that processes run: the published one where a whole run has made it (vitest.config.ts), else
// that of the workspace.

import { fileURLToPath } from 'node:url';

/** Its path. */
export const COMMAND = process.env['MANNERLY_COMMAND'] ?? fileURLToPath(new URL('../bin/mannerly.js', import.meta.url));
