import { readFileSync, statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectConfiguration as TestProject } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The files that take longest, by their names: they come first, since one that starts last would run alone. */
const LONGEST = [
  ...['packages.soak', 'server-forgets-', 'four-crawlers-redis', 'frontier-kill.soak', 'hostile-web.soak'],
  ...['rolling-upgrade', 'postgres-kill', 'sinks-kill', 'redis-kill', 'four-crawlers-', 'browser.soak'],
  ...['resume-kill.soak', 'archive-kill', 'one-server-away', 'real-site.soak', 'server-stays-away', 'recrawl-site'],
  ...['tarballs', 'dashboard.soak', 'hostile-neighbour', 'plan.soak'],
  ...['obeys-its-operator', 'crawls-again', 'postgres.test', 'postgres-races', 'traps-catalogue', 'fuzz.test'],
  ...['lmdb.test', 'moves-between-stores', 'closed-pipes', 'redis-cluster', 'three-virtual-days', 'linear-readers'],
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.includes(`/${name}`));
      return place < 0 ? LONGEST.length : place;
    };
    // Projects stay in their order: processes are shared within one.
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const ofProject = (one: (typeof projects)[number]) => sorted.filter(({ project }) => project === one);
    return projects.flatMap((one) => ofProject(one).sort((a, b) => placeOf(a) - placeOf(b)));
  }
}

/** Suites that take longer than a developer waits: `pnpm soak`. These measure pace or memory: two at a time, last. */
const MEASURING_FILES = 'test/soak/{hostile-neighbour,plan,report-page,demo,two-hundred-hosts,memory-of-*}.soak.ts';
const MEASURING: TestProject = {
  extends: true,
  test: { name: 'measuring', include: [MEASURING_FILES], maxWorkers: 2, sequence: { groupOrder: 2 } },
};
/** The others mostly wait, for delays, kills and installs: side by side. */
const WAITING: TestProject = {
  extends: true,
  test: {
    name: 'waiting',
    include: ['test/soak/**/*.soak.ts'],
    exclude: [MEASURING_FILES, '**/node_modules/**'],
    maxWorkers: 8,
    sequence: { groupOrder: 1 },
  },
};
/**
 * A process for each file: small sizes of those suites, which measure memory; nock, the lean engine and mocks, which
 * stay in it for good; and what measures the processor's time, of which a full heap takes a share.
 */
const ALONE_FILES = [
  'test/soak/**/*.test.ts',
  'test/crawl/{platform-fetcher,second-lock,under-nock}.test.ts',
  'packages/core/src/{linear-readers,wakeup.memory,fetch/spool-unlink}.test.ts',
];
const ALONE: TestProject = { extends: true, test: { name: 'alone', include: ALONE_FILES } };
/** In a context of `node:vm`, as under Jest. */
const REALM_FILES = ['test/crawl/another-realm.test.ts'];
const REALM: TestProject = { extends: true, test: { name: 'realm', include: REALM_FILES, pool: 'vmThreads' } };
const COMMAND_FILES = ['packages/core/src/cli/**/*.test.ts'];
/**
 * All others share processes, since reading the sources costs more than most tests; `leaves-no-trace` holds them to it.
 */
const shared = (elsewhere: readonly string[]): TestProject => ({
  extends: true,
  test: {
    name: 'shared',
    include: ['packages/*/{src,test-support}/**/*.test.ts', 'test/**/*.test.ts', 'examples/src/**/*.test.ts'],
    exclude: [...elsewhere, ...ALONE_FILES, ...REALM_FILES, '**/node_modules/**'],
    isolate: false,
    setupFiles: [source('test/support/leaves-no-trace.ts')],
  },
});
/** The tests of the command on what is published, whose files are bundles: all that `pnpm test` runs of them. */
const PUBLISHED: TestProject = {
  extends: true,
  resolve: {
    alias: [
      { find: /^\.\.?(?:\/src\/cli)?\/program\.js$/, replacement: source('packages/core/package/dist/cli/program.js') },
    ],
  },
  test: {
    name: 'published',
    include: COMMAND_FILES,
    isolate: false,
    setupFiles: [source('test/support/leaves-no-trace.ts')],
  },
};
/** Commands that tests start keep nothing in the home directory of who runs them. */
const ENVIRONMENT = { NODE_DISABLE_COMPILE_CACHE: '1' };
/**
 * What a whole run makes first: the packages as they are published, whose command starts with half the work, and the
 * data of a PostgreSQL.
 */
