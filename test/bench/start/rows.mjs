// How long the command takes to start: until its help is printed, and until a new crawl sends its first request. From
// the workspace, a file per module, and as published, bundled. Medians of wall time, one run after another.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RUNS = 15;
const CORE = fileURLToPath(new URL('../../../packages/core/', import.meta.url));
const PACKAGER = fileURLToPath(new URL('../../../.ci/package.mjs', import.meta.url));
const COMMANDS = { 'from the workspace': join(CORE, 'bin/mannerly.js'), published: '' };
/** Without a variable that makes Node read a file of certificates in every process, before any of our code. */
const { NODE_EXTRA_CA_CERTS: _, ...ENVIRONMENT } = process.env;
const WHO = ['--name', 'start-bench', '--contact', 'https://example.org/us', '--allow-address', '127.0.0.0/8'];

export async function rows() {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-start-'));
  const server = createServer((_, response) => response.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/`;
  COMMANDS.published = await published(folder);
  /** Milliseconds until a process has ended, or until it has sent a request, which ends it. */
  const timed = async (args) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, { stdio: 'ignore', env: ENVIRONMENT });
    const onRequest = () => {
      child.kill('SIGKILL');
    };
    server.once('request', onRequest);
    await once(child, 'close');
    server.off('request', onRequest);
    return performance.now() - startedAt;
  };
  const bare = [];
  const times = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, { help: [], first: [] }]));
  try {
    for (let run = 0; run < RUNS; run += 1) {
      bare.push(await timed(['-e', '0']));
      for (const [name, command] of Object.entries(COMMANDS)) {
        const out = join(folder, `${name}-${run}`);
        times[name].help.push(await timed([command, '--help']));
        times[name].first.push(await timed([command, 'crawl', url, ...WHO, '--no-config', '--out', out]));
      }
    }
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const reference = { reference: 'node -e 0', referenceValue: median(bare), digits: 0 };
  return Object.entries(times).flatMap(([name, { help, first }]) => [
    { row: `mannerly --help, ${name}, ms`, value: median(help), ...reference, goal: '≤ 120' },
    { row: `first request of a new crawl, ${name}, ms`, value: median(first), ...reference, goal: '≤ 250' },
  ]);
}

/** Builds the three packages as they are published, in a folder of their own. @returns The path of the command. */
async function published(folder) {
  for (const name of ['robots', 'frontier', 'core'])
    execFileSync(process.execPath, [PACKAGER], { cwd: join(CORE, '..', name), stdio: 'ignore' });
  const pack = [
    '--prefer-offline',
    '-y',
    'pnpm@10',
    '-r',
    '--filter',
    './packages/*',
    'pack',
    '--pack-destination',
    folder,
  ];
  execFileSync('npx', pack, { cwd: join(CORE, '../..'), stdio: 'ignore' });
  const tarballs = ['mannerly-robots', 'mannerly-frontier', 'mannerly'].map((name) =>
    join(folder, `${name}-0.0.0.tgz`),
  );
  execFileSync(
    'npm',
    ['install', '--prefix', folder, '--ignore-scripts', '--prefer-offline', '--no-audit', ...tarballs],
    {
      stdio: 'ignore',
    },
  );
  return join(folder, 'node_modules/mannerly/bin/mannerly.js');
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
