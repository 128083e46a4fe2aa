// The files of a new project, from the folder `scaffold` of the package. A file that exists is never overwritten.

import { statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listNames } from '../../directory/atomic-file.js';
import type { CrawlConfig } from '../../options/config.js';
import { MANNERLY_VERSION, ownFile } from '../../own-package.js';
import { present } from '../../present.js';
import { UsageError } from '../failure.js';

/** What a project is made from. */
export interface ProjectPlan {
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

/** The driver of a project whose pages need a browser. */
export const BROWSER_DRIVER = { 'playwright-core': '^1.65.1' } as const;

/** Every file of a project: path with forward slashes → text. */
export async function projectFiles(plan: ProjectPlan): Promise<ReadonlyMap<string, string>> {
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

/** Names that may already exist. */
const IGNORED: readonly string[] = ['.git', '.DS_Store'];
const MAX_LISTED_NAMES = 3;

/** @throws UsageError unless the directory is empty or does not exist. */
export async function checkIsEmpty(directory: string): Promise<void> {
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
export async function writeProject(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}
