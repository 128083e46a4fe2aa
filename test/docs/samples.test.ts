// People copy first from the page for beginners. Its files are taken from it unchanged and compiled against the built
// packages, and its test is run. If they fail, people stop reading.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { rootPath } from '../house/source-tree.js';

const run = promisify(execFile);
const compiler = `${rootPath}node_modules/typescript/bin/tsc`;

/** The blocks of a page that name a file: ```ts file=crawl.ts. They include the compiler's settings. */
function filesOf(page: string): Map<string, string> {
  return new Map(
    [...page.matchAll(/```\w+ file=(\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => [name, text]),
  );
}

/** Writes the files where `mannerly` can be resolved, and compiles them. Returns the output folder. */
async function compiled(files: ReadonlyMap<string, string>): Promise<string> {
  // git ignores `dist`, so the house rules do not see this temporary file.
  await mkdir(`${rootPath}test/docs/dist`, { recursive: true });
  const folder = await mkdtemp(`${rootPath}test/docs/dist/sample-`);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of files) await writeFile(`${folder}/${name}`, text);
  await run(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { cwd: rootPath });
  return `${folder}/dist`;
}

it('the front page shows the lines of the README', async () => {
  const linesOf = async (path: string) =>
    /```ts\n([\s\S]*?)```/
      .exec(await readFile(`${rootPath}${path}`, 'utf8'))?.[1]
      ?.trim()
      .split('\n');
  const lines = await linesOf('docs/index.md');
  expect(lines).toHaveLength(9);
  expect(lines).toEqual(await linesOf('README.md'));
});

describe('the files of docs/start.md', { timeout: 300_000 }, () => {
  const page = readFile(`${rootPath}docs/start.md`, 'utf8');

  beforeAll(async () => {
    // `pnpm test` builds the packages first; a direct run of vitest may not.
    if (!existsSync(`${rootPath}packages/core/dist/index.d.ts`))
      await run(process.execPath, [compiler, '-b', 'packages/core'], { cwd: rootPath });
  }, 300_000);

  it('compile unchanged, and their test passes', async () => {
    const files = filesOf(await page);
    expect([...files.keys()]).toEqual(['tsconfig.json', 'crawl.ts', 'main.ts', 'crawl.test.ts']);
    const out = await compiled(files);
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', `${out}/crawl.test.js`]);
    expect(stdout).toContain('# pass 1');
  });

  it('are rejected if they are wrong', async () => {
    const files = filesOf(await page);
    const crawl = files.get('crawl.ts') ?? '';
    const wrong = new Map(files).set('crawl.ts', crawl.replace(/, contact: '[^']*'/, ''));
    await expect(compiled(wrong)).rejects.toMatchObject({ stdout: expect.stringContaining('contact') as string });
  });
});
