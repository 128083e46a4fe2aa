// Everything that users install has a permitted licence and is in the bill of materials: .ci/sbom.mjs, part of `pnpm
// check` and of a release, tested with made-up packages.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rootPath } from './source-tree.js';

interface Bill {
  readonly bomFormat: string;
  readonly components: readonly {
    readonly purl: string;
    readonly licenses: unknown;
    readonly hashes?: readonly { readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const PROGRAM = join(rootPath, '.ci/sbom.mjs');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'licences-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file like the output of `pnpm list`: `mannerly` with one dependency, whose manifest has these fields. */
function treeOf(manifest: object, name = 'planted', version = '1.2.3'): string {
  const path = join(folder, 'planted');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest));
  const tree = join(folder, 'tree.json');
  const dependencies = { [name]: { from: name, version, path } };
  writeFileSync(
    tree,
    JSON.stringify([{ name: 'mannerly', version: '0.0.0', path: `${rootPath}packages/core`, dependencies }]),
  );
  return tree;
}

const judge = (tree: string) => spawnSync(process.execPath, [PROGRAM, '--tree', tree], { encoding: 'utf8' });

describe('the licence check', () => {
  it.each([
    { license: 'MIT' },
    { license: '(MIT OR GPL-3.0-only)' },
    { license: '(MIT AND Zlib)' },
    { license: { type: 'ISC' } },
    { licenses: [{ type: 'Apache-2.0' }] },
  ])('permits $license$licenses', (manifest) => {
    expect(judge(treeOf(manifest))).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    [{ license: 'GPL-3.0-only' }, 'GPL-3.0-only'],
    [{ license: 'MIT AND GPL-3.0-only' }, 'MIT AND GPL-3.0-only'],
    [{ license: 'MIT OR (GPL-3.0-only AND ISC)' }, 'MIT OR (GPL-3.0-only AND ISC)'],
    [{ license: 'SEE LICENSE IN LICENSE.txt' }, 'SEE LICENSE IN LICENSE.txt'],
    [{}, 'not named'],
  ])('refuses %j', (manifest, named) => {
    const { status, stderr } = judge(treeOf(manifest));
    expect(stderr).toBe(`planted@1.2.3: its licence is ${named}, which is not permitted\n`);
    expect(status).toBe(1);
  });

  it('refuses a list without packages, and packages that are not installed', () => {
    const tree = treeOf({ license: 'MIT' });
    rmSync(join(folder, 'planted'), { recursive: true });
    expect(judge(tree).stderr).toContain('planted@1.2.3: its licence is unknown: it is not installed');
    writeFileSync(tree, '[]');
    expect(judge(tree).status).toBe(1);
  });

  it('is a part of `check` and of a release', () => {
    const { scripts } = JSON.parse(readFileSync(`${rootPath}package.json`, 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['check']).toContain('node .ci/sbom.mjs &&');
    expect(scripts['release']).toContain('node .ci/sbom.mjs --write sbom.cdx.json &&');
  });
});

it('the bill of materials names each package with its licence and the hash of the lockfile', () => {
  const [, version = '', hash = ''] =
    /\n {2}undici@(7[\d.]+):\n {4}resolution: \{integrity: sha512-([^}]+)\}/.exec(
      readFileSync(`${rootPath}pnpm-lock.yaml`, 'utf8'),
    ) ?? [];
  const out = join(folder, 'sbom.json');
  execFileSync(process.execPath, [PROGRAM, '--tree', treeOf({ license: 'MIT' }, 'undici', version), '--write', out]);
  const bill = JSON.parse(readFileSync(out, 'utf8')) as Bill;
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { name: 'mannerly' } },
  });
  expect(bill.components.map(({ purl }) => purl)).toEqual(['pkg:npm/mannerly@0.0.0', `pkg:npm/undici@${version}`]);
  expect(bill.components[1]).toMatchObject({
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
  });
  expect(bill.dependencies).toEqual([
    { ref: 'pkg:npm/mannerly@0.0.0', dependsOn: [`pkg:npm/undici@${version}`] },
    { ref: `pkg:npm/undici@${version}`, dependsOn: [] },
  ]);
});
