// A real Chromium for the tests of pages: the program that CHROMIUM names, or `chromium` from the PATH (Debian's
// package). playwright-core drives it, and brings no browser of its own. Without a Chromium the suites are skipped by
// name; with CI=true that is a failure.

import { spawnSync } from 'node:child_process';
import type { Browser } from 'playwright-core';

/** The program; CHROMIUM overrides the one in the PATH. */
const PROGRAM = process.env['CHROMIUM'] ?? 'chromium';
/** How many milliseconds a browser may take to answer on a busy machine, and how many starts are tried. */
const START_MS = 120_000;
const MAX_STARTS = 3;

/**
 * Containers need these: they lack the namespaces of the sandbox and a large /dev/shm. The tests open only our own
 * pages.
 */
export const CONTAINER_FLAGS: readonly string[] = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];

/** The path of the browser; `null`: not installed. */
export const CHROMIUM: string | null = executablePath();

/** Whether there is a Chromium to test with; `false`: suites are skipped by name, or fail if `CI` is set. */
export const HAS_CHROMIUM = CHROMIUM !== null;

/**
 * Starts a headless browser. The caller closes it.
 *
 * @param flags - In addition to those that a container needs.
 * @returns `null` if no Chromium is installed.
 * @throws The platform's error if it is installed and fails to start several times.
 */
export async function launchChromium(flags: readonly string[] = []): Promise<Browser | null> {
  if (CHROMIUM === null) return null;
  const { chromium } = await import('playwright-core');
  for (let starts = 1; ; starts += 1) {
    try {
      return await chromium.launch({
        executablePath: CHROMIUM,
        headless: true,
        timeout: START_MS,
        args: [...CONTAINER_FLAGS, ...flags],
      });
    } catch (error) {
      if (starts >= MAX_STARTS) throw error;
    }
  }
}

function executablePath(): string | null {
  if (PROGRAM.includes('/'))
    return spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status === 0 ? PROGRAM : null;
  // playwright-core takes a path, not a name.
  const found = spawnSync('sh', ['-c', 'command -v "$0"', PROGRAM], { encoding: 'utf8' });
  return found.status === 0 && found.stdout.trim() !== '' ? found.stdout.trim() : null;
}
