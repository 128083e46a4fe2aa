// A small durable store for tests and small crawls: the memory store, written whole to one file of JSON lines after
// every verb that changed something, by a new file and a rename. Simple to look into, and linear in what is known:
// above some ten thousand URLs take another store.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { FrontierError } from '../errors.js';
import { QUEUED_MAX, RECORD_MAX_BYTES } from '../limits.js';
import type {
  FrontierStore,
  HostCommit,
  LeaseRequest,
  NewEntry,
  OpenRequest,
  ReserveSlot,
  StoreCapabilities,
} from '../store.js';
import { type FileLock, hasCode, lockFile } from './file-lock.js';
import { MEMORY_CAPABILITIES } from './memory.js';
import { MemoryQueues } from './memory-queues.js';
import { ReservedSlots } from './reserved-slots.js';
import { checkBytes } from './size-checks.js';
import { formatImage, parseImage, type StoreImage } from './store-image.js';

/** What the file store may be told. */
export interface FileStoreOptions {
  /** The file; beside it `….lock` while open and `….new` while writing. Its folder must be there. */
  readonly path: string;
  /** Entries unfinished at a time; more are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /** The store's clock, epoch milliseconds, which must go on across restarts; for tests. @default Date.now */
  readonly nowMs?: () => number;
}

/**
 * A store in one plain file. A verb that resolved survives the process, not a power cut (nothing is synced to the
 * disk). One process at a time. Reserved slots are not kept. Invariant X4 does not hold: each write costs the whole file.
 *
 * @returns A store that was not opened yet; after `close` another one on the same path can be.
 */
export function fileStore(options: FileStoreOptions): FrontierStore {
  return new FileStore(options.path, options.maxQueued ?? QUEUED_MAX, options.nowMs ?? Date.now);
}

class FileStore implements FrontierStore {
  readonly capabilities: StoreCapabilities = Object.freeze({ ...MEMORY_CAPABILITIES, durable: 'process' });
  readonly #path: string;
  readonly #maxQueued: number;
  readonly #wallMs: () => number;
  readonly #slots = new ReservedSlots();
  #latestMs = 0;
  #image: StoreImage | null = null;
  #lock: FileLock | null = null;
  #isClosed = false;
  #failure: unknown = null;
  #writing: Promise<void> = Promise.resolve();
  #nextWrite: Promise<void> | null = null;

  constructor(path: string, maxQueued: number, wallMs: () => number) {
    this.#path = path;
    this.#maxQueued = maxQueued;
    this.#wallMs = wallMs;
  }

  async open({ crawl, create }: OpenRequest): Promise<void> {
    if (this.#isClosed) throw new FrontierError('closed', 'this store was closed; make another one');
    if (this.#lock !== null) throw new FrontierError('option-invalid', 'this store is open already');
    this.#lock = await lockFile(this.#path);
    try {
      this.#image = await this.#read(crawl, create);
      await this.#save();
    } catch (error) {
      this.#image = null;
      await this.#lock.release();
      this.#lock = null;
      throw error;
    }
  }

  async add(entries: readonly NewEntry[]) {
    const outcomes = this.#open().queues.add(entries, this.#now());
    if (outcomes.includes('new')) await this.#save();
    return outcomes;
  }

  async lease(request: LeaseRequest) {
    const leases = this.#open().queues.lease(request, this.#now());
    if (leases.length > 0) await this.#save();
    return leases;
  }

  async wake(host: string) {
    this.#open().queues.wake(host, this.#now());
    await this.#save();
  }

  async commit(hosts: readonly HostCommit[], links: readonly NewEntry[] = []) {
    const answer = this.#open().queues.commit(hosts, links, this.#now());
    await this.#save();
    return answer;
  }

  async nextDueInMs() {
    return this.#open().queues.nextDueInMs(this.#now());
  }

  async readRecord(key: string) {
    return this.#open().records.get(key) ?? null;
  }

  async writeRecord(key: string, value: Uint8Array | null) {
    const { records } = this.#open();
    if (value === null) records.delete(key);
    else {
      checkBytes('record', value, RECORD_MAX_BYTES);
      records.set(key, value);
    }
    await this.#save();
  }

  async reserve(slots: readonly ReserveSlot[]) {
    this.#open();
    return this.#slots.reserve(slots, this.#now());
  }

  async readHost(host: string) {
    return this.#open().queues.readHost(host, this.#now());
  }

  async stats() {
    return this.#open().queues.stats();
  }

  async scan(cursor: string | null, limit: number, host?: string) {
    return this.#open().queues.scan(cursor, limit, host);
  }

  async close() {
    this.#isClosed = true;
    const lock = this.#lock;
    this.#lock = null;
    if (lock === null) return;
    // What was written last stands; a failed write was told to the verb that asked for it.
    await (this.#nextWrite ?? this.#writing).finally(() => {
      this.#image = null;
      return lock.release();
    });
  }

  async #read(crawl: string, create: boolean): Promise<StoreImage> {
    const text = await readIfThere(this.#path);
    if (text === null) {
      if (!create) throw new FrontierError('store-mismatch', `${this.#path} holds no crawl ${JSON.stringify(crawl)}`);
      return { crawl, queues: new MemoryQueues(this.capabilities, this.#maxQueued), records: new Map() };
    }
    const image = parseImage(text, this.capabilities, this.#maxQueued, this.#now());
    if (image.crawl === crawl) return image;
    throw new FrontierError(
      'store-mismatch',
      `${this.#path} holds the crawl ${JSON.stringify(image.crawl)}, not ${JSON.stringify(crawl)}`,
    );
  }

  /** Resolves once what is true now stands in the file. Calls during a write share the next one. */
  #save(): Promise<void> {
    this.#nextWrite ??= this.#writing.then(() => {
      this.#nextWrite = null;
      this.#writing = this.#write();
      return this.#writing;
    });
    return this.#nextWrite;
  }

  async #write(): Promise<void> {
    if (this.#image === null) return;
    try {
      await writeFile(`${this.#path}.new`, formatImage(this.#image, this.#now()));
      await rename(`${this.#path}.new`, this.#path);
    } catch (cause) {
      this.#failure = cause;
      throw new FrontierError('store-failed', `cannot write ${this.#path}`, { cause });
    }
  }

  #open(): StoreImage {
    if (this.#isClosed) throw new FrontierError('closed', 'the store is closed');
    if (this.#image === null) throw new FrontierError('not-open', 'the store was not opened');
    if (this.#failure !== null) {
      throw new FrontierError('store-failed', `${this.#path} could not be written`, { cause: this.#failure });
    }
    return this.#image;
  }

  /** A wall clock that was set back stands still here until it has caught up. */
  #now(): number {
    this.#latestMs = Math.max(this.#latestMs, this.#wallMs());
    return this.#latestMs;
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return null;
    throw new FrontierError('store-failed', `cannot read ${path}`, { cause });
  }
}
