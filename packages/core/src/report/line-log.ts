// An append-only log, one JSON value per line. The lines of one turn of the event loop are written together at its end,
// so a request is in its log before a store can commit its result, and a killed process loses at most one turn.

import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { MannerlyError } from '../errors.js';
import { LOG_BUFFER_BYTES, LOG_TAIL_BYTES } from './limits.js';

/** A log that is being written. Every method throws MannerlyError `log-failed` if the file cannot be written. */
export class LineLog<T> {
  readonly #path: string;
  readonly #file: number;
  /** `null`: no limit. */
  #bytesLeft: number | null = null;
  #lines: string[] = [];
  #bufferedChars = 0;
  #endOfTurn: NodeJS.Immediate | null = null;
  #failure: MannerlyError | null = null;
  #isClosed = false;

  /**
   * Opens the file, creating it if needed, and cuts off an incomplete last line. The directory must exist.
   * @param maxBytes - The largest size of the file; lines that do not fit are left out.
   */
  constructor(path: string, maxBytes: number | null = null) {
    this.#path = path;
    try {
      this.#file = openSync(path, 'a+');
      cutIncompleteLine(this.#file);
      if (maxBytes !== null) this.#bytesLeft = maxBytes - fstatSync(this.#file).size;
    } catch (error) {
      throw logFailed(path, error);
    }
  }

  /** Takes one value; writes if the buffer is full. Ignores values once closed. */
  append(value: T): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosed) return;
    const line = JSON.stringify(value);
    if (this.#bytesLeft !== null) {
      const bytes = Buffer.byteLength(line) + 1;
      if (bytes > this.#bytesLeft) return;
      this.#bytesLeft -= bytes;
    }
    this.#lines.push(line);
    this.#bufferedChars += line.length;
    if (this.#bufferedChars >= LOG_BUFFER_BYTES) this.flush();
    // No caller can catch a failure here: the next call throws it.
    else this.#endOfTurn ??= setImmediate(() => this.#write());
  }

  /** Hands everything taken so far to the operating system. */
  flush(): void {
    this.#write();
    if (this.#failure !== null) throw this.#failure;
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

  /** Never throws: a failure is kept. */
  #write(): void {
    if (this.#endOfTurn !== null) clearImmediate(this.#endOfTurn);
    this.#endOfTurn = null;
    if (this.#failure !== null || this.#lines.length === 0) return;
    const bytes = Buffer.from(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    this.#bufferedChars = 0;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      this.#failure = logFailed(this.#path, error);
    }
  }
}

/** Cuts off what follows the last line end, searched from the end piece by piece. */
function cutIncompleteLine(file: number): void {
  const { size } = fstatSync(file);
  const chunk = Buffer.alloc(LOG_TAIL_BYTES);
  for (let end = size; end > 0; end -= chunk.length) {
    const start = Math.max(0, end - chunk.length);
    const newline = chunk.subarray(0, readSync(file, chunk, 0, end - start, start)).lastIndexOf(0x0a);
    if (newline < 0 && start > 0) continue;
    const lastLineEnd = start + newline + 1;
    if (lastLineEnd < size) ftruncateSync(file, lastLineEnd);
    return;
  }
}

function logFailed(path: string, cause: unknown): MannerlyError {
  return new MannerlyError('log-failed', `the log ${path} could not be written: ${String(cause)}`, {
    cause,
    hint: 'Is the disk full, or the directory read-only?',
  });
}
