// Flags of V8 for a crawl, set before anything is compiled.

/**
 * `import 'mannerly/v8-flags'` as the first line of a program sets its engine as the command `mannerly` sets its own.
 * It exports nothing, and changes the whole process, which is why nothing else does it.
 *
 * - The HTTP parser is one large WebAssembly function. V8 needs 36 MB to optimise it, for 3 % of the processor time of
 *   a crawl: it is not optimised.
 * - New objects get 16 MiB instead of 32 (Node.js 24: 64; 26: some 24 instead of 50, in three processes of four): twice
 *   as many collections at half the price.
 * - New objects are collected by one thread: several use more processor time for so little space.
 * - Old objects are collected when they have grown by 120 per cent, instead of up to four times.
 * - Optimised functions inline a third as much. A crawl has no inner loop, and inlining took a fifth of the processor
 *   time of ten thousand pages.
 * - A crawl that waits for a minute or longer collects its garbage first.
 *
 * A program that keeps many megabytes alive, or has an inner loop of its own, may set another `--heap-growing-percent`
 * or `--max-inlined-bytecode-size-cumulative` after the import.
 *
 * @packageDocumentation
 */

import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LEAN_ENGINE } from './limits.js';
import { setCollector } from './wakeup.js';

setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');
setFlagsFromString('--no-parallel-scavenge');
setFlagsFromString(`--heap-growing-percent=${LEAN_ENGINE.growingPercent}`);
setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${LEAN_ENGINE.inlinedBytecodeBytes}`);

// The largest space for new objects is fixed when a process starts. Its growth can be set before each collection.
// Observing collections costs half a millisecond each, so it is done only while the space grows: a full collection may
// have shrunk it, and it may grow again.
let mayGrow = true;
const collections = new PerformanceObserver(limitNewSpace);
collections.observe({ entryTypes: ['gc'] });
setInterval(limitNewSpace, LEAN_ENGINE.checkIntervalMs).unref();

function limitNewSpace(): void {
  const wants = newSpaceBytes() < LEAN_ENGINE.newSpaceBytes;
  if (wants === mayGrow) return;
  mayGrow = wants;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  if (mayGrow) collections.observe({ entryTypes: ['gc'] });
  else collections.disconnect();
}

let collect: (() => void) | null = null;
setCollector(() => {
  collect ??= exposedCollector();
  // Compacted, so that the system gets the free pages back.
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
});

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const exposed = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return exposed;
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
