// `mannerly init`: a small TypeScript project that runs and has a test, from a few answers.

import { EXIT } from '../exit-codes.js';
import { type InitFlags, saidBy } from '../init/init-flags.js';
import { interview } from '../init/interview.js';
import { checkIsFree, writeProject } from '../init/project-directory.js';
import { projectFiles } from '../init/project-files.js';
import type { CliIo } from '../io.js';

/**
 * Runs the command.
 *
 * @param directory - Of the project; it is made if it is missing.
 * @returns The exit code.
 * @throws UsageError for a directory that is not empty, or answers that are missing; MannerlyError for answers that a crawl would
 *   refuse. Nothing is written then.
 */
export async function initCommand(directory: string, flags: InitFlags, io: CliIo): Promise<number> {
  await checkIsFree(directory);
  const plan = await interview(saidBy(flags), flags.yes === true ? null : io.asker);
  if (plan === null) {
    io.err('Nothing was written.');
    return EXIT.stopped;
  }
  const files = await projectFiles(plan);
  await writeProject(directory, files);
  const where = /\s/.test(directory) ? JSON.stringify(directory) : directory;
  io.out(`Written to ${where}: ${[...files.keys()].join(', ')}.`);
  io.out(
    `Next: ${directory === '.' ? '' : `cd ${where}, `}npm install, npm test, npm run plan (what the crawl may fetch), npm start.`,
  );
  return EXIT.ok;
}
