// The example that needs a browser runs where there is one: the PATH's `chromium`, or the program that CHROMIUM names.

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startTown } from './demo/town.js';

const BUILT = fileURLToPath(new URL('../dist/pages-in-a-browser.js', import.meta.url));
const SOURCE = fileURLToPath(new URL('./pages-in-a-browser.ts', import.meta.url));

const found = spawnSync('sh', ['-c', 'command -v "$0"', process.env['CHROMIUM'] ?? 'chromium'], { encoding: 'utf8' });
const executable = found.status === 0 ? found.stdout.trim() : '';

it.skipIf(executable === '' || !existsSync(BUILT))('pages are opened in a browser', { timeout: 180_000 }, async () => {
  const town = await startTown();
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [BUILT], {
      env: {
        ...process.env,
        CHROMIUM: executable,
        CHROMIUM_OWN_FLAGS: '--no-sandbox --disable-dev-shm-usage --disable-gpu',
        MANNERLY_EXAMPLE_SEED: `http://meadow.test:${town.port}/`,
        MANNERLY_EXAMPLE_LOOPBACK: '1',
      },
      timeout: 150_000,
    });
    expect(stdout).toContain(`http://meadow.test:${town.port}/  `);
    expect(stdout).toMatch(/quiet, 0 things loaded/);
    expect(stdout).toMatch(/: 2 pages, 3 requests/);
  } finally {
    await town.close();
  }
});

it('pages-in-a-browser stays under 60 lines', () => {
  expect(readFileSync(SOURCE, 'utf8').split('\n').length).toBeLessThan(60);
});
