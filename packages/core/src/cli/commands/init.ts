// `mannerly init`: a small TypeScript project that runs and has a test. It asks for whatever no flag sets, and checks
// every answer as a crawl would.

import { InvalidArgumentError } from 'commander';
import { MannerlyError } from '../../errors.js';
import { resolveOptions } from '../../options/options.js';
import { present } from '../../present.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { checkIsEmpty, type ProjectPlan, projectFiles, writeProject } from '../init/project.js';
import type { CliIo, Prompter, Question } from '../io.js';
import { argumentReader, commandDefault } from '../option-flags.js';

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

/** A part of a plan that is asked for. Without a terminal it gets its initial value, or its flag is required. */
interface PlanQuestion<T> extends Omit<Question, 'fault'> {
  readonly flag: string;
  /** @throws MannerlyError, InvalidArgumentError for values that a crawl would refuse. */
  readonly read: (answer: string) => T;
}

const QUESTIONS: { readonly [P in Exclude<keyof ProjectPlan, 'within' | 'depth'>]: PlanQuestion<ProjectPlan[P]> } = {
  name: {
    flag: '--name',
    message: 'Your product token? A short name that sites can address in robots.txt',
    example: 'tidepool-study',
    read: (name) => checkPlan({ name }).name,
  },
  contact: {
    flag: '--contact',
    message: 'Where can sites reach you? A page or a mailbox. It is in every request',
    example: 'https://example.org/our-crawler',
    read: (contact) => checkPlan({ contact }).contact,
  },
  seeds: {
    flag: '--seed',
    message: 'Where does the crawl start? One URL, or several separated by spaces',
    example: 'https://docs.example.org/',
    read: (text) => checkPlan({ seeds: text.split(/\s+/) }).seeds,
  },
  pages: boundQuestion('pages', 'How many pages at most?'),
  minutes: boundQuestion('minutes', 'How many minutes of running time at most?'),
  browser: {
    flag: '--browser',
    message: 'Do scripts make the pages, so that they need a browser? y or n',
    initial: 'n',
    read(answer) {
      if (!/^(y|yes|n|no)$/i.test(answer)) throw new InvalidArgumentError('expected y or n');
      return /^y/i.test(answer);
    },
  },
};

function boundQuestion(bound: 'pages' | 'minutes', message: string): PlanQuestion<number> {
  const read = argumentReader(`bounds.${bound}`);
  const initial = String(commandDefault(`bounds.${bound}`));
  return { flag: `--${bound}`, message, initial, read: (answer) => Number(read(answer)) };
}

/** Returns its argument. @throws MannerlyError for values that a crawl would refuse. */
function checkPlan<T extends Partial<Pick<ProjectPlan, 'name' | 'contact' | 'seeds'>>>(given: T): T {
  // For the parts that are not checked.
  const { name = 'crawl', contact = 'https://example.org/', seeds = ['https://example.org/'] } = given;
  resolveOptions({ identity: { name, contact }, scope: { seeds }, bounds: { pages: 1 } });
  return given;
}

/**
 * Completes a plan: checks what the flags set, and asks for the rest or uses its initial value.
 *
 * @param prompter - `null` if there is no terminal.
 * @returns `null` if the user wants to stop.
 * @throws MannerlyError for a part that a crawl would refuse; UsageError naming the flags that are missing.
 */
async function interview(given: Partial<ProjectPlan>, prompter: Prompter | null): Promise<ProjectPlan | null> {
  const plan: { -readonly [P in keyof ProjectPlan]?: unknown } = { within: 'host', ...checkPlan(given) };
  const unanswered = Object.entries(QUESTIONS).filter(([part]) => !(part in given)) as [
    keyof typeof QUESTIONS,
    PlanQuestion<unknown>,
  ][];
  const required = unanswered.filter(([, { initial }]) => initial === undefined);
  if (prompter === null && required.length > 0) {
    throw new UsageError(
      `missing ${required.map(([, { flag }]) => flag).join(', ')}, and there is no terminal to ask for it`,
      'For instance: mannerly init my-crawl --name tidepool-study --contact https://example.org/our-crawler ' +
        '--seed https://docs.example.org/',
    );
  }
  for (const [part, { flag: _, read, ...question }] of unanswered) {
    const { initial = '' } = question;
    const fault = (text: string): string | null => faultOf(() => read(text));
    const answer = prompter === null ? initial : await prompter.ask({ ...question, fault });
    if (answer === null) return null;
    plan[part] = read(answer);
  }
  return plan as ProjectPlan;
}

/** What is wrong according to a check, and what to do; `null` if nothing is. */
function faultOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    if (!(error instanceof MannerlyError)) throw error;
    return error.hint === null ? error.message : `${error.message}. ${error.hint}`;
  }
}
