// A body too large to be held in memory: its beginning stays there, all of it goes to a file as it comes, and whoever wants
// it reads that file at a pace of his own. The sender is not held back and its connection is not kept open for a slow reader;
// that the body is whole is known before anybody is handed a single byte of it.

import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BodyConsumer } from './fetcher.js';
import { SPOOL_MEMORY_BYTES } from './limits.js';
import type { BodyFile } from './outcome.js';
import { Pieces } from './pieces.js';
import { createSpoolFolder, type SpoolFolder } from './spool-folder.js';

/** Takes large bodies. */
export interface Spool {
  /** A place for one body of at most so many decoded bytes. */
  open(maxBytes: number): SpooledBody;
  /** Removes what is left. */
  close(): Promise<void>;
}

/** One body on its way. */
export interface SpooledBody extends BodyConsumer {
  /** The body has come: its beginning, and the file that holds all of it where it is longer. Rejects with what the medium said. */
  end(): { readonly body: Uint8Array; readonly file: BodyFile | null };
  /** Nobody wants it: what was written is removed. */
  discard(): Promise<void>;
}

/**
 * Makes a spool. Its folder is made with the first body that needs it, in the system's folder for temporary files.
 *
 * Bytes are written as they come and without waiting: what the system has not written yet is its own to bound, and a body
 * that arrives faster than a disk takes it costs time, not memory.
 */
export function createSpool(): Spool {
  let folder: SpoolFolder | null = null;
  let count = 0;
  return {
    open(maxBytes) {
      return new BodyOnDisk(maxBytes, () => {
        folder ??= createSpoolFolder();
        count += 1;
        return join(folder.path(), `body-${count}`);
      });
    },
    async close() {
      await folder?.remove();
      folder = null;
    },
  };
}

class BodyOnDisk implements SpooledBody {
  readonly maxBytes: number;
  readonly #newPath: () => string;
  readonly #start = new Pieces();
  #bytes = 0;
  #path: string | null = null;
  #file: number | null = null;
  #failure: unknown = null;

  constructor(maxBytes: number, newPath: () => string) {
    this.maxBytes = maxBytes;
    this.#newPath = newPath;
  }

  take(bytes: Uint8Array): void {
    if (this.#failure !== null) return;
    try {
      if (this.#file === null && this.#bytes + bytes.length > SPOOL_MEMORY_BYTES) {
        this.#path = this.#newPath();
        this.#file = openSync(this.#path, 'wx', 0o600);
        this.#write(this.#start.joined());
      }
      if (this.#file === null) this.#start.push(bytes);
      else this.#write(bytes);
      this.#bytes += bytes.length;
    } catch (error) {
      // It comes off the wire in the middle of somebody else's code: told at the end.
      this.#failure = error ?? new Error('unknown');
    }
  }

  end(): { readonly body: Uint8Array; readonly file: BodyFile | null } {
    this.#close();
    if (this.#failure !== null) throw this.#failure;
    const body = this.#start.joined();
    const path = this.#path;
    if (path === null) return { body, file: null };
    const file: BodyFile = {
      bytes: this.#bytes,
      read: () => createReadStream(path),
      remove: () => rm(path, { force: true }),
    };
    return { body, file };
  }

  async discard(): Promise<void> {
    this.#close();
    if (this.#path !== null) await rm(this.#path, { force: true });
  }

  #write(bytes: Uint8Array): void {
    if (this.#file === null) return;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  #close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}
