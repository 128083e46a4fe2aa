// What the command needs from its process: streams, time, signals, questions, workers. Tests pass their own.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ownFile } from '../own-package.js';
import { present } from '../present.js';
import { redacted } from '../redacted.js';
import { escapeControls } from '../report/table.js';
import { EXIT } from './exit-codes.js';
import type { InterruptThreadData } from './interrupt-thread.js';
import { INTERRUPT_ANSWER_MS } from './limits.js';

export interface Question {
  readonly message: string;
  /** Shown while nothing is typed. */
  readonly example?: string;
  /** The answer if nothing is typed. */
  readonly initial?: string;
  /** What is wrong with an answer; `null` if nothing is. */
  readonly fault: (answer: string) => string | null;
}

/** Asks questions. A question is repeated until its answer has no fault. */
export interface Prompter {
  /** @returns The trimmed answer; `null` if the user wants to stop. */
  ask(question: Question): Promise<string | null>;
}

export interface CliIo {
  /** One line for standard output: results. */
  out(line: string): void;
  /** One line for standard error: progress and messages. */
  err(line: string): void;
  /** One of very many lines for standard output: waits while the reader is slow. */
  outWhenReady(line: string): Promise<void>;
  /** Raw text for standard error, for a line that is redrawn. */
  draw(text: string): void;
  /** The bytes of standard input, once. */
  input(): AsyncIterable<Uint8Array>;
  readonly isTerminal: boolean;
  columns(): number;
  nowMs(): number;
  /** Calls `tick` every `ms` milliseconds. @returns A function that ends it. */
  every(ms: number, tick: () => void): () => void;
  /**
   * Calls `interrupted` at every SIGINT or SIGTERM.
   * @param beforeBusy - Receives `startListening`, to be called before the program may be busy: from then on a second
   *   Ctrl-C ends a program that does not answer, for example because a handler never ends. It costs a thread. @default
   *   never called
   * @returns A function that removes it.
   */
  onInterrupt(interrupted: () => void, beforeBusy?: (startListening: () => void) => void): () => void;
  exit(code: number): void;
  /** Starts another process of this command, as `mannerly worker`. */
  startWorker(): ChildProcess;
  /** Asks the user; `null` if standard input or standard error is not a terminal. */
  readonly prompter: Prompter | null;
  /** This process, if a command has started it as a worker: its messages go to that command. `null`: none did. */
  readonly parent: NodeJS.Process | null;
}

export function processIo(): CliIo {
  ignoreClosedPipes();
  return {
    out: (line) => process.stdout.write(`${printableLine(line)}\n`),
    err: (line) => process.stderr.write(`${printableLine(line)}\n`),
    draw: (text) => process.stderr.write(text),
    input: () => process.stdin,
    isTerminal: process.stderr.isTTY === true,
    // Some terminals do not know their width and report 0.
    columns: () => process.stderr.columns || 80,
    nowMs: () => Date.now(),
    every(ms, tick) {
      const timer = setInterval(tick, ms);
      return () => clearInterval(timer);
    },
    onInterrupt(interrupted, beforeBusy) {
      const answered = new Int32Array(new SharedArrayBuffer(8));
      const answer = (): void => {
        Atomics.add(answered, 0, 1);
        interrupted();
      };
      let thread: Worker | null = null;
      beforeBusy?.(() => {
        thread ??= startInterruptThread(answered, answer);
      });
      process.on('SIGINT', answer);
      process.on('SIGTERM', answer);
      return () => {
        process.off('SIGINT', answer);
        process.off('SIGTERM', answer);
        void thread?.terminate();
      };
    },
    exit: (code) => process.exit(code),
    async outWhenReady(line) {
      if (!process.stdout.writable) process.exit();
      if (process.stdout.write(`${printableLine(line)}\n`)) return;
      // Another error has ended the program already: its listener came first.
      await once(process.stdout, 'drain').catch(() => process.exit());
    },
    startWorker,
    prompter:
      process.stdin.isTTY === true && process.stderr.isTTY === true
        ? createTerminalPrompter(process.stdin, process.stderr)
        : null,
    parent: process.send === undefined ? null : process,
  };
}

/** The last check of what is printed: no control sequences, and no password. */
function printableLine(line: string): string {
  return escapeControls(redacted(line));
}

/**
 * A reader that closes its pipe (`mannerly … | head`) ends a long list, but never a crawl. A standard error that cannot
 * be written to does not end it either: a file on a full disk, a closed terminal.
 */
function ignoreClosedPipes(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`mannerly: standard output cannot be written: ${error.message}\n`);
    process.exit(EXIT.broken);
  });
}

/** Starts this program again. Its standard error goes to ours. */
function startWorker(): ChildProcess {
  const child = fork(process.argv[1] ?? '', ['worker'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  // Its exit says that it ended.
  return child.on('error', () => undefined);
}

/** Asks at a terminal. The library is loaded with the first question. @param output - Standard error. */
export function createTerminalPrompter(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Prompter {
  return {
    async ask({ message, example, initial, fault }) {
      const { isCancel, text } = await import('@clack/prompts');
      const withDefault = (value = ''): string => value.trim() || (initial ?? '');
      const answer = await text({
        // The question shows the initial value: in the field, typed text would be appended to it.
        message: initial === undefined ? message : `${message} (Enter: ${initial})`,
        input,
        output,
        ...present({ placeholder: example }),
        validate: (value) => fault(withDefault(value)) ?? undefined,
      });
      return isCancel(answer) ? null : withDefault(answer);
    },
  };
}

/**
 * The thread receives Ctrl-C almost always, and passes it on. @param answered - Counts what this program has answered.
 */
function startInterruptThread(answered: Int32Array, answer: () => void): Worker {
  const workerData: InterruptThreadData = { shared: answered, answerMs: INTERRUPT_ANSWER_MS };
  const thread = new Worker(ownFile('dist/cli/interrupt-thread.js'), { workerData });
  thread.on('message', answer);
  // Without the thread a busy program receives Ctrl-C later.
  thread.on('error', () => undefined);
  thread.unref();
  return thread;
}
