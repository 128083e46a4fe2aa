// A process for tests: it stores its output, a test moves its time, and Ctrl-C is a call.

import type { CliIo, Prompter } from '../src/cli/io.js';

/** The fake process, with its output and a test's control of it. */
export interface FakeIo extends CliIo {
  readonly outLines: string[];
  readonly errLines: string[];
  /** Everything drawn, in chunks. */
  readonly drawn: string[];
  readonly exits: number[];
  /** Moves time; due ticks run. */
  advance(ms: number): void;
  interrupt(): void;
}

/** Makes a fake process. @param options - Whether it is a terminal, its width, its standard input, and who answers. */
export function fakeIo(
  options: { isTerminal?: boolean; columns?: number; input?: string; prompter?: Prompter } = {},
): FakeIo {
  let now = 1_000_000;
  const ticks = new Set<{ readonly ms: number; readonly tick: () => void; nextMs: number }>();
  const interrupts = new Set<() => void>();
  const io: FakeIo = {
    outLines: [],
    errLines: [],
    drawn: [],
    exits: [],
    isTerminal: options.isTerminal ?? false,
    out: (line) => io.outLines.push(line),
    err: (line) => io.errLines.push(line),
    draw: (text) => io.drawn.push(text),
    async *input() {
      yield Buffer.from(options.input ?? '');
    },
    columns: () => options.columns ?? 80,
    nowMs: () => now,
    every(ms, tick) {
      const entry = { ms, tick, nextMs: now + ms };
      ticks.add(entry);
      return () => ticks.delete(entry);
    },
    onInterrupt(interrupted) {
      interrupts.add(interrupted);
      return () => interrupts.delete(interrupted);
    },
    exit: (code) => io.exits.push(code),
    outWhenReady: async (line) => void io.outLines.push(line),
    startWorker: () => {
      throw new Error('this process starts no other');
    },
    prompter: options.prompter ?? null,
    parent: null,
    advance(ms) {
      const until = now + ms;
      for (let due = earliest(ticks, until); due !== null; due = earliest(ticks, until)) {
        now = due.nextMs;
        due.nextMs += due.ms;
        due.tick();
      }
      now = until;
    },
    interrupt: () => {
      for (const interrupted of interrupts) interrupted();
    },
  };
  return io;
}

function earliest<T extends { readonly nextMs: number }>(ticks: ReadonlySet<T>, untilMs: number): T | null {
  const due = [...ticks].filter((tick) => tick.nextMs <= untilMs).sort((a, b) => a.nextMs - b.nextMs);
  return due[0] ?? null;
}
