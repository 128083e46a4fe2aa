// Runs an example against the town on loopback: `npx -y pnpm@10 example <name> [arguments]`. Your own file next to the
// examples runs the same way. An example writes into its own folder, crawls/<name>.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTown } from './demo/town.js';
import { library, shore } from './library.js';

/** Always the same port, so that a repeated crawl finds its hosts again. */
const PORT = 18_427;

/** Seeds of examples that do not start at the meadow. */
const HOSTS: Readonly<Record<string, string>> = {
  'clean-and-enrich': 'library.test',
  'explain-a-refusal': 'quarry.test',
  'follow-a-section': 'library.test',
  'http-api': 'library.test',
  'items-by-webhook': 'library.test',
  'keep-responses': 'library.test',
  'read-feeds': 'shore.test',
  'recrawl-what-changed': 'library.test',
  'save-pictures': 'library.test',
  'sitemaps-first': 'library.test',
  'what-pages-say': 'shore.test',
};

const [name = '', ...words] = process.argv.slice(2);
const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
if (!/^[\w-]+$/.test(name) || !existsSync(program)) {
  console.error(
    `There is no example "${name}". examples/README.md lists them; one of your own is examples/src/<name>.ts.`,
  );
  process.exit(2);
}
const town = await startTown((port) => [library(port), shore()], PORT).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error;
  console.error(`Port ${PORT} is taken: by the town of another terminal, as is supposed here.`);
  return null;
});
const seed = `http://${HOSTS[name] ?? 'meadow.test'}:${PORT}/`;
const cwd = `crawls/${name}`;
mkdirSync(cwd, { recursive: true });
console.error(`Against ${seed}, a host of a small town on 127.0.0.1. What it writes is in ${cwd}.\n`);
const env = { MANNERLY_EXAMPLE_SEED: seed, MANNERLY_EXAMPLE_LOOPBACK: '1', ...process.env };
const child = spawn(process.execPath, [program, ...words], { cwd, env, stdio: 'inherit' });
// Ctrl-C reaches the example too; the town stays until it has ended.
process.on('SIGINT', () => undefined);
child.on('close', (code) => {
  process.exitCode = code ?? 1;
  void town?.close();
});
