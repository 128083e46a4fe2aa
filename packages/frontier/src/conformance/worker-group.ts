// The worker processes of a test, and the faults that were injected into them.

import type { ChildProcess } from 'node:child_process';

/** A kill or a stop, milliseconds of one clock. */
export interface Fault {
  readonly pid: number;
  readonly fromMs: number;
  /** `Infinity` for a kill, and while a stop lasts. */
  toMs: number;
}

export class WorkerGroup {
  readonly faults: Fault[] = [];
  kills = 0;
  stops = 0;
  readonly #startOne: (owner: string) => ChildProcess;
  readonly #workers: ChildProcess[] = [];
  readonly #stopped = new Set<ChildProcess>();
  #started = 0;

  constructor(startOne: (owner: string) => ChildProcess) {
    this.#startOne = startOne;
  }

  start(): void {
    this.#started += 1;
    this.#workers.push(this.#startOne(`worker ${this.#started}`));
  }

  /** Kills one and starts another. `share`: which one, from 0 to 1. */
  kill(share: number): void {
    const [victim] = this.#workers.splice(Math.floor(share * this.#workers.length), 1);
    if (victim === undefined) return;
    this.kills += 1;
    this.#stopped.delete(victim);
    this.#addFault(victim);
    victim.kill('SIGKILL');
    this.start();
  }

  stop(share: number, forMs: number): void {
    const victim = this.#workers[Math.floor(share * this.#workers.length)];
    if (victim === undefined || this.#stopped.has(victim)) return;
    this.stops += 1;
    const fault = this.#addFault(victim);
    this.#stopped.add(victim);
    victim.kill('SIGSTOP');
    setTimeout(() => {
      if (!this.#stopped.delete(victim)) return;
      victim.kill('SIGCONT');
      fault.toMs = performance.now();
    }, forMs);
  }

  /** Workers that ended without being killed. */
  get failed(): number {
    return this.#workers.filter(({ exitCode }) => exitCode !== null).length;
  }

  /** Kills all; resolves when they are gone. */
  async end(): Promise<void> {
    this.#stopped.clear();
    const alive = this.#workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = alive.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of alive) worker.kill('SIGKILL');
    await Promise.all(gone);
  }

  #addFault({ pid = 0 }: ChildProcess): Fault {
    const fault = { pid, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.faults.push(fault);
    return fault;
  }
}
