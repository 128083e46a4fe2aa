// A real Chromium for the tests of pages: Debian's `chromium` from the PATH, or the program that CHROMIUM names, driven
// by playwright-core, which brings no browser of its own. Where none is there the suites are not run, and say so by
// name; with CI=true that is a failure.

import { spawnSync } from 'node:child_process';
import type { Browser } from 'playwright-core';

/** The program, where another one than the PATH's is to be tried. */
const PROGRAM = process.env['CHROMIUM'] ?? 'chromium';
/** Milliseconds that a browser may take until it answers on a busy machine, and how often it is started. */
const START_MS = 120_000;
const MOST_STARTS = 3;

/**
 * What containers need, which have neither the namespaces of the sandbox nor a large /dev/shm; only our own pages are
 * opened.
 */
export const CONTAINER_FLAGS: readonly string[] = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];

/** Where the browser is; `null`: not installed. */
export const CHROMIUM: string | null = executablePath();

/** Whether there is a Chromium to try; `false`: suites are skipped by name, or fail where `CI` is set. */
export const HAS_CHROMIUM = CHROMIUM !== null;

/**
 * Starts a browser without a window. The caller closes it.
 *
 * @param flags - In addition to those that a container needs.
 * @returns `null` where no Chromium is installed.
 * @throws The platform's error when it is installed and does not start, several times.
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
      if (starts >= MOST_STARTS) throw error;
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
