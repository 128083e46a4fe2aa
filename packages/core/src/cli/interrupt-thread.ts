// A thread that receives Ctrl-C while the program is busy: Node.js calls the program's own listeners only between two
// tasks, and a page may be one long task. It never ends a program that answers. It imports none of our modules: a
// bundle would then load everything that a crawl loads a second time.

import { writeSync } from 'node:fs';
import { Script } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';

export interface InterruptThreadData {
  /** How many interrupts the program has answered; the second number never changes. */
  readonly shared: Int32Array;
  /** Milliseconds that the program has to answer the second interrupt. */
  readonly answerMs: number;
}

const { shared, answerMs } = workerData as InterruptThreadData;
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

let received = Atomics.load(shared, 0);
let endAtMs = Number.POSITIVE_INFINITY;
for (;;) {
  if (interruptWithin(Math.max(0, endAtMs - performance.now()))) {
    received += 1;
    if (received > 1) endAtMs = Math.min(endAtMs, performance.now() + answerMs);
  } else if (Atomics.load(shared, 0) >= received) endAtMs = Number.POSITIVE_INFINITY;
  else end();
}

function end(): void {
  try {
    writeSync(2, 'mannerly: ended at once, in the middle of a page. The same command continues the crawl.\n');
  } catch {
    // The result is not needed.
  }
  process.kill(process.pid, 'SIGKILL');
}