const onWhatIsPublished = (mode: string) => ({
  globalSetup: ['make-packages', 'make-postgres-data'].map((name) => source(`test/support/${name}.ts`)),
  env: {
    ...ENVIRONMENT,
    MANNERLY_COMMAND: source('packages/core/package/bin/mannerly.js'),
    MANNERLY_EXAMPLES: source('examples/package/dist'),
    ...(mode === 'whole' ? temporaryFolder() : {}),
  },
});
/** Bytes that the files of tests at work need at most, all together. */
const NEEDED_BYTES = 2e9;
/**
 * Where a whole run keeps its temporary files: in memory, where Linux has the space, since waiting for a disk takes
 * longer than many tests. What survives a killed process is the same. The soaks use the disk.
 */
function temporaryFolder(): { TMPDIR?: string } {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined) return {};
  const memory = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm tmpfs (\S+)/m);
  if (memory === null || memory[1]?.split(',').includes('noexec')) return {};
  const { bavail, bsize } = statfsSync('/dev/shm');
  return bavail * bsize < NEEDED_BYTES ? {} : { TMPDIR: '/dev/shm' };
}
const MODES: Readonly<Record<string, readonly TestProject[]>> = {
  whole: [shared(COMMAND_FILES), ALONE, REALM, PUBLISHED],
  soak: [WAITING, MEASURING],
};

// Tests read the sources, not the build, so that an edit is tested without a compile in between. Modes: none for some
// files while one works on them; `whole` for all (`pnpm test`); `soak`.
export default defineConfig(({ mode }) => ({
  resolve: {
    alias: [
      {
        find: /^@mannerly\/robots\/(access|data-txt|diagnostics|page|preferences)$/,
        replacement: `${source('packages/robots/src/')}$1/index.ts`,
      },
      {
        find: /^@mannerly\/robots\/(dedupe-key|explain|site-fields)$/,
        replacement: `${source('packages/robots/src/')}$1.ts`,
      },
      { find: /^@mannerly\/robots\/politeness$/, replacement: source('packages/robots/src/politeness-fields.ts') },
      { find: /^@mannerly\/robots$/, replacement: source('packages/robots/src/index.ts') },
      { find: /^@mannerly\/frontier$/, replacement: source('packages/frontier/src/index.ts') },
      { find: /^@mannerly\/frontier\/internal$/, replacement: source('packages/frontier/src/internal.ts') },
      { find: /^@mannerly\/frontier\/conformance$/, replacement: source('packages/frontier/src/conformance/index.ts') },
      { find: /^@mannerly\/frontier\/(\w+)$/, replacement: `${source('packages/frontier/src/stores/')}$1.ts` },
      {
        find: /^mannerly\/fetcher-conformance$/,
        replacement: source('packages/core/src/fetcher-conformance/index.ts'),
      },
      { find: /^mannerly\/testing$/, replacement: source('packages/core/src/testing/index.ts') },
      { find: /^mannerly\/browser$/, replacement: source('packages/core/src/browser/index.ts') },
      { find: /^mannerly\/fetch$/, replacement: source('packages/core/src/polite-fetch/index.ts') },
      { find: /^mannerly\/dashboard$/, replacement: source('packages/core/src/dashboard/index.ts') },
      { find: /^mannerly\/metrics\/(\w+)$/, replacement: `${source('packages/core/src/metrics/')}$1.ts` },
      { find: /^mannerly\/v8-flags$/, replacement: source('packages/core/src/v8-flags.ts') },
      { find: /^mannerly\/sinks$/, replacement: source('packages/core/src/sinks/index.ts') },
      { find: /^mannerly\/sink-conformance$/, replacement: source('packages/core/src/sink-conformance/index.ts') },
      { find: /^mannerly$/, replacement: source('packages/core/src/index.ts') },
      { find: /^@mannerly\/examples\/demo\/town$/, replacement: source('examples/src/demo/town.ts') },
    ],
  },
  test: {
    // Against hanging, not against slowness: a machine that is busy or small takes ten times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Many wait for a clock: four at a time on any machine.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    env: ENVIRONMENT,
    ...(mode in MODES ? onWhatIsPublished(mode) : {}),
    projects: [...(MODES[mode] ?? [shared([]), ALONE, REALM])],
  },
}));
