// A body too large for memory: its beginning stays there, and all of it goes to a file as it comes. A slow reader
// neither holds the sender back nor keeps the connection open, and the body is known to be whole before it is read.

import { closeSync, createReadStream, mkdirSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holderOf, LOCK_NAME, lockDirectory } from '../directory/directory-lock.js';
import { sizeOf } from '../directory/whole-file.js';
import type { BodyConsumer } from './fetcher.js';
import { MAX_STALE_SPOOLS, SPOOL_MEMORY_BYTES, UNLOCKED_SPOOL_MS } from './limits.js';
import type { BodyFile } from './outcome.js';
import { Pieces } from './pieces.js';

/** Where large bodies go. */
export interface Spool {
  /** A place for one body of at most so many decoded bytes. */
  open(maxBytes: number): SpooledBody;
  /** Removes what is left. */
  close(): Promise<void>;
}

/**
 * Makes a spool. Its folder is made with the first body that needs it, in the system's folder for temporary files.
 *
 * @throws Never.
 */
export function createSpool(): Spool {
  let folder: SpoolFolder | null = null;
  let count = 0;
  return {
    open: (maxBytes) =>
      new SpooledBody(maxBytes, () => {
        folder ??= createSpoolFolder();
        count += 1;
        return join(folder.path(), `body-${count}`);
      }),
    async close() {
      await folder?.remove();
      folder = null;
    },
  };
}

/** One body as it comes. It is written synchronously: a body that is faster than the disk costs time, not memory. */
export class SpooledBody implements BodyConsumer {
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
        write(this.#file, this.#start.joined());
      }
      if (this.#file === null) this.#start.push(bytes);
      else write(this.#file, bytes);
      this.#bytes += bytes.length;
    } catch (error) {
      // The call comes from within undici: the error is thrown at the end.
      this.#failure = error ?? new Error('unknown');
    }
  }

  /**
   * The body has come: its beginning, and the file that holds all of it if it is longer. @throws the file system's
   * error.
   */
  end(): { readonly body: Uint8Array; readonly file: BodyFile | null } {
    this.#close();
    if (this.#failure !== null) throw this.#failure;
    const body = this.#start.joined();
    const path = this.#path;
    if (path === null) return { body, file: null };
    const remove = (): Promise<void> => rm(path, { force: true });
    return { body, file: { bytes: this.#bytes, read: () => createReadStream(path), remove } };
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    this.#close();
    if (this.#path !== null) await rm(this.#path, { force: true });
  }

  #close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

function write(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** A folder for large bodies, with a lock that names its process. */
export interface SpoolFolder {
  /** Where it is; made if it is missing. */
  path(): string;
  /** Removes it, with what is left in it. */
  remove(): Promise<void>;
}

const PREFIX = 'mannerly-body-';

/**
 * Makes a folder, and removes those that killed processes left next to it.
 *
 * @param parent - @default the system's folder for temporary files
 * @throws The platform's error when it cannot be made.
 */
export function createSpoolFolder(parent = tmpdir()): SpoolFolder {
  const folder = mkdtempSync(join(parent, PREFIX));
  // Without a lock it is left alone for an hour. A failure here costs disk space, and the crawl nothing.
  const tidied = lockDirectory(folder)
    .then(() => removeStale(parent, Date.now()))
    .catch(() => undefined);
  return {
    path() {
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    async remove() {
      await tidied;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Removes folders whose process is gone: by their lock, or without one after an hour.
 *
 * @throws The platform's error: folders of other users may not be looked into.
 */
export async function removeStale(parent: string, nowMs: number): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  for (const name of names.slice(0, MAX_STALE_SPOOLS)) {
    const folder = join(parent, name);
    if (await isStale(folder, nowMs).catch(() => false)) await rm(folder, { recursive: true, force: true });
  }
}

async function isStale(folder: string, nowMs: number): Promise<boolean> {
  if ((await holderOf(folder)) !== null) return false;
  if ((await sizeOf(join(folder, LOCK_NAME))) !== null) return true;
  // Its process has not locked it yet, or was killed before.
  return nowMs - (await stat(folder)).mtimeMs > UNLOCKED_SPOOL_MS;
}
