// Makes the published form of the package in the working directory, in its folder `package`. Its modules are bundled
// into few files, because loading a file costs more than loading its content. Declarations, sources and everything else
// are copied from the workspace, where nothing is bundled. Source maps lead from the bundle to the sources.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * Dependencies that become part of the bundle: the used part is small and the package or its dependencies are large, or
 * the package is small and every crawl loads it. All others stay packages: users share their types or instances, or
 * they have binaries.
 */
const INLINED = new Set([
  ...['commander', 'csv-stringify', 'htmlparser2', 'ipaddr.js', 'p-queue'],
  ...['structured-headers', 'tldts', 'tough-cookie', 'warcio'],
  // Their own dependencies.
  ...['base32-encode', 'domelementtype', 'domhandler', 'domutils', 'dom-serializer', 'entities', 'eventemitter3'],
  ...['hash-wasm', 'p-timeout', 'pako', 'tldts-core', 'to-data-view', 'uuid-random'],
]);

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const home = process.cwd();
const src = join(home, 'src');
const into = join(home, 'package');

/** The entries by their paths in `src` and `dist`: exports, modules that `bin` imports, threads. */
function entriesOf() {
  const exported = Object.values(manifest.exports).flatMap((target) => target.default ?? []);
  const bin = Object.values(manifest.bin ?? {}).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/'\.\.\/(dist\/[^']+\.js)'/g)].map(([, path]) => path),
  );
  const threads = readdirSync('src', { recursive: true }).filter((path) => /-thread\.ts$/.test(path));
  // Tests of the command run on the bundle too.
  const tested = manifest.bin === undefined ? [] : ['cli/program.ts'];
  const names = [...exported, ...bin, ...threads, ...tested].map((path) =>
    path.replaceAll('\\', '/').replace(/^(\.\/)?dist\/|\.[jt]s$/g, ''),
  );
  return Object.fromEntries(names.map((name) => [name, join(src, `${name}.ts`)]));
}

/** Modules that are loaded together go into one file: everything that these import, in this order. */
const GROUPS = {
  start: ['cli/open-files.ts', 'cli/main.ts', 'stores/processes.ts', 'v8-flags.ts'],
  crawl: ['cli/commands/crawl.ts'],
  // `index.ts` is the library of each package, the others are of robots. A bundler leaves out files that a program does
  // not use, but not all that is unused within a file.
  access: ['access/index.ts', 'matches-pattern.ts'],
  library: ['index.ts'],
  rest: ['page/index.ts', 'data-txt/index.ts', 'preferences/index.ts'],
};
const groups = new Map();

/** The name of the group of a module; `null`: none. */
function groupOf(id, graph) {
  const visit = (each, name) => {
    if (groups.has(each)) return;
    groups.set(each, name);
    for (const next of graph.getModuleInfo(each)?.importedIds ?? []) visit(next, name);
  };
  if (groups.size === 0)
    for (const [name, roots] of Object.entries(GROUPS)) for (const root of roots) visit(join(src, root), name);
  // An entry may have side effects when it is imported, and may use top-level await.
  return graph.getModuleInfo(id)?.isEntry ? null : (groups.get(id) ?? null);
}

const isInlined = (id) => INLINED.has(/^(@[^/]+\/)?[^/]+/.exec(id)[0]);

rmSync(into, { recursive: true, force: true });
const build = await rolldown({
  input: entriesOf(),
  platform: 'node',
  checks: { ineffectiveDynamicImport: false },
  preserveEntrySignatures: 'allow-extension',
  external: (id) => /^[\w@]/.test(id) && !/^[A-Z]:/i.test(id) && !isInlined(id),
});
const { output } = await build.write({
  dir: join(into, 'dist'),
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  sourcemap: true,
  sourcemapExcludeSources: true,
  // Sources are published next to the bundle.
  sourcemapPathTransform: (source, map) => {
    const path = join(dirname(map), source);
    const isOurs = path.startsWith(src);
    return isOurs ? relative(dirname(map), join(into, relative(home, path))) : path.replace(/^.*(?=node_modules)/, '');
  },
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: groupOf, debugName: 'group' }] },
});
await build.close();
for (const { name, imports = [] } of output)
  if (/-thread$/.test(name) && imports.some((file) => file.startsWith('chunks/')))
    throw new Error(`${name} is a thread, and would load again what the program has loaded: ${imports.join(', ')}`);

// Everything else is copied; `files` of the manifest leaves out tests.
for (const name of ['LICENSE', ...manifest.files.filter((entry) => !/^(!|dist$)/.test(entry))])
  cpSync(name, join(into, name), { recursive: true });
const isOfSource = (path) => existsSync(join('src', path.replace(/\.d\.ts(\.map)?$/, '.ts')));
for (const path of readdirSync('dist', { recursive: true }))
  if (/\.d\.ts(\.map)?$/.test(path) && isOfSource(path)) cpSync(join('dist', path), join(into, 'dist', path));

const { scripts: _, devDependencies: __, publishConfig, dependencies = {}, ...rest } = manifest;
const { directory: ___, linkDirectory: ____, ...publishing } = publishConfig;
/** Whether a module loads a package by its name, when it first needs it: a bundler leaves that as it is. */
const isLoaded = (name) => output.some(({ code = '' }) => code.includes(`require("${name}")`));
// The three packages have one version.
const needed = Object.entries(dependencies)
  .filter(([name]) => !isInlined(name) || isLoaded(name))
  .map(([name, range]) => [name, range.startsWith('workspace:') ? `^${manifest.version}` : range]);
const published = { ...rest, publishConfig: publishing, dependencies: Object.fromEntries(needed) };
writeFileSync(join(into, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);

/** The licences of inlined packages, as they require. */
const modules = output.flatMap(({ moduleIds = [] }) => moduleIds).map((id) => id.split(sep).join('/'));
const homes = new Set(modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
const notices = [...homes].sort().map((home) => {
  const { name, version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  if (!INLINED.has(name))
    throw new Error(`${name} is in the bundle, and not in the list of packages that may be inlined`);
  const file = readdirSync(home).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(home, file), 'utf8').trim()}\n`;
});
if (notices.length > 0) writeFileSync(join(into, 'dist', 'LICENSES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));

// Loading the program takes most of the time of its help, so the help is a file. `--help` is given twice here, since
// the file answers only a single one.
for (const bin of Object.values(manifest.bin ?? {}))
  writeFileSync(join(into, 'dist/help.txt'), execFileSync(process.execPath, [join(into, bin), '--help', '--help']));
