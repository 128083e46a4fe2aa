// An append-only log, one JSON value per line. The lines of one turn of the event loop are written together at its end,
// so a request is in its log before a store can commit its result, and a killed process loses one turn at most.

import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { MannerlyError } from '../errors.js';
import { LOG_BUFFER_BYTES, LOG_TAIL_BYTES } from './limits.js';

/** A log that is being written. Every method throws MannerlyError `log-failed` when the file cannot be written. */
export class LineLog<T> {
  /** Size of the file when it was opened, whole lines only. */
  readonly bytesBefore: number;
  readonly #path: string;
  readonly #file: number;
  #lines: string[] = [];
  #waitingChars = 0;
  #endOfTurn: NodeJS.Immediate | null = null;
  #failure: MannerlyError | null = null;
  #isClosed = false;

  /**
   * Opens the file, made if it is missing, and cuts off a last line that a crash left incomplete. The directory exists.
   */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#file = openSync(path, 'a+');
      cutIncompleteLine(this.#file);
      this.bytesBefore = fstatSync(this.#file).size;
    } catch (error) {
      throw logFailed(path, error);
    }
  }

  /** Takes one value; writes when the buffer is full. Takes nothing once closed. */
  append(value: T): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosed) return;
    const line = JSON.stringify(value);
    this.#lines.push(line);
    this.#waitingChars += line.length;
    if (this.#waitingChars >= LOG_BUFFER_BYTES) this.flush();
    else this.#endOfTurn ??= setImmediate(() => this.#flushLater());
  }

  /** Hands everything taken so far to the operating system. */
  flush(): void {
    if (this.#endOfTurn !== null) clearImmediate(this.#endOfTurn);
    this.#endOfTurn = null;
    if (this.#failure !== null) throw this.#failure;
    if (this.#lines.length === 0) return;
    const bytes = Buffer.from(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    this.#waitingChars = 0;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      this.#failure = logFailed(this.#path, error);
      throw this.#failure;
    }
  }

  /** Flushes and closes; a second call does nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.flush();
    } finally {
      closeSync(this.#file);
    }
  }

  /** No caller is there to catch a failure: the next call throws it. */
  #flushLater(): void {
    try {
      this.flush();
    } catch (error) {
      if (!(error instanceof MannerlyError)) throw error;
    }
  }
}

/** Cuts off what stands after the last line end, searched from the end piece by piece. */
function cutIncompleteLine(file: number): void {
  const { size } = fstatSync(file);
  const piece = Buffer.alloc(LOG_TAIL_BYTES);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - piece.length);
    const bytes = piece.subarray(0, readSync(file, piece, 0, end - start, start));
    const newline = bytes.lastIndexOf(0x0a);
    if (newline >= 0 || start === 0) {
      const wholeEnd = start + newline + 1;
      if (wholeEnd < size) ftruncateSync(file, wholeEnd);
      return;
    }
    end = start;
  }
}

function logFailed(path: string, cause: unknown): MannerlyError {
  return new MannerlyError('log-failed', `the log ${path} could not be written: ${String(cause)}`, {
    cause,
    hint: 'Is the disk full, or the directory read-only?',
  });
}
