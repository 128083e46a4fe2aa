// The types require identity and bounds, so the editor marks an anonymous or endless crawl. Compiles the files next to
// it against the built packages: some must compile, and in the others every marked line must fail.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCrawler } from 'mannerly';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const compiler = `${root}node_modules/typescript/bin/tsc`;
const run = promisify(execFile);

/** The output of the compiler; empty if it accepts the project. */
async function compile(project: string): Promise<string> {
  try {
    await run(process.execPath, [compiler, '-p', project, '--pretty', 'false'], { cwd: root });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}

/** The output of the compiler for a text, as a module next to these files. */
async function compileText(text: string, compilerOptions: object = {}): Promise<string> {
  // git ignores `dist`, so the house rules do not see this temporary file.
  await mkdir(`${root}test/types/dist`, { recursive: true });
  const folder = await mkdtemp(`${root}test/types/dist/text-`);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(`${folder}/text.ts`, text);
  await writeFile(
    `${folder}/tsconfig.json`,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'], references: [] }),
  );
  return compile(`${folder}/tsconfig.json`);
}

describe('the types of the packages', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    // The build makes the declarations; if they are missing (in a direct run of vitest), they are made here.
    if (!existsSync(`${root}packages/core/dist/index.d.ts`))
      await run(process.execPath, [compiler, '-b', 'packages/core'], { cwd: root });
  }, 300_000);

  it('accept what they must and refuse what they must', async () => {
    expect(await compile('test/types')).toBe('');
  });

  it.each([
    ['must-not-compile', 15],
    ['contracts-must-not-compile', 10],
  ])('cause the errors: without its marks, every marked line of %s is an error', async (name, minErrors) => {
    const text = await readFile(`${root}test/types/${name}.ts`, 'utf8');
    const marks = text.match(/\/\/ @ts-expect-error/g)?.length ?? 0;
    expect(marks).toBeGreaterThan(minErrors);
    const lines = (await compileText(text.replaceAll('// @ts-expect-error', '//'))).match(/text\.ts\(\d+/g) ?? [];
    expect(new Set(lines).size).toBe(marks);
  });

  it.each([
    ["html: (page) => page.add('/x', { label: 'b' }), 'label:a': () => 1", `"b"' is not assignable to type '"a"'`],
    ["html: (page) => page.add('/x', { label: 'b' })", 'this object has no route for a label'],
    ['htlm: () => 1', 'no route: expected a content kind'],
  ])('say in plain words what is wrong with routes { %s }', async (routes, message) => {
    const text = `import type { Crawler } from 'mannerly';\nexport const route = (crawler: Crawler) => crawler.route({ ${routes} });`;
    expect(await compileText(text)).toContain(message);
  });

  it('have names in the declarations of a library that exports what it makes', async () => {
    const text = `import { FrontierError } from '@mannerly/frontier';
      import { type Crawler, type CrawlReport, createCrawler, type CrawlerOptions, type HandledPage } from 'mannerly';
      import { createPoliteFetch } from 'mannerly/fetch';
      export const crawler = (options: CrawlerOptions) => createCrawler(options);
      export const polite = () => createPoliteFetch({ identity: { name: 'a', contact: 'https://a.test/' } });
      export const onHtml = (page: HandledPage) => Promise.all([page.emit(1), page.add('/a'), page.follow(), page.save()]);
      export const eventsOf = (crawler: Crawler) => crawler.events;
      export const paceOf = (report: CrawlReport) => report.politeness;
      export const codeOf = (error: unknown) => (error instanceof FrontierError ? error.code : null);`;
    expect(await compileText(text, { declaration: true, noEmit: false, outDir: 'out' })).toBe('');
  });

  it('can be named in declarations by what the troubleshooting says', async () => {
    const text = `import { type HandledPage, type HookAnswer, refuse } from 'mannerly';
      export const old = (): HookAnswer => refuse('old');
      export const linksOf = (page: HandledPage): HandledPage['links'] => page.links;`;
    expect(await compileText(text, { declaration: true, noEmit: false, outDir: 'out' })).toBe('');
    const start = await readFile(`${root}docs/start.md`, 'utf8');
    const named = /^\| TS2742.*annotate it.*: (.*) \|$/m.exec(start)?.[1]?.split(', ') ?? [];
    expect(named.filter((type) => !text.includes(`: ${type.replaceAll('`', '')} =>`))).toEqual([]);
    expect(named).toHaveLength(2);
  });

  it('accept the unchanged crawl of the README', async () => {
    const readme = await readFile(`${root}README.md`, 'utf8');
    const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    expect(code).toContain('createCrawler');
    expect(await compileText(code)).toBe('');
    expect(await compileText(code.replace(/, contact: '[^']*'/, ''))).toContain('contact');
  });
});

/** The same mistakes at run time, for callers without a compiler → the code of the error. */
const MISTAKES: readonly (readonly [title: string, options: unknown, code: string])[] = [
  [
    'no contact',
    { identity: { name: 'bot' }, scope: { seeds: ['https://a.test/'] }, bounds: { pages: 1 } },
    'identity-contact',
  ],
  [
    'an empty contact',
    { identity: { name: 'bot', contact: '' }, scope: { seeds: ['https://a.test/'] }, bounds: { pages: 1 } },
    'identity-contact',
  ],
  [
    'a contact that reaches no one',
    { identity: { name: 'bot', contact: 'me' }, scope: { seeds: ['https://a.test/'] }, bounds: { pages: 1 } },
    'identity-contact',
  ],
  [
    'no name',
    { identity: { contact: 'https://a.test/' }, scope: { seeds: ['https://a.test/'] }, bounds: { pages: 1 } },
    'identity-name',
  ],
  [
    'no bounds',
    { identity: { name: 'bot', contact: 'https://a.test/' }, scope: { seeds: ['https://a.test/'] } },
    'bounds-missing',
  ],
  [
    'bounds of depth only',
    {
      identity: { name: 'bot', contact: 'https://a.test/' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { depth: 1 },
    },
    'bounds-missing',
  ],
  [
    'endless bounds',
    {
      identity: { name: 'bot', contact: 'https://a.test/' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: Number.POSITIVE_INFINITY },
    },
    'option-invalid',
  ],
  [
    'no seeds',
    { identity: { name: 'bot', contact: 'https://a.test/' }, scope: { seeds: [] }, bounds: { pages: 1 } },
    'seed-invalid',
  ],
  [
    'a seed that is no URL',
    { identity: { name: 'bot', contact: 'https://a.test/' }, scope: { seeds: ['a.test'] }, bounds: { pages: 1 } },
    'seed-invalid',
  ],
  ...[
    { fetcher: { fetch: async () => null, close: async () => undefined } },
    { sinks: [{ name: 'x', open: async () => undefined, write: async () => undefined }] },
    { clock: { nowMs: () => 0 } },
  ].map(
    (part) =>
      [
        `a part that lacks something: ${Object.keys(part)}`,
        {
          identity: { name: 'bot', contact: 'https://a.test/' },
          scope: { seeds: ['https://a.test/'] },
          bounds: { pages: 1 },
          ...part,
        },
        'option-invalid',
      ] as const,
  ),
  [
    'an option that does not exist',
    {
      identity: { name: 'bot', contact: 'https://a.test/' },
      scope: { seeds: ['https://a.test/'] },
      bounds: { pages: 1 },
      ignoreRobots: true,
    },
    'option-unknown',
  ],
];

describe('the same at run time', () => {
  it.each(MISTAKES)('%s', (_title, options, code) => {
    let caught: unknown = null;
    try {
      createCrawler(options as Parameters<typeof createCrawler>[0]);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(Error);
    expect(caught).toMatchObject({ code });
    expect((caught as Error).message.length).toBeGreaterThan(20);
  });
});
