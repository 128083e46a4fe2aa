// The three packages as they are published: packed by pnpm, which rewrites the versions of their dependencies, and read
// again.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Milliseconds that packing may take on a busy machine. */
const PACK_MS = 300_000;

/** A package's manifest: the fields that these tests read. */
export interface PublishedManifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** A packed package. */
export interface Tarball {
  /** The folder below `packages`. */
  readonly packageFolder: string;
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

/** The packages, each after its dependencies. */
export const PACKAGE_FOLDERS: readonly string[] = ['robots', 'frontier', 'core'];

/** Packs all three into a new temporary folder. The caller removes it: `removePacked`. */
export async function packAll(): Promise<readonly Tarball[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-tarballs-'));
  // `make-packages.ts` has built their content for all tests.
  const pack = ['--config.ignore-scripts=true', '-r', '--filter', './packages/*', 'pack', '--pack-destination', folder];
  await run('npx', ['--prefer-offline', '-y', 'pnpm@10', ...pack], { cwd: root, timeout: PACK_MS });
  return Promise.all(
    PACKAGE_FOLDERS.map(async (packageFolder) => {
      const manifest = await readFile(join(root, 'packages', packageFolder, 'package.json'), 'utf8');
      const { name, version } = JSON.parse(manifest) as PublishedManifest;
      const path = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
      return { packageFolder, name, path, bytes: (await stat(path)).size };
    }),
  );
}

/** Removes what `packAll` made. */
export async function removePacked(tarballs: readonly Tarball[]): Promise<void> {
  for (const { path } of tarballs) await rm(join(path, '..'), { recursive: true, force: true });
}

/** Unpacks a tarball into an existing folder; the files are then in its `package/`. */
export async function unpack({ path }: Pick<Tarball, 'path'>, folder: string): Promise<void> {
  await run('tar', ['-xzf', path, '-C', folder]);
}
