// Who may import whom (ARCHITECTURE.md, "Who may import whom"), as pure functions from module facts to faults. Unit
// tests next to the sources follow the direction and the borders between packages; the finer rules are for published
// code.

import { posix } from 'node:path';
import type { ImportFact, ModuleFacts } from './module-facts.js';
import type { Fault } from './source-tree.js';

/** A package of the workspace, for the rules. */
export interface Workspace {
  /** Name on the registry → folder, declared subpaths, and which of our packages it may import. */
  readonly packages: readonly WorkspacePackage[];
}

/** One package of the workspace. */
export interface WorkspacePackage {
  readonly name: string;
  readonly folder: string;
  /** Keys of its exports map: `.`, `./data-txt`, … */
  readonly exports: readonly string[];
  /** The names of our packages that it may import. */
  readonly mayImport: readonly string[];
}

type Rule = (file: Placed, imported: Imported) => string | null;

/** A module with its package. */
interface Placed {
  readonly path: string;
  readonly home: WorkspacePackage;
  /** Path below `src/` (packages, examples) or below the folder (test). */
  readonly inside: string;
  readonly isTest: boolean;
}

/** An import, resolved as far as paths allow. */
interface Imported {
  readonly fact: ImportFact;
  /** Path from the root of the checkout, for relative imports. */
  readonly target: string | null;
  /** The same below its package's `src/`; `null` if it is outside of the package. */
  readonly inside: string | null;
  /** The package of ours that a bare specifier names. */
  readonly ours: { readonly owner: WorkspacePackage; readonly subpath: string } | null;
}

/** The faults in the imports of these modules. Pure. */
export function importFaults(modules: readonly ModuleFacts[], workspace: Workspace): Fault[] {
  const faults: Fault[] = [];
  for (const module of modules) {
    const file = placeOf(module.path, workspace);
    if (file === null) continue;
    for (const fact of module.imports) {
      const imported = resolve(file, fact, workspace);
      for (const rule of RULES) {
        const says = rule(file, imported);
        if (says !== null)
          faults.push({ path: `${module.path}:${fact.line}`, message: `${says} (imports '${fact.specifier}')` });
      }
    }
    if (!file.isTest) faults.push(...ambientFaults(file, module));
  }
  return [...faults, ...cycleFaults(modules)];
}

