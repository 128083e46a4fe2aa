// A published package contains its sources, their declarations, the bundle of them, and nothing else: no test, no map
// of a missing source, no path to another package of the workspace, and an exports map that every resolver reads alike.

import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from '../house/source-tree.js';
import {
  PACKAGE_FOLDERS,
  type PublishedManifest,
  packAll,
  removePacked,
  type Tarball,
  unpack,
} from '../support/tarballs.js';

/** Problems of resolvers that do not read exports maps, or that need `import()` for ES modules. */
const ESM_ONLY: readonly string[] = ['NoResolution node10', 'CJSResolvesToESM node16-cjs'];

/** The package that a module imports, or requires. */
const LOADED_PACKAGE = /(?:^(?:import|export)\b[^;'"]*|\b(?:import|require)\()"((?:@[\w-]+\/)?\w[\w.-]*)(?=["/])/gm;

let tarballs: readonly Tarball[];
let folder: string;

beforeAll(async () => {
  tarballs = await packAll();
  folder = await mkdtemp(join(tmpdir(), 'mannerly-unpacked-'));
}, 1_000_000);
afterAll(async () => {
  await removePacked(tarballs);
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

function tarballOf(packageFolder: string): Tarball {
  const found = tarballs.find((each) => each.packageFolder === packageFolder);
  if (found === undefined) throw new Error(`no tarball of ${packageFolder}`);
  return found;
}

/** A file of the bundle, or its map. */
const isBundled = (path: string): boolean => /^dist\/(?:(?!\.d\.ts).)*\.js(\.map)?$/.test(path);

describe.each(PACKAGE_FOLDERS)('the tarball of %s', { timeout: 300_000 }, (packageFolder) => {
  let paths: readonly string[];
  let manifest: PublishedManifest;
  const packed = (path: string): string => readFileSync(join(folder, packageFolder, 'package', path), 'utf8');

  beforeAll(async () => {
    await mkdir(join(folder, packageFolder));
    await unpack(tarballOf(packageFolder), join(folder, packageFolder));
    paths = readdirSync(join(folder, packageFolder, 'package'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, packageFolder, 'package').length + 1));
    manifest = JSON.parse(packed('package.json')) as PublishedManifest;
  });

  it('holds its sources, what they compile to, what its manifest names, README and licence', () => {
    const tracked = listFiles()
      .filter((path) => path.startsWith(`packages/${packageFolder}/`))
      .map((path) => path.slice(`packages/${packageFolder}/`.length));
    const shipped = tracked.filter((path) => /^src\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'));
    const built = shipped.flatMap((path) => {
      const stem = path.replace(/^src\//, 'dist/').replace(/\.ts$/, '');
      return [`${stem}.d.ts`, `${stem}.d.ts.map`];
    });
    const licences = packageFolder === 'robots' ? [] : ['dist/LICENSES.txt'];
    const help = packageFolder === 'core' ? ['dist/help.txt'] : [];
    const named = manifest.files.filter((entry) => !/^!|^(dist|src|README\.md)$/.test(entry));
    const asTheyAre = tracked.filter((path) => named.some((entry) => path.startsWith(`${entry}/`)));
    const made = ['LICENSE', 'README.md', 'package.json', ...licences, ...help];
    const expected = [...made, ...asTheyAre, ...shipped, ...built].sort();
    expect(paths.filter((path) => !isBundled(path)).sort()).toEqual(expected);
    expect(paths.filter(isBundled).length).toBeLessThan(shipped.length);
    expect(built.length).toBeGreaterThan(20);
  });

  it('says nothing that is true only in the workspace', () => {
    const { name, exports, files, ...rest } = manifest;
    expect(rest).toMatchObject({
      license: 'Apache-2.0',
      type: 'module',
      engines: { node: '>=20.19' },
      publishConfig: { access: 'public', provenance: true },
    });
    expect(name).toMatch(/^(@mannerly\/)?[a-z]+$/);
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|file:|link:/);
    expect(packed('LICENSE')).toContain('Apache License');
  });

  it('has a map for every file that was built, and every source of ours that a map names', () => {
    const built = paths.filter((path) => /^dist\/.*\.(js|d\.ts)$/.test(path));
    // Modules that only re-export have no map, nor has the bundler's runtime.
    const isPassing = (path: string): boolean =>
      path.endsWith('/rolldown-runtime.js') || /^(\s*(import|export)\b[^;]*;)*\s*$/.test(packed(path));
    const faults = built.filter((path) => {
      if (isPassing(path)) return false;
      const [, name = ''] = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(packed(path)) ?? [];
      if (!paths.includes(posix.join(posix.dirname(path), name))) return true;
      const { sources, sourceRoot = '' } = JSON.parse(packed(`${path}.map`)) as Record<string, string[] | string>;
      const named = (sources as string[]).map((source) => posix.join(posix.dirname(path), `${sourceRoot}${source}`));
      const ours = named.filter((source) => !source.includes('node_modules/'));
      return ours.some((source) => !paths.includes(source));
    });
    expect(built.filter((path) => !isPassing(path)).length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });

  it('has every file that its exports name, types first', () => {
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    );
    expect(targets.map((target) => target.slice(2)).filter((target) => !paths.includes(target))).toEqual([]);
    for (const target of Object.values(manifest.exports))
      if (typeof target !== 'string') expect(Object.keys(target)).toEqual(['types', 'default']);
  });

  it('declares every package that its modules load, also those that they load by name when they need them', () => {
    const { dependencies, peerDependencies } = manifest as Record<string, object | undefined>;
    const declared = [manifest.name, ...[dependencies, peerDependencies].flatMap((each) => Object.keys(each ?? {}))];
    const modules = paths.filter((path) => isBundled(path) && path.endsWith('.js')).map(packed);
    const loaded = modules.flatMap((code) => [...code.matchAll(LOADED_PACKAGE)].map(([, name = '']) => name));
    expect(loaded.filter((name) => !declared.includes(name) && !isBuiltin(name))).toEqual([]);
    expect(loaded.length).toBeGreaterThan(packageFolder === 'robots' ? -1 : 3);
  });

  it('satisfies publint', async () => {
    const { buffer, byteOffset, byteLength } = await readFile(tarballOf(packageFolder).path);
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
  });

  it('has types that are right, for every resolver that reads ESM', async () => {
    const analysis = await checkPackage(
      createPackageFromTarballData(new Uint8Array(await readFile(tarballOf(packageFolder).path))),
    );
    if (!analysis.types) throw new Error('no types were found');
    expect(Object.keys(analysis.entrypoints).sort()).toEqual(Object.keys(manifest.exports).sort());
    const problems = analysis.problems.map((problem) => [
      problem.kind,
      'resolutionKind' in problem ? problem.resolutionKind : '',
      'entrypoint' in problem ? problem.entrypoint : '',
    ]);
    expect(problems.filter(([kind, resolution]) => !ESM_ONLY.includes(`${kind} ${resolution}`))).toEqual([]);
    // The check works: it finds the problems that every ESM-only package has.
    expect(problems.length).toBeGreaterThan(0);
  });
});

it('the packages depend on each other in their own version', () => {
  const manifests = PACKAGE_FOLDERS.map(
    (packageFolder) =>
      JSON.parse(readFileSync(join(folder, packageFolder, 'package', 'package.json'), 'utf8')) as PublishedManifest,
  );
  const versions = new Map(manifests.map(({ name, version }) => [name, version]));
  const dependencyNames = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies).filter(([name]) => versions.has(name)),
  );
  expect(dependencyNames).toHaveLength(3);
  for (const [name, range] of dependencyNames) expect([name, range]).toEqual([name, `^${versions.get(name)}`]);
  expect(new Set(versions.values()).size).toBe(1);
  console.info(`tarballs: ${tarballs.map(({ name, bytes }) => `${name} ${Math.round(bytes / 1000)} kB`).join(', ')}`);
});
