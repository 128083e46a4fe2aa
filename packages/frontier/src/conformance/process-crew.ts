// The processes of a trial, and what was done to them.

import type { ChildProcess } from 'node:child_process';

/** A kill or a stop, milliseconds of one clock. */
export interface Blow {
  readonly pid: number;
  readonly fromMs: number;
  /** `Infinity` for a kill, and while a stop lasts. */
  toMs: number;
}

/** Started, killed, stopped and ended. */
export class ProcessCrew {
  readonly blows: Blow[] = [];
  kills = 0;
  stops = 0;
  readonly #startOne: (owner: string) => ChildProcess;
  readonly #members: ChildProcess[] = [];
  readonly #stopped = new Set<ChildProcess>();
  #started = 0;

  constructor(startOne: (owner: string) => ChildProcess) {
    this.#startOne = startOne;
  }

  start(): void {
    this.#started += 1;
    this.#members.push(this.#startOne(`worker ${this.#started}`));
  }

  /** Kills one and starts another in its place. */
  kill(chance: number): void {
    const [victim] = this.#members.splice(Math.floor(chance * this.#members.length), 1);
    if (victim === undefined) return;
    this.kills += 1;
    this.#stopped.delete(victim);
    this.#strike(victim);
    victim.kill('SIGKILL');
    this.start();
  }

  /** Stops one for a while. */
  stop(chance: number, forMs: number): void {
    const victim = this.#members[Math.floor(chance * this.#members.length)];
    if (victim === undefined || this.#stopped.has(victim)) return;
    this.stops += 1;
    const blow = this.#strike(victim);
    this.#stopped.add(victim);
    victim.kill('SIGSTOP');
    setTimeout(() => {
      if (!this.#stopped.delete(victim)) return;
      victim.kill('SIGCONT');
      blow.toMs = performance.now();
    }, forMs);
  }

  /** Those that ended although nobody killed them. */
  get fallen(): number {
    return this.#members.filter(({ exitCode }) => exitCode !== null).length;
  }

  /** Kills all; resolves when they are gone. */
  async end(): Promise<void> {
    this.#stopped.clear();
    const alive = this.#members.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = alive.map((member) => new Promise((resolve) => member.once('exit', resolve)));
    for (const member of alive) member.kill('SIGKILL');
    await Promise.all(gone);
  }

  #strike({ pid = 0 }: ChildProcess): Blow {
    const blow = { pid, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.blows.push(blow);
    return blow;
  }
}
