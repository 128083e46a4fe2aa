// The engine as the command wants it, before anything is compiled.

/**
 * `import 'mannerly/v8-flags'` as the first line of a program sets its engine as the command `mannerly` sets its own.
 * It exports nothing, and changes the whole process, which is why nothing else does it.
 *
 * - The HTTP parser is one large WebAssembly function, and to optimise it takes V8 some 36 megabytes for a moment, once
 *   in every process, for three hundredths of a crawl's processor time: it is not optimised.
 * - New objects get 16 MiB instead of 32 (Node 24: 128). Half the space is collected twice as often at half the price,
 *   since what a crawl has in flight is much the same at any moment.
 * - New objects are collected by one thread: several finish sooner and use more processor time, for so little space.
 * - Old objects are collected when there are 120 per cent more of them than were left last time, instead of up to four
 *   times as many.
 * - Functions that are optimised take in a third as much of the functions they call. A crawl has no inner loop: its
 *   time lies in hundreds of functions of much the same weight, and to optimise each with all that it calls took a
 *   fifth of the processor time of ten thousand pages, as much as running them.
 * - A crawl that has nothing to do for a minute or longer collects its garbage first.
 *
 * A program that keeps many megabytes of its own alive pays for the growth with more collections of them, one with an
 * inner loop of its own for the inlining; it may set another `--heap-growing-percent` or
 * `--max-inlined-bytecode-size-cumulative` after the import.
 *
 * @packageDocumentation
 */

import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setCollector } from './engine.js';
import { LEAN_ENGINE } from './limits.js';

setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');
setFlagsFromString('--no-parallel-scavenge');
setFlagsFromString(`--heap-growing-percent=${LEAN_ENGINE.growingPercent}`);
setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${LEAN_ENGINE.inlinedBytecodeBytes}`);

// How large the space for new objects may become is settled when a process starts; by how much it grows, before each
// collection. It shrinks while little is made, so this is looked at again after each.
let mayGrow = true;
new PerformanceObserver(() => {
  const wants = newSpaceBytes() < LEAN_ENGINE.newSpaceBytes;
  if (wants === mayGrow) return;
  mayGrow = wants;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}).observe({ entryTypes: ['gc'] });

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
setFlagsFromString('--no-expose-gc');

setCollector(() => {
  // What is left lies scattered over as many pages as before: moved together, the others go back to the system.
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
});

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
