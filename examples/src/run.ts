// Runs an example against the town on loopback: `npx -y pnpm@10 example <name> [words for it]`. A file of your own beside the
// examples runs the same way. The town is there for as long as the example runs.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTown } from './demo/town.js';
import { library } from './library.js';

/** Where an example starts, if not at the meadow. */
const HOSTS: Readonly<Record<string, string>> = {
  'explain-a-refusal': 'quarry.test',
  'follow-a-section': 'library.test',
  'recrawl-what-changed': 'library.test',
  'sitemaps-first': 'library.test',
};

const [name = '', ...words] = process.argv.slice(2);
const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
if (!/^[\w-]+$/.test(name) || !existsSync(program)) {
  console.error(
    `There is no example "${name}". examples/README.md lists them; one of your own is examples/src/<name>.ts.`,
  );
  process.exit(2);
}
const town = await startTown((port) => [library(port)]);
const host = HOSTS[name] ?? 'meadow.test';
console.error(`Against ${host}, a host of a small town on 127.0.0.1:${town.port}.\n`);
const env = { MANNERLY_EXAMPLE_SEED: `http://${host}:${town.port}/`, MANNERLY_EXAMPLE_LOOPBACK: '1', ...process.env };
const child = spawn(process.execPath, [program, ...words], { env, stdio: 'inherit' });
// Ctrl-C reaches the example too; the town stays until it has ended.
process.on('SIGINT', () => undefined);
child.on('close', (code) => {
  process.exitCode = code ?? 1;
  void town.close();
});
