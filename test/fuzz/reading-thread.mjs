// The thread in which the readers run: rounds of inputs, each round from its own seed, until the time is over. An input
// is in shared memory before it is read, so it is known even if this thread never returns.

import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { inputsOf } from './inputs.mjs';

const { module, readers, shared, seed, endsMs, input } = workerData;
/** Inputs per reader and round. */
const ROUND_INPUTS = 40;
/** The most milliseconds per reader and round, shrinking included. */
const MAX_ROUND_MS = 5_000;
/** The CPU time that an input may take: far above linear readers, and far below quadratic ones at the longest input. */
const CALM_MS = 150;
const CALM_MS_PER_BYTE = 0.003;
/**
 * A slow input is read up to this many times, because the machine may be busy, unless it was too slow by this factor.
 */
const MAX_READS = 4;

const state = new Int32Array(shared, 0, 4);
const bytes = new Uint8Array(shared, 16);
const { READERS, LATE_READERS = [], UNITS = ['a'] } = await import(module);
const table = [...READERS, ...LATE_READERS]
  .filter(([name]) => readers.includes(name))
  .map(([name, read, own = []]) => ({ name, read, units: [...UNITS, ...own] }));

if (input !== undefined) {
  const file = readFileSync(input);
  for (const reader of table) await tried(reader, () => readOnce(reader, file), file);
  parentPort.postMessage({ kind: 'over' });
} else await rounds();

async function rounds() {
  let left = table;
  for (let round = workerData.round; round < workerData.rounds && Date.now() < endsMs && left.length > 0; round += 1) {
    parentPort.postMessage({ kind: 'round', round });
    for (const reader of left) {
      if (Date.now() >= endsMs) break;
      const property = fc.asyncProperty(inputsOf(reader.units), (each) => readOnce(reader, each));
      const found = await fc.check(property, {
        seed: (seed + round) | 0,
        numRuns: ROUND_INPUTS,
        // The limit includes shrinking.
        interruptAfterTimeLimit: Math.max(1, Math.min(MAX_ROUND_MS, endsMs - Date.now())),
      });
      if (!found.failed || found.counterexample === null) continue;
      left = left.filter((each) => each !== reader);
      await tried(reader, () => Promise.reject(found.errorInstance), found.counterexample[0]);
    }
  }
  parentPort.postMessage({ kind: 'over' });
}

/** Reports to the main program if a reader fails. */
async function tried({ name }, run, input) {
  try {
    await run();
  } catch (error) {
    parentPort.postMessage({ kind: 'failed', name, bytes: Uint8Array.from(input), why: error?.stack ?? String(error) });
  }
}

/** Reads one input. Rejects with the reader's error, or if it takes far longer than linear. */
async function readOnce(reader, input) {
  bytes.set(input);
  Atomics.store(state, 1, input.length);
  Atomics.store(state, 2, readers.indexOf(reader.name));
  Atomics.add(state, 0, 1);
  const limitMs = CALM_MS + input.length * CALM_MS_PER_BYTE;
  let minMs = Number.POSITIVE_INFINITY;
  let attempts = 0;
  do {
    attempts += 1;
    // CPU time, because others may be using the machine.
    const before = process.cpuUsage();
    await reader.read(Buffer.from(input));
    const { user, system } = process.cpuUsage(before);
    minMs = Math.min(minMs, (user + system) / 1_000);
  } while (attempts < MAX_READS && minMs > limitMs && minMs < MAX_READS * limitMs);
  if (workerData.input !== undefined) parentPort.postMessage({ kind: 'read', name: reader.name, ms: minMs });
  if (minMs > limitMs) throw new Error(`${Math.round(minMs)} ms for ${input.length} bytes`);
}
