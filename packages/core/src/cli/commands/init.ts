// `mannerly init`: a small TypeScript project that runs and has a test, made from a few answers.

import { present } from '../../present.js';
import { EXIT } from '../exit-codes.js';
import { interview, type ProjectPlan } from '../init/interview.js';
import { checkIsEmpty, projectFiles, writeProject } from '../init/project.js';
import type { CliIo } from '../io.js';

type InitFlags = Partial<Omit<ProjectPlan, 'seeds'>> & { readonly seed?: readonly string[]; readonly yes?: boolean };

/** Runs the command. It writes nothing if an answer is missing or wrong. @throws UsageError, MannerlyError */
export async function initCommand(directory: string, flags: InitFlags, io: CliIo): Promise<number> {
  await checkIsEmpty(directory);
  const { seed: seeds, yes, ...given } = flags;
  const plan = await interview({ ...given, ...present({ seeds }) }, yes === true ? null : io.prompter);
  if (plan === null) {
    io.err('Nothing was written.');
    return EXIT.stopped;
  }
  const files = await projectFiles(plan);
  await writeProject(directory, files);
  const where = /\s/.test(directory) ? JSON.stringify(directory) : directory;
  io.out(`Written to ${where}: ${[...files.keys()].join(', ')}.`);
  const enter = directory === '.' ? '' : `cd ${where}, `;
  if (plan.browser) io.out('It opens pages in a Chromium: install one, such as Debian’s chromium.');
  io.out(`Next: ${enter}npm install, npm test, npm run plan (what the crawl may fetch), npm start.`);
  return EXIT.ok;
}
