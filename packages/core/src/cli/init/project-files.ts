// The files of a new project: those that are the same for all lie in the package's folder `scaffold`, the others are written here.

import { readFile } from 'node:fs/promises';
import type { CrawlConfig } from 'mannerly';
import { MANNERLY_VERSION } from 'mannerly';
import type { ProjectPlan } from './project-plan.js';

/** Path below the project, with forward slashes, to text. */
export type ProjectFiles = ReadonlyMap<string, string>;

const SCAFFOLD = new URL('../../../scaffold/', import.meta.url);

/** From a file of the folder to its name in the project; a registry would drop or obey `.gitignore`. */
const SAME_FOR_ALL: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  'tsconfig.json': 'tsconfig.json',
  'src/handlers.ts': 'src/handlers.ts',
  'src/handlers.test.ts': 'src/handlers.test.ts',
};

/** Ranges of what a project needs beside `mannerly`; a test holds them to those of this package. */
export const PROJECT_TOOLS = {
  '@sinonjs/fake-timers': '^15.5.0',
  '@types/node': '^20.19.0',
  typescript: '^7.0.2',
} as const;

/** Every file of a project. @throws The platform's error when the package is incomplete. */
export async function projectFiles(plan: ProjectPlan): Promise<ProjectFiles> {
  const same = Object.entries(SAME_FOR_ALL).map(
    async ([from, to]) => [to, await readFile(new URL(from, SCAFFOLD), 'utf8')] as const,
  );
  return new Map([
    ['package.json', json(manifestOf(plan))],
    ['mannerly.config.json', json(configOf(plan))],
    ...(await Promise.all(same)),
    ['README.md', readmeOf(plan)],
  ]);
}

/** The configuration of a project. Never throws. */
export function configOf({ name, contact, seeds, within, bounds }: ProjectPlan): CrawlConfig {
  return {
    $schema: './node_modules/mannerly/schema/config.schema.json',
    identity: { name, contact },
    scope: { seeds, within },
    bounds,
    handlers: './dist/handlers.js',
  };
}

/** `node --test` looks below the working directory on every version; folders and patterns are read differently by each. */
function manifestOf({ name }: ProjectPlan): object {
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
    dependencies: { mannerly: `^${MANNERLY_VERSION}` },
    devDependencies: PROJECT_TOOLS,
  };
}

/** Never a name that a package has or may not have: a token begins with anything and may be `mannerly`. */
function packageName(token: string): string {
  return `${token.toLowerCase().replace(/^[_-]+/, '') || 'my'}-crawl`;
}

function readmeOf({ name, seeds }: ProjectPlan): string {
  return `# ${name}

A polite crawl of ${seeds.length === 1 ? seeds[0] : `${seeds.length} seeds`}, made with Mannerly. Node.js 20.19 or newer.

\`\`\`sh
npm install
npm test         # the handlers against a web that is not there
npm run plan     # what a crawl may fetch and how long it takes; asks for robots.txt only
npm start        # the crawl; Ctrl-C ends it cleanly, the same command goes on
\`\`\`

- \`mannerly.config.json\`: who asks, where the crawl begins and goes, how much is enough. Editors complete it.
- \`src/handlers.ts\`: what becomes of each page.
- \`src/handlers.test.ts\`: its test.

Items, logs and every robots.txt are in \`crawls/\`. What follows is for the command, after \`--\`: \`npm start -- --dashboard\`.
\`npx mannerly explain <crawl directory> <url>\` says why a URL was or was not fetched; \`npx mannerly --help\` lists the rest.
`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
