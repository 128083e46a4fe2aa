// The demo is the first thing a stranger runs: it ends by itself in under half a minute although one host stays held, leaves a
// crawl directory, and its exit code says whether the servers' own account agrees with the crawl's.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const demo = fileURLToPath(new URL('../../examples/dist/demo/main.js', import.meta.url));

/** What is promised, milliseconds, and how often a busy machine may try. */
const WITHIN_MS = 30_000;
const MOST_RUNS = 3;

it('runs, ends by itself, and agrees with the servers', { timeout: 400_000 }, async () => {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let runs = 0; runs < MOST_RUNS && leastMs >= WITHIN_MS; runs += 1) leastMs = Math.min(leastMs, await demoMs());
  expect(leastMs).toBeLessThan(WITHIN_MS);
});

async function demoMs(): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'mannerly-demo-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const startedAt = performance.now();
  const { stdout } = await run(process.execPath, [demo], { cwd, maxBuffer: 16 * 1024 * 1024, timeout: 120_000 });
  const tookMs = performance.now() - startedAt;
  expect(stdout).toContain('The run ended in state "waiting"');
  expect(stdout).toContain('The two accounts agree');
  const [name] = await readdir(join(cwd, 'crawls'));
  const items = (await readFile(join(cwd, 'crawls', name ?? '', 'items.jsonl'), 'utf8')).trim().split('\n');
  expect(items.length).toBeGreaterThan(10);
  for (const line of items) expect(JSON.parse(line)).toHaveProperty('url');
  console.info(`demo: ${items.length} items in ${Math.round(tookMs)} ms`);
  return tookMs;
}
