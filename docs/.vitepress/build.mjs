// Builds the site into `docs/.vitepress/dist`, or serves it while it is written (`--dev`). Without the network.

import { fileURLToPath } from 'node:url';
import { build, createServer } from 'vitepress';
import { gather } from './gathered.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const startedAt = performance.now();

gather();
await import('./api.mjs');
if (process.argv.includes('--dev')) {
  const server = await createServer(root);
  await server.listen();
  server.printUrls();
} else {
  await build(root);
  console.log(`docs/.vitepress/dist: built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}
