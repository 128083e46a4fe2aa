// Documents outside `docs` that are pages of the site too: copied before a build, never edited here.

import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { rootPath } from './entries.mjs';

/** Path in the repository → path below `docs`. */
export const gathered = new Map([
  ['packages/core/README.md', 'packages/mannerly.md'],
  ['packages/frontier/README.md', 'packages/frontier.md'],
  ['packages/robots/README.md', 'packages/robots.md'],
  ['examples/README.md', 'project/examples.md'],
  ['ARCHITECTURE.md', 'project/architecture.md'],
  ['CONTRIBUTING.md', 'project/contributing.md'],
  ['SECURITY.md', 'project/security.md'],
  ['CHANGELOG.md', 'project/changelog.md'],
  ['UPGRADING.md', 'project/upgrading.md'],
]);

/** Copies them. @throws where one is missing. */
export function gather() {
  for (const folder of ['packages', 'project']) rmSync(`${rootPath}docs/${folder}`, { recursive: true, force: true });
  for (const [from, to] of gathered) {
    mkdirSync(dirname(`${rootPath}docs/${to}`), { recursive: true });
    copyFileSync(rootPath + from, `${rootPath}docs/${to}`);
  }
}
