// What the command needs of the process around it: streams, time, signals. Tests hand in their own.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Asker, terminalAsker } from './asker.js';
import type { FromWorker, ParentProcess, ToWorker, WorkerProcess } from './workers/messages.js';

/** The process as the command sees it. */
export interface CliIo {
  /** One line for standard output: results. */
  out(line: string): void;
  /** One line for standard error: what happens meanwhile. */
  err(line: string): void;
  /** A line of very many for standard output: waits while no one reads. */
  outSoon(line: string): Promise<void>;
  /** Raw text for standard error, for a line that is drawn again and again. */
  draw(text: string): void;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  /** Columns of the terminal now. */
  columns(): number;
  nowMs(): number;
  /** Calls `tick` every `ms` milliseconds; the answer ends it. */
  every(ms: number, tick: () => void): () => void;
  /** Calls `interrupted` at every Ctrl-C or request to end; the answer restores what was before. */
  onInterrupt(interrupted: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
  /** Starts another process of this command, as `mannerly worker`. */
  startWorker(): WorkerProcess;
  /** Who can be asked; `null`: standard input or standard error is no terminal. */
  readonly asker: Asker | null;
  /** The command that started this process as a worker; `null`: none did. */
  readonly parent: ParentProcess | null;
}

/** The real process. */
export function processIo(): CliIo {
  endQuietly();
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    draw: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    // Some terminals do not know their width and say 0.
    columns: () => process.stderr.columns || 80,
    nowMs: () => Date.now(),
    every(ms, tick) {
      const timer = setInterval(tick, ms);
      return () => clearInterval(timer);
    },
    onInterrupt(interrupted) {
      process.on('SIGINT', interrupted);
      process.on('SIGTERM', interrupted);
      return () => {
        process.off('SIGINT', interrupted);
        process.off('SIGTERM', interrupted);
      };
    },
    exit: (code) => process.exit(code),
    async outSoon(line) {
      if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
    },
    startWorker,
    asker:
      process.stdin.isTTY === true && process.stderr.isTTY === true
        ? terminalAsker(process.stdin, process.stderr)
        : null,
    parent: process.send === undefined ? null : parentProcess(),
  };
}

/**
 * A reader that has gone away is no fault of this process. Without a reader of its results it ends (`mannerly … |
 * head`), without a reader of its progress it goes on.
 */
function endQuietly(): void {
  const unlessClosed = (error: NodeJS.ErrnoException, closed: () => void): void => {
    if (error.code !== 'EPIPE') throw error;
    closed();
  };
  process.stdout.on('error', (error) => unlessClosed(error, () => process.exit()));
  process.stderr.on('error', (error) => unlessClosed(error, () => undefined));
}

/** The program that runs now, once more; what it prints next to its messages goes where ours goes. */
function startWorker(): WorkerProcess {
  const child = fork(process.argv[1] ?? '', ['worker'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  // A worker that is gone hears nothing; its exit says so.
  const unheard = (): void => undefined;
  child.on('error', unheard);
  return {
    pid: child.pid ?? 0,
    send(message) {
      if (child.connected) child.send(message, unheard);
    },
    onMessage: (heard) => void child.on('message', (message) => heard(message as FromWorker)),
    onExit: (gone) => void child.once('exit', gone),
    kill: () => void child.kill('SIGKILL'),
  };
}

function parentProcess(): ParentProcess {
  return {
    send(message) {
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
    },
    onMessage: (heard) => void process.on('message', (message) => heard(message as ToWorker)),
    leave() {
      if (process.connected) process.disconnect();
    },
    onGone: (gone) => void process.once('disconnect', gone),
  };
}
