// A body too large for memory: its beginning stays there, and all of it goes to a file as it arrives. A slow reader
// neither delays the sender nor keeps the connection open, and the body is known to be complete before it is read. The
// file has no name, so that a killed process leaves nothing behind.

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, read, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ChunkBuffer } from './body.js';
import { failureDetail } from './failure-code.js';
import type { BodyConsumer } from './fetcher.js';
import { SPOOL_MEMORY_BYTES, SPOOL_READ_BYTES } from './limits.js';
import type { BodyFile, FetchOutcome } from './outcome.js';

/** The large bodies of one crawl. */
export class Spool {
  readonly #files = new Set<NamelessFile>();

  /** A place for one body of at most so many decoded bytes. */
  open(maxBytes: number): SpooledBody {
    return new SpooledBody(maxBytes, this.#files);
  }

  /** Removes what is left. */
  async close(): Promise<void> {
    for (const file of this.#files) await file.remove();
  }
}

/** One body as it arrives. It is written synchronously: a body faster than the disk costs time, not memory. */
export class SpooledBody implements BodyConsumer {
  readonly maxBytes: number;
  readonly #files: Set<NamelessFile>;
  readonly #start = new ChunkBuffer();
  #file: NamelessFile | null = null;
  #failure: unknown = null;

  /** @param files - Holds its file until that is removed. */
  constructor(maxBytes: number, files: Set<NamelessFile>) {
    this.maxBytes = maxBytes;
    this.#files = files;
  }

  take(bytes: Uint8Array): void {
    if (this.#failure !== null) return;
    try {
      if (this.#file === null && this.#start.bytes + bytes.length <= SPOOL_MEMORY_BYTES) {
        this.#start.push(bytes);
        return;
      }
      if (this.#file === null) {
        this.#file = new NamelessFile(this.#files);
        this.#file.write(this.#start.joined());
      }
      this.#file.write(bytes);
    } catch (error) {
      // undici is the caller, so the error is thrown at the end.
      this.#failure = error ?? new Error('unknown');
    }
  }

  /** Its beginning, and the file that holds all of it if it is longer. @throws The file system's error. */
  end(): { readonly body: Uint8Array; readonly file: BodyFile | null } {
    if (this.#failure !== null) throw this.#failure;
    return { body: this.#start.joined(), file: this.#file };
  }

  /** Removes its file. Bytes that still come are dropped. */
  async discard(): Promise<void> {
    this.#failure = 'discarded';
    await this.#file?.remove();
  }
}

const readAt = promisify(read);

/** A file without a name: only this process reaches it, and the system frees it with the process at the latest. */
class NamelessFile implements BodyFile {
  bytes = 0;
  readonly #files: Set<NamelessFile>;
  readonly #file: number;
  /** Reads under way. The file is open until they end: its number could be that of another file by then. */
  #reads = 0;

  constructor(files: Set<NamelessFile>) {
    const path = join(tmpdir(), `mannerly-body-${randomUUID()}`);
    this.#file = openSync(path, 'wx+', 0o600);
    try {
      unlinkSync(path);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
    this.#files = files.add(this);
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.bytes += bytes.length;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.bytes; ) {
      const chunk = await this.#chunkAt(at);
      at += chunk.length;
      yield chunk;
    }
  }

  async remove(): Promise<void> {
    if (this.#files.delete(this) && this.#reads === 0) closeSync(this.#file);
  }

  async #chunkAt(at: number): Promise<Uint8Array> {
    if (!this.#files.has(this)) throw new Error('the body was removed from the disk');
    this.#reads += 1;
    try {
      const chunk = Buffer.allocUnsafe(Math.min(SPOOL_READ_BYTES, this.bytes - at));
      const { bytesRead } = await readAt(this.#file, chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw new Error('the file of the body is too short');
      return chunk.subarray(0, bytesRead);
    } finally {
      this.#reads -= 1;
      if (this.#reads === 0 && !this.#files.has(this)) closeSync(this.#file);
    }
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
