// `mannerly init`: a small TypeScript project that runs and has a test. It asks for whatever no flag sets, and checks
// every answer as a crawl would. The files come from the folder `scaffold` of the package; none is overwritten.

import { statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { listNames } from '../../directory/atomic-file.js';
import { MannerlyError } from '../../errors.js';
import type { CrawlConfig } from '../../options/config.js';
import { resolveOptions } from '../../options/options.js';
import { MANNERLY_VERSION, ownFile } from '../../own-package.js';
import { present } from '../../present.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { CliIo, Prompter, Question } from '../io.js';
import { boundFlag } from '../option-flags.js';

interface ProjectPlan {
  readonly name: string;
  readonly contact: string;
  readonly seeds: readonly string[];
  readonly within: 'host' | 'domain';
  readonly pages: number;
  readonly minutes: number;
  readonly depth?: number;
  /** Whether pages are opened in a browser. */
  readonly browser: boolean;
}

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
  const { default: initial, read } = boundFlag(bound);
  return { flag: `--${bound}`, message, initial: String(initial), read: (answer) => Number(read(answer)) };
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

const SCAFFOLD = ownFile('scaffold/');

/** From a file of the folder to its name in the project. npm does not publish a `.gitignore`. */
const STATIC_FILES: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  'tsconfig.json': 'tsconfig.json',
  'src/handlers.ts': 'src/handlers.ts',
  'src/handlers.test.ts': 'src/handlers.test.ts',
};

/** Versions of what a project needs in addition to `mannerly`. A test compares them with those of this package. */
export const PROJECT_TOOLS = {
  '@sinonjs/fake-timers': '^15.5.0',
  '@types/node': '^20.19.0',
  typescript: '^7.0.2',
} as const;

export const BROWSER_DRIVER = { 'playwright-core': '^1.65.1' } as const;

/** Every file of a project: path with forward slashes → text. */
async function projectFiles(plan: ProjectPlan): Promise<ReadonlyMap<string, string>> {
  const staticFiles = Object.entries(STATIC_FILES).map(
    async ([from, to]) => [to, await readFile(new URL(from, SCAFFOLD), 'utf8')] as const,
  );
  return new Map([
    ['package.json', json(manifestOf(plan))],
    ['mannerly.config.json', json(configOf(plan))],
    ...(await Promise.all(staticFiles)),
    ['README.md', await readmeOf(plan)],
  ]);
}

function configOf({ name, contact, seeds, within, pages, minutes, depth, browser }: ProjectPlan): CrawlConfig {
  return {
    $schema: './node_modules/mannerly/schema/config.schema.json',
    identity: { name, contact },
    scope: { seeds, within },
    bounds: { pages, minutes, ...present({ depth }) },
    ...(browser ? { browser: true } : {}),
    handlers: './dist/handlers.js',
  };
}

/**
 * Plain `node --test` searches the working directory in every version, but versions read folders and patterns
 * differently.
 */
function manifestOf({ name, browser }: ProjectPlan): object {
  return {
    name: packageName(name),
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      start: 'tsc && mannerly crawl',
      plan: 'tsc && mannerly plan',
      test: 'tsc && cd dist && node --test',
      typecheck: 'tsc --noEmit',
    },
    dependencies: { mannerly: `^${MANNERLY_VERSION}`, ...(browser ? BROWSER_DRIVER : {}) },
    devDependencies: PROJECT_TOOLS,
  };
}

/** A name that npm accepts and no package has: a token may begin with any character, and may be `mannerly`. */
function packageName(token: string): string {
  return `${token.toLowerCase().replace(/^[_-]+/, '') || 'my'}-crawl`;
}

async function readmeOf({ name, seeds }: ProjectPlan): Promise<string> {
  const template = await readFile(new URL('README.md', SCAFFOLD), 'utf8');
  const [first = ''] = seeds;
  const from = seeds.length === 1 ? first : `${seeds.length} seeds`;
  return template.replace('{{name}}', name).replace('{{seeds}}', () => from);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const IGNORED: readonly string[] = ['.git', '.DS_Store'];
const MAX_LISTED_NAMES = 3;

/** @throws UsageError unless the directory is empty or does not exist. */
async function checkIsEmpty(directory: string): Promise<void> {
  if (statSync(directory, { throwIfNoEntry: false })?.isFile() === true)
    throw new UsageError(`${directory} is a file`, 'Name a directory that is empty or does not exist yet.');
  const names = (await listNames(directory)).filter((name) => !IGNORED.includes(name));
  if (names.length === 0) return;
  const more = names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '';
  const listed = `${names.sort().slice(0, MAX_LISTED_NAMES).join(', ')}${more}`;
  const hint = 'Name a directory that is empty or does not exist yet: mannerly init my-crawl.';
  throw new UsageError(`${directory} is not empty: it holds ${listed}`, hint);
}

/** Writes the files. @throws The platform's error; `EEXIST` for a file that was created in the meantime. */
async function writeProject(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}
