// The file of the command, for tests that start processes: the published one if the whole run has made it
// (vitest.config.ts), else the workspace's.

import { fileURLToPath } from 'node:url';

/** The path of the command. */
export const COMMAND = process.env['MANNERLY_COMMAND'] ?? fileURLToPath(new URL('../bin/mannerly.js', import.meta.url));