/** In the order in which they are checked; each names what it protects. */
const RULES: readonly Rule[] = [
  function direction(file, imported) {
    if (imported.ours === null || imported.ours.owner.name === file.home.name) return null;
    return file.home.mayImport.includes(imported.ours.owner.name)
      ? null
      : `${file.home.name} may not import ${imported.ours.owner.name}`;
  },
  function noDeepPaths(_file, imported) {
    if (imported.ours === null) return null;
    return imported.ours.owner.exports.includes(imported.ours.subpath)
      ? null
      : 'a deep path into a package: not in its exports map';
  },
  function staysInside(file, imported) {
    if (imported.target === null || imported.inside !== null) return null;
    const isSupport = file.isTest && imported.target.startsWith(`${file.home.folder}/test-support/`);
    return isSupport ? null : 'a relative import leaves its package';
  },
  function ownIndex(file, imported) {
    if (imported.inside === null || !/(^|\/)index\.ts$/.test(imported.inside) || file.isTest) return null;
    return 'nothing inside a package imports its own index';
  },
  function robotsImportsNothing(file, imported) {
    if (file.home.folder !== 'packages/robots' || file.isTest || imported.target !== null) return null;
    return 'robots imports nothing: no package, no node:';
  },
  function nodeInFrontier(file, imported) {
    if (file.home.folder !== 'packages/frontier' || file.isTest || !imported.fact.specifier.startsWith('node:'))
      return null;
    const others = ['clock.ts', 'flow/seen.ts', 'robots/packed-record.ts'];
    return /^(stores|conformance)\//.test(file.inside) || others.includes(file.inside)
      ? null
      : `node: appears in frontier only in stores/, conformance/ and ${others.join(', ')}`;
  },
  function frontierKnowsNoAdapter(file, imported) {
    if (file.home.folder !== 'packages/frontier' || file.isTest || imported.inside === null) return null;
    if (!imported.inside.startsWith('stores/') || /^stores\//.test(file.inside)) return null;
    // The main entry exports the memory store, and the conformance suite compares the others with it.
    const isModel = file.inside.startsWith('conformance/') && imported.inside === 'stores/memory.ts';
    return isModel || file.inside === 'index.ts' ? null : 'frontier knows the store contract, never an adapter';
  },
  function foldersLookDown(file, imported) {
    const layers = LAYERS[file.home.folder];
    if (layers === undefined || file.isTest || imported.inside === null) return null;
    const from = folderOf(file.inside, layers);
    const to = folderOf(imported.inside, layers);
    if (from === to || from === 'index.ts' || to === 'index.ts') return null;
    const own = layerOf(from, layers);
    const other = layerOf(to, layers);
    if (own < 0 || other < 0) return `${own < 0 ? from : to} is in no layer`;
    if (other < own || SIDEWAYS.has(`${from} → ${to}`) || SIDEWAYS.has(`${from} → ${imported.inside}`)) return null;
    return other > own ? `${from} looks up to ${to}` : `${from} looks at ${to}, in its own layer`;
  },
  function shipsNoTestKit(file, imported) {
    if (file.home.folder !== 'packages/core' || file.isTest || imported.inside === null) return null;
    return imported.inside.startsWith('testing/') && !file.inside.startsWith('testing/')
      ? 'the test kit is for those who test: nothing that is shipped imports it'
      : null;
  },
  function storesAreWiredInTwoPlaces(file, imported) {
    if (file.home.folder !== 'packages/core' || file.isTest || imported.ours?.owner.folder !== 'packages/frontier')
      return null;
    const isAdapter =
      STORE_SUBPATHS.has(imported.ours.subpath) || imported.fact.names.some((name) => /^[a-z]+Store$/.test(name));
    return isAdapter && !STORE_WIRING.has(file.inside)
      ? 'store adapters are imported by default-parts.ts and cli/open-store.ts only'
      : null;
  },
  function fetchersAreWiredInOnePlace(file, imported) {
    if (file.home.folder !== 'packages/core' || file.isTest || imported.inside === null) return null;
    if (!/^fetch\/(undici|platform)-fetcher\.ts$/.test(imported.inside)) return null;
    return FETCHER_WIRING.has(file.inside)
      ? null
      : 'fetcher adapters are imported by default-parts.ts, identity/request-verifier.ts and mannerly identity only';
  },
];

/**
 * The layers of a package, lowest first, as ARCHITECTURE.md draws them: a folder imports from those below it, not from
 * those above or next to it. `ground` are the files directly in `src`, except those that are named here.
 */
const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'packages/frontier': [
    ['ground'],
    ['url', 'stores'],
    ['politeness'],
    ['records'],
    ['robots'],
    ['options'],
    ['hosts'],
    ['flow'],
    ['questions', 'move'],
    ['frontier.ts'],
    ['conformance'],
  ],
  'packages/core': [
    ['ground'],
    ['directory', 'signatures'],
    ['admit', 'fetch', 'page', 'handle', 'output', 'archive', 'report'],
    ['journal'],
    ['discovery', 'licensing', 'recrawl'],
    ['crawl'],
    ['options', 'order-seed', 'replay'],
    ['run'],
    ['inspection'],
    ['default-parts.ts'],
    ['crawler.ts'],
    [
      'plan',
      'testing',
      'fetcher-conformance',
      'sink-conformance',
      'browser',
      'dashboard',
      'metrics',
      'identity',
      'polite-fetch',
      'sinks',
    ],
    ['cli'],
  ],
};
/**
 * What a folder may import from its own layer: another folder, or one of its files. A report names the facts of the
 * stages before it, and egress writes the entries of its request log.
 */
