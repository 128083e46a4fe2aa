// Writes `docs/api`: a page for each public entry, which TypeDoc reads from the sources. TypeDoc has a TypeScript of
// its own, since it does not support version 7 yet; the workspace's compiler checks the types, not this program. It
// fails if a public name has no heading on its entry's page, or if a doc comment links to nothing.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Application, LogLevel, ReflectionKind } from 'typedoc';
import { publicEntries, rootPath } from './entries.mjs';

const out = `${rootPath}docs/api`;
const cache = `${rootPath}docs/.vitepress/cache`;
const entries = publicEntries();

mkdirSync(cache, { recursive: true });
const tsconfig = `${cache}/tsconfig.api.json`;
writeFileSync(tsconfig, JSON.stringify(compilerSettings()));

const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  tsconfig,
  entryPoints: entries.map(({ source }) => rootPath + source),
  name: 'API reference',
  out,
  readme: 'none',
  logLevel: LogLevel.Warn,
  skipErrorChecking: true,
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  validation: { notExported: false, notDocumented: false, invalidLink: true, invalidPath: true, rewrittenLink: true },
  outputFileStrategy: 'modules',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
});

const points = app.getEntryPoints();
if (points?.length !== entries.length) throw new Error('TypeDoc could not read the sources');
const project = app.converter.convert(points);
nameModules(project);
rmSync(out, { recursive: true, force: true });
app.validate(project);
if (app.logger.warningCount + app.logger.errorCount > 0) process.exit(1);
await app.outputs.writeOutput({ name: 'markdown', path: out }, project);
const names = checkPages();
console.log(`docs/api: ${names} names in ${entries.length} entries`);

/** The workspace's settings. Packages resolve to their sources, so that a type of another package becomes a link. */
function compilerSettings() {
  return {
    extends: '../../../tsconfig.base.json',
    compilerOptions: {
      composite: false,
      noEmit: true,
      types: ['node'],
      typeRoots: [`${rootPath}node_modules/@types`],
      paths: Object.fromEntries(entries.map(({ name, source }) => [name, [rootPath + source]])),
    },
    files: entries.map(({ source }) => rootPath + source),
  };
}

/** A module has the name that an import uses, not that of its file. */
function nameModules(project) {
  const named = new Map(entries.map(({ name, source }) => [rootPath + source, name]));
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const name = named.get(project.getSymbolIdFromReflection(module)?.fileName ?? '');
    if (name === undefined) throw new Error(`${module.name} is no public entry`);
    module.name = name;
  }
}

/** Every name that the compiler finds at an entry has a heading on its page. Returns how many there are. */
function checkPages() {
  let count = 0;
  for (const { program, sourceFile } of points) {
    const entry = entries.find(({ source }) => rootPath + source === sourceFile.fileName);
    const checker = program.getTypeChecker();
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(sourceFile)).map(({ name }) => name);
    const page = readFileSync(`${out}/${entry.name}.md`, 'utf8').replaceAll('\\_', '_');
    const headed = new Set([...page.matchAll(/^#+ (?:abstract )?(\w+)/gim)].map(([, heading]) => heading));
    const missing = exported.filter((name) => !headed.has(name));
    if (missing.length > 0) throw new Error(`docs/api/${entry.name}.md lacks ${missing.join(', ')}`);
    // An entry without exports has a side effect; its page describes that.
    if (exported.length === 0 && page.trim().split('\n').length < 3) {
      throw new Error(`docs/api/${entry.name}.md says nothing`);
    }
    count += exported.length;
  }
  return count;
}
