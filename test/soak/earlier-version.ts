// An earlier version of this repository, built in a folder of its own, to run next to the present one.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The commit before the changes of the next version. Once there are releases: the tag of the last one. */
const EARLIER = '1975cccd';
const WORKER = 'test/soak/four-crawlers-worker.mjs';

/** Whether the history contains the earlier version; without it the test cannot run. */
export const HAS_HISTORY =
  spawnSync('git', ['cat-file', '-e', `${EARLIER}^{commit}`], { cwd: ROOT, stdio: 'ignore' }).status === 0;

/** The crawler of the tests with four crawlers, on the present version. */
export const PRESENT_WORKER = join(ROOT, WORKER);

/** Installs and builds the earlier version. `worker`: the same crawler on it. */
export function buildEarlierVersion(): { readonly worker: string; readonly dispose: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mannerly-earlier-'));
  const run = (command: string) => {
    const { status, stdout, stderr } = spawnSync(command, { cwd: folder, shell: true, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} failed: ${stdout}${stderr}`);
  };
  run(`git --git-dir="$(git -C '${ROOT}' rev-parse --absolute-git-dir)" archive ${EARLIER} | tar -x`);
  run('npx --prefer-offline -y pnpm@10 install --prefer-offline --frozen-lockfile --ignore-scripts');
  // Its types were checked when it was committed.
  run('node_modules/.bin/tsc -b packages/core --noCheck');
  cpSync(PRESENT_WORKER, join(folder, WORKER));
  return { worker: join(folder, WORKER), dispose: () => rmSync(folder, { recursive: true, force: true }) };
}
