// The file of the command, for tests that start processes: the published one if the whole run has made it
// (vitest.config.ts), else the workspace's.

import { fileURLToPath, pathToFileURL } from 'node:url';

/** The path of the command. */
export const COMMAND =
  process.env['MANNERLY_COMMAND'] ?? fileURLToPath(new URL('../../packages/core/bin/mannerly.js', import.meta.url));

/** The library of the same build, for programs that the command loads. */
export const LIBRARY = new URL('../dist/index.js', pathToFileURL(COMMAND)).href;
