// Newcomers run the demo first: it ends by itself in under half a minute even though one host stays held, leaves a
// crawl directory, and its exit code says whether the servers' log agrees with the crawl's report.

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { COMMAND } from '../support/command.js';

const demo = fileURLToPath(new URL('../../examples/dist/demo/main.js', import.meta.url));

/** The promised duration, milliseconds, and how often a busy machine may try. */
const WITHIN_MS = 30_000;
const MAX_RUNS = 4;
/**
 * The limit on a slow machine: this many times the duration of the command's version flag, usually ten seconds in all.
 */
const MAX_STARTS = 25;
/** After this many milliseconds a demo is ended. */
const ENDLESS_MS = 300_000;
/** Differences that are accepted if the machine stalled between a timestamp and the network. All others are faults. */
const STALL_DIFFERENCE = /, smallest(?:Gap|StartToStart)Ms: | started [\d.]+ ms after /;

it('runs, ends by itself, and agrees with the servers', { timeout: 1_800_000 }, async () => {
  let [minMs, limitMs, isAgreed] = [Number.POSITIVE_INFINITY, WITHIN_MS, false];
  for (let runs = 0; runs < MAX_RUNS && !(isAgreed && minMs < limitMs); runs += 1) {
    const one = await demoRun();
    isAgreed ||= one.isAgreed;
    minMs = Math.min(minMs, one.tookMs);
    if (minMs >= limitMs) limitMs = Math.max(limitMs, MAX_STARTS * (await versionMs()));
  }
  expect(isAgreed).toBe(true);
  expect(minMs).toBeLessThan(limitMs);
});

/** One demo in a folder of its own. */
async function demoRun(): Promise<{ readonly tookMs: number; readonly isAgreed: boolean }> {
  const cwd = await mkdtemp(join(tmpdir(), 'mannerly-demo-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true, maxRetries: 10 }));
  const { code, output, tookMs } = await run([demo], cwd);
  expect(output).toContain('The run ended in state "waiting"');
  const [, complaints = ''] = /\n((?: {2}\S.*\n)*)The two accounts /.exec(output) ?? [];
  const lines = complaints.split('\n').filter((line) => line !== '');
  if (code !== 0) {
    expect(output).toContain('The two accounts differ');
    expect(lines.filter((line) => !STALL_DIFFERENCE.test(line))).toEqual([]);
  } else expect(output).toContain('The two accounts agree');
  const [name] = await readdir(join(cwd, 'crawls'));
  const items = (await readFile(join(cwd, 'crawls', name ?? '', 'items.jsonl'), 'utf8')).trim().split('\n');
  expect(items.length).toBeGreaterThan(10);
  for (const line of items) expect(JSON.parse(line)).toHaveProperty('url');
  console.info(`demo: ${items.length} items in ${Math.round(tookMs)} ms${code === 0 ? '' : `, but ${complaints}`}`);
  return { tookMs, isAgreed: code === 0 };
}

/** The duration of a command that does next to nothing, milliseconds. */
async function versionMs(): Promise<number> {
  const { code, tookMs } = await run([COMMAND, '--version'], tmpdir());
  expect(code).toBe(0);
  return tookMs;
}

async function run(argv: readonly string[], cwd: string) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, argv, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), ENDLESS_MS);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { code, output, tookMs: performance.now() - startedAt };
}
