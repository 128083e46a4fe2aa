// Bundles the table of readers with everything that it imports, from the sources, so that a plain thread can import it
// on any supported Node.js.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Writes the bundle to `folder`, and returns its path. The project's packages are read from their sources. */
export async function bundleReaders(table, folder) {
  const bundle = await rolldown({
    input: table,
    platform: 'node',
    logLevel: 'silent',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [{ name: 'sources', resolveId: sourceOf }],
  });
  const { output } = await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'readers.mjs' });
  await bundle.close();
  return join(folder, output[0].fileName);
}

/** The source of an entry of one of the project's packages; `null` for anything else. */
function sourceOf(specifier) {
  const [, name, entry = '.'] = /^@mannerly\/(robots|frontier)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name === undefined) return null;
  const folder = join(root, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const built = exports[entry === '.' ? '.' : `./${entry}`].default;
  return join(folder, built.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
}