const SIDEWAYS: ReadonlySet<string> = new Set([
  'page → fetch/outcome.ts',
  'page → fetch/renderer.ts',
  'archive → fetch/renderer.ts',
  'handle → fetch/renderer.ts',
  'archive → fetch/outcome.ts',
  'fetch → report/decision.ts',
  'handle → page',
  'report → admit/scope.ts',
  'report → admit/trap-rules.ts',
  'report → fetch/outcome.ts',
  'report → page/datasets.ts',
  'report → handle/item-stages.ts',
  'report → handle/staged.ts',
  'report → output/joined-items.ts',
  'sink-conformance → fetcher-conformance',
]);
const STORE_SUBPATHS = new Set(['./file', './lmdb', './redis', './postgres']);
const STORE_WIRING = new Set(['default-parts.ts', 'cli/open-store.ts']);
const FETCHER_WIRING: ReadonlySet<string> = new Set([
  'default-parts.ts',
  'identity/request-verifier.ts',
  'cli/commands/identity.ts',
  'index.ts',
]);

function folderOf(inside: string, layers: readonly (readonly string[])[]): string {
  if (inside.includes('/')) return inside.slice(0, inside.indexOf('/'));
  if (inside === 'internal.ts') return 'index.ts';
  return inside === 'index.ts' || layers.some((layer) => layer.includes(inside)) ? inside : 'ground';
}

function layerOf(folder: string, layers: readonly (readonly string[])[]): number {
  return layers.findIndex((layer) => layer.includes(folder));
}

function placeOf(path: string, workspace: Workspace): Placed | null {
  const home = workspace.packages.find((each) => path.startsWith(`${each.folder}/`));
  if (home === undefined) return null;
  const inside = insideOf(path, home);
  // What is next to `src` is not part of the package: test support, and files that `mannerly init` copies.
  if (inside === null) return null;
  return {
    path,
    home,
    inside,
    isTest: /\.test\.ts$/.test(path) || home.folder === 'test',
  };
}

function insideOf(path: string, home: WorkspacePackage): string | null {
  const prefix = home.folder === 'test' ? 'test/' : `${home.folder}/src/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}

function resolve(file: Placed, fact: ImportFact, workspace: Workspace): Imported {
  if (fact.specifier.startsWith('.')) {
    const target = posix.normalize(posix.join(posix.dirname(file.path), fact.specifier)).replace(/\.js$/, '.ts');
    return { fact, target, inside: insideOf(target, file.home), ours: null };
  }
  const owner = workspace.packages.find(
    (each) => fact.specifier === each.name || fact.specifier.startsWith(`${each.name}/`),
  );
  if (owner === undefined) return { fact, target: null, inside: null, ours: null };
  return {
    fact,
    target: null,
    inside: null,
    ours: { owner, subpath: `.${fact.specifier.slice(owner.name.length)}` },
  };
}

/**
 * robots is a function of its arguments, except for its client; frontier reads the time only in its clock and in
 * stores.
 */
function ambientFaults(file: Placed, module: ModuleFacts): Fault[] {
  const isPure =
    (file.home.folder === 'packages/robots' && !file.inside.startsWith('client/')) ||
    (file.home.folder === 'packages/frontier' &&
      !/^(stores|conformance)\//.test(file.inside) &&
      file.inside !== 'clock.ts');
  if (!isPure) return [];
  return module.ambient.map(({ name, line }) => ({
    path: `${file.path}:${line}`,
    message: `uses ${name}: what it needs is handed in`,
  }));
}

/** Cycles of relative imports, types included. Each is reported once, at its alphabetically first module. */
function cycleFaults(modules: readonly ModuleFacts[]): Fault[] {
  const edges = new Map(modules.map((module) => [module.path, targetsOf(module)]));
  const done = new Set<string>();
  const seen = new Map<string, Fault>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const cycle = trail.slice(start);
      const key = [...cycle].sort().join(' ');
      if (!seen.has(key))
        seen.set(key, { path: [...cycle].sort()[0] ?? path, message: `a cycle: ${[...cycle, path].join(' → ')}` });
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return [...seen.values()];
}

function targetsOf(module: ModuleFacts): string[] {
  return module.imports
    .filter((fact) => fact.specifier.startsWith('.'))
    .map((fact) => posix.normalize(posix.join(posix.dirname(module.path), fact.specifier)).replace(/\.js$/, '.ts'));
}
