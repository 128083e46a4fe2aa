// Processes on one lmdb file for the conformance suite to kill and stop, and random choices from a seed for other
// kills.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessesUnderTest } from '@mannerly/frontier/conformance';
import { lmdbStore } from '@mannerly/frontier/lmdb';

const worker = fileURLToPath(new URL('frontier-kill-worker.mjs', import.meta.url));

/** An lmdb store in a folder of its own, and processes on it. */
export async function lmdbProcesses(...more: readonly string[]): Promise<ProcessesUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'mannerly-kill-'));
  const path = join(folder, 'frontier');
  return {
    store: lmdbStore({ path }),
    start: (environment) =>
      spawn(process.execPath, [worker, path, ...more], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    dispose: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** A new seed for each run; SOAK_SEED sets it, to repeat a run. */
export function freshSeed(): number {
  return Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000);
}

/** Random choices from one seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x8000_0000;
  };
}
