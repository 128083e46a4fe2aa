// The command as a file that processes run: the published one where a whole run has made it (vitest.config.ts), else
// that of the workspace.

import { fileURLToPath, pathToFileURL } from 'node:url';

/** Its path. */
export const COMMAND =
  process.env['MANNERLY_COMMAND'] ?? fileURLToPath(new URL('../../packages/core/bin/mannerly.js', import.meta.url));

/** The library of the same build, for programs that the command loads. */
export const LIBRARY = new URL('../dist/index.js', pathToFileURL(COMMAND)).href;
