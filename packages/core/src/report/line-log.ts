// An append-only log, one JSON value per line. The lines of one turn of the event loop are written out together at its end,
// in the order in which they came; what waits is bounded, because a full buffer is written out before the next line is
// taken. So a request stands in its log before a store can commit what came of it, and a killed process loses a turn.

import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { MannerlyError } from '../errors.js';
import { LOG_BUFFER_BYTES, LOG_TAIL_BYTES } from './limits.js';

/** A log that is being written. */
export interface LineLog<T> {
  readonly path: string;
  /** Bytes that it had when it was opened, whole lines only. */
  readonly bytesBefore: number;
  /**
   * Takes one value. Cheap; writes out when the buffer is full.
   *
   * @throws MannerlyError `log-failed` when the medium does not take what came earlier.
   */
  append(value: T): void;
  /** Everything taken so far is with the operating system. @throws MannerlyError `log-failed` */
  flush(): void;
  /** Flushes and closes; safe to call twice, and nothing is taken afterwards. @throws MannerlyError `log-failed` */
  close(): void;
}

/**
 * Opens a log, made if it is missing and continued if it is there.
 *
 * A line that a crash cut in half is taken away.
 *
 * @param path - The file; its directory exists.
 * @throws MannerlyError `log-failed` when it cannot be opened.
 */
export function openLineLog<T>(path: string): LineLog<T> {
  const file = guarded(path, () => openSync(path, 'a+'));
  guarded(path, () => cutTornLine(file));
  const bytesBefore = guarded(path, () => fstatSync(file).size);
  let lines: string[] = [];
  let waiting = 0;
  let endOfTurn: NodeJS.Immediate | null = null;
  let failure: MannerlyError | null = null;
  let isClosed = false;

  const flush = (): void => {
    if (endOfTurn !== null) clearImmediate(endOfTurn);
    endOfTurn = null;
    if (failure !== null) throw failure;
    if (lines.length === 0) return;
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    lines = [];
    waiting = 0;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    } catch (error) {
      failure = logFailed(path, error);
      throw failure;
    }
  };

  /** A failure that nobody is there to hear is told by the next call. */
  const flushKeepingFailure = (): void => {
    try {
      flush();
    } catch (error) {
      if (!(error instanceof MannerlyError)) throw error;
    }
  };

  return {
    path,
    bytesBefore,
    append(value) {
      if (failure !== null) throw failure;
      if (isClosed) return;
      const line = JSON.stringify(value);
      lines.push(line);
      waiting += line.length;
      if (waiting >= LOG_BUFFER_BYTES) flush();
      else endOfTurn ??= setImmediate(flushKeepingFailure);
    },
    flush,
    close() {
      if (isClosed) return;
      isClosed = true;
      try {
        flush();
      } finally {
        closeSync(file);
      }
    },
  };
}

/** Takes away what stands behind the last whole line: looked for from the end, piece by piece. */
function cutTornLine(file: number): void {
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

function guarded<R>(path: string, act: () => R): R {
  try {
    return act();
  } catch (error) {
    throw logFailed(path, error);
  }
}

function logFailed(path: string, cause: unknown): MannerlyError {
  return new MannerlyError('log-failed', `the log ${path} could not be written: ${String(cause)}`, {
    cause,
    hint: 'Is the disk full, or the directory read-only?',
  });
}
