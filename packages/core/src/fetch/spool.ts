// A body too large for memory: its beginning stays there, and all of it goes to a file as it arrives. A slow reader
// neither delays the sender nor keeps the connection open, and the body is known to be complete before it is read.

import { closeSync, createReadStream, mkdirSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sizeOf } from '../directory/atomic-file.js';
import { holderOf, LOCK_NAME, lockDirectory } from '../directory/directory-lock.js';
import { ChunkBuffer } from './body.js';
import { failureDetail } from './failure-code.js';
import type { BodyConsumer } from './fetcher.js';
import { MAX_STALE_SPOOLS, SPOOL_MEMORY_BYTES, UNLOCKED_SPOOL_MS } from './limits.js';
import type { BodyFile, FetchOutcome } from './outcome.js';

const PREFIX = 'mannerly-body-';

/** Where large bodies go: a directory for temporary files, made with the first body that needs it. */
export class Spool {
  readonly #parent: string;
  #directory: string | null = null;
  #cleanup: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** @param parent - Where the directory is made. @default the system's directory for temporary files */
  constructor(parent = tmpdir()) {
    this.#parent = parent;
  }

  /** A place for one body of at most so many decoded bytes. */
  open(maxBytes: number): SpooledBody {
    return new SpooledBody(maxBytes, () => {
      this.#count += 1;
      return join(this.directory(), `body-${this.#count}`);
    });
  }

  /**
   * The directory, created if missing. A lock names its process. Directories that killed processes left are removed.
   *
   * @throws The platform's error when it cannot be made.
   */
  directory(): string {
    if (this.#directory === null) {
      const directory = mkdtempSync(join(this.#parent, PREFIX));
      // Without a lock, other processes leave it alone for an hour. A failure here only costs disk space.
      this.#cleanup = lockDirectory(directory)
        .then(() => removeStale(this.#parent, Date.now()))
        .catch(() => undefined);
      this.#directory = directory;
    }
    mkdirSync(this.#directory, { recursive: true });
    return this.#directory;
  }

  /** Removes the directory, with what is left in it. */
  async close(): Promise<void> {
    await this.#cleanup;
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }
}

/** One body as it arrives. It is written synchronously: a body faster than the disk costs time, not memory. */
export class SpooledBody implements BodyConsumer {
  readonly maxBytes: number;
  readonly #newPath: () => string;
  readonly #start = new ChunkBuffer();
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
      // undici is the caller, so the error is thrown at the end.
      this.#failure = error ?? new Error('unknown');
    }
  }

  /** Its beginning, and the file that holds all of it if it is longer. @throws The file system's error. */
  end(): { readonly body: Uint8Array; readonly file: BodyFile | null } {
    this.#close();
    if (this.#failure !== null) throw this.#failure;
    const body = this.#start.joined();
    const path = this.#path;
    if (path === null) return { body, file: null };
    const remove = (): Promise<void> => rm(path, { force: true });
    return { body, file: { bytes: this.#bytes, read: () => createReadStream(path), remove } };
  }

  /** Removes its file. Bytes that still come are dropped. */
  async discard(): Promise<void> {
    this.#failure = 'discarded';
    this.#close();
    if (this.#path !== null) await rm(this.#path, { force: true });
  }

  #close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

/** The outcome with its spooled body. A full disk is broken machinery, but still becomes a value. */
export async function withSpooled(outcome: FetchOutcome, spooled: SpooledBody): Promise<FetchOutcome> {
  if (outcome.kind === 'failed') {
    await spooled.discard();
    return outcome;
  }
  try {
    const { body, file } = spooled.end();
    return file === null ? { ...outcome, body } : { ...outcome, body, file };
  } catch (error) {
    await spooled.discard();
    const { url, remoteAddress, timing } = outcome;
    const detail = failureDetail(error);
    return { kind: 'failed', url, failure: 'internal', detail, remoteAddress, wasSent: true, timing };
  }
}

function write(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/**
 * Removes directories whose process is gone, judged by their lock, or after an hour if they have none.
 *
 * @throws The platform's error: directories of other users may be unreadable.
 */
export async function removeStale(parent: string, nowMs: number): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  for (const name of names.slice(0, MAX_STALE_SPOOLS)) {
    const directory = join(parent, name);
    if (await isStale(directory, nowMs).catch(() => false)) await rm(directory, { recursive: true, force: true });
  }
}

async function isStale(directory: string, nowMs: number): Promise<boolean> {
  if ((await holderOf(directory)) !== null) return false;
  if ((await sizeOf(join(directory, LOCK_NAME))) !== null) return true;
  // Its process has not locked it yet, or was killed before that.
  return nowMs - (await stat(directory)).mtimeMs > UNLOCKED_SPOOL_MS;
}
