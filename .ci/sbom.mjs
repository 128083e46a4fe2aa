// Lists what the three packages install, from pnpm and the lockfile, offline. Fails if a licence is not permitted.
// `--write FILE` writes the bill of materials as CycloneDX 1.6, always the same for the same lockfile. `--tree FILE`
// reads the output of `pnpm list` from a file instead.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** SPDX names of licences under which others may use, change and pass on what they install. */
const PERMITTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]);
/**
 * Packages for one platform are not installed on others: the licences in their manifests, by the start of their names.
 */
const OF_A_PLATFORM = [
  ['@lmdb/lmdb-', 'MIT'],
  ['@msgpackr-extract/msgpackr-extract-', 'MIT'],
];

const root = fileURLToPath(new URL('../', import.meta.url));
const { values } = parseArgs({ options: { write: { type: 'string' }, tree: { type: 'string' } } });
const hashes = new Map(
  [
    ...readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').matchAll(
      /^ {2}'?(@?[^\s@]+@[^\s:']+)'?:\n {4}resolution: \{integrity: sha512-([^}, ]+)/gm,
    ),
  ].map(([, id, hash]) => [id, Buffer.from(hash, 'base64').toString('hex')]),
);

const components = new Map();
const edges = new Map();
const faults = [];
const own = JSON.parse(values.tree === undefined ? askPnpm() : readFileSync(values.tree, 'utf8'));
if (own.length === 0) faults.push('pnpm list names no package');
for (const { name, version, dependencies, path } of own) visit(name, { version, dependencies, path });

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
if (faults.length === 0 && values.write !== undefined) writeFileSync(values.write, bill());
if (faults.length === 0) console.log(`${components.size} packages, every licence permitted`);

function askPnpm() {
  const args = ['-r', '--filter', './packages/*', 'list', '--prod', '--json', '--depth', '100'];
  // Under `pnpm run`, npm_execpath names pnpm itself; on Windows `npx` is not an executable file.
  const pnpm = process.env.npm_execpath;
  const isPnpm = /pnpm[^/\\]*\.[cm]?js$/.test(pnpm ?? '');
  const [file, first] = isPnpm ? [process.execPath, [pnpm]] : ['npx', ['--prefer-offline', '-y', 'pnpm@10']];
  return execFileSync(file, [...first, ...args], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

/** Adds a package and its dependencies. Returns its reference. */
function visit(name, { version, path, dependencies = {}, optionalDependencies = {} }) {
  // A dependency on one of our own packages.
  const ours = own.find((each) => each.name === name);
  if (version.startsWith('link:') && ours !== undefined) return visit(name, ours);
  const ref = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  if (components.has(ref)) return ref;
  const license = licenceOf(name, path);
  if (!isPermitted(license)) faults.push(`${name}@${version}: its licence is ${license}, which is not permitted`);
  const hash = hashes.get(`${name}@${version}`);
  components.set(ref, {
    type: 'library',
    'bom-ref': ref,
    name,
    version,
    ...(hash === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: hash }] }),
    licenses: [/ (?:AND|OR) /.test(license) ? { expression: license } : { license: { id: license } }],
    purl: ref,
  });
  const below = { ...dependencies, ...optionalDependencies };
  edges.set(
    ref,
    Object.entries(below).map(([key, each]) => visit(each.from ?? key, each)),
  );
  return ref;
}

/** The licence in the manifest of an installed package. */
function licenceOf(name, path) {
  let manifest = {};
  try {
    manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  } catch {
    const [, known] = OF_A_PLATFORM.find(([start]) => name.startsWith(start)) ?? [];
    return known ?? 'unknown: it is not installed';
  }
  const { license, licenses } = manifest;
  return (typeof license === 'string' ? license : (license?.type ?? licenses?.[0]?.type)) ?? 'not named';
}

/**
 * Whether an SPDX expression is permitted: every part of an AND, or one part of an OR; combinations of both are
 * refused.
 */
function isPermitted(expression) {
  const terms = expression.replace(/[()]/g, '');
  if (/ AND /.test(terms) && / OR /.test(terms)) return false;
  return / OR /.test(terms)
    ? terms.split(' OR ').some((each) => PERMITTED.has(each))
    : terms.split(' AND ').every((each) => PERMITTED.has(each));
}

function bill() {
  const byName = (left, right) => (left < right ? -1 : 1);
  return `${JSON.stringify(
    {
      $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: {
        component: components.get(
          visit(
            'mannerly',
            own.find(({ name }) => name === 'mannerly'),
          ),
        ),
      },
      components: [...components.values()].sort((left, right) => byName(left.purl, right.purl)),
      dependencies: [...edges]
        .sort(([left], [right]) => byName(left, right))
        .map(([ref, dependsOn]) => ({ ref, dependsOn: [...new Set(dependsOn)].sort(byName) })),
    },
    null,
    2,
  )}\n`;
}
