// A thread that hears Ctrl-C while the program is busy: Node.js calls the program's own listeners between two pieces of
// its work only, and a page may be one long piece. It never ends a program that answers.

import { writeSync } from 'node:fs';
import { Script } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { INTERRUPT_ANSWER_MS } from './limits.js';

/** What the program shares: how many interrupts it has answered; the second number never changes. */
const shared = workerData as Int32Array;
Object.assign(globalThis, { shared });

/** @returns Whether an interrupt came. With `breakOnSigint` this thread gets the signal while the script waits. */
function interruptWithin(ms: number): boolean {
  try {
    new Script(`Atomics.wait(shared, 1, 0, ${ms})`).runInThisContext({ breakOnSigint: true });
    return false;
  } catch {
    parentPort?.postMessage(null);
    return true;
  }
}

let heard = 0;
let endAtMs = Number.POSITIVE_INFINITY;
for (;;) {
  if (interruptWithin(Math.max(0, endAtMs - performance.now()))) {
    heard += 1;
    if (heard > 1) endAtMs = Math.min(endAtMs, performance.now() + INTERRUPT_ANSWER_MS);
  } else if (Atomics.load(shared, 0) >= heard) endAtMs = Number.POSITIVE_INFINITY;
  else end();
}

function end(): void {
  try {
    writeSync(2, 'mannerly: ended at once, in the middle of a page. The same command continues the crawl.\n');
  } catch {
    // Nothing reads it.
  }
  process.kill(process.pid, 'SIGKILL');
}
