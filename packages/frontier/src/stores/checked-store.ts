// What all stores have in common: they open once, refuse verbs before open and after close, check the limits of the
// contract before anything changes (X3), compare the crawl that they contain with the requested one (O2), and report
// errors of the platform, a server or lmdb as their own.

import { FrontierError } from '../errors.js';
import { DEFAULT_MAX_QUEUED, FINGERPRINT_BYTES, MAX_HOST_STATE_BYTES, MAX_RECORD_BYTES } from '../limits.js';
import { checkKeys, wholeIn } from '../option-value.js';
import type { FrontierStore, HostCommit, NewEntry, OpenRequest, StoreCapabilities } from '../store.js';
import { isError } from './is-error.js';

type Verbs = Required<
  Omit<FrontierStore, 'capabilities' | 'rollbacks' | 'open' | 'add' | 'clockMs' | 'destroy' | 'close'>
>;

/** The verbs of a store that is open. */
export type StoreVerbs = Verbs &
  Required<Pick<FrontierStore, 'destroy'>> &
  Pick<FrontierStore, 'rollbacks' | 'clockMs'>;

/** The verbs of an opened crawl. Their arguments are already checked, and they may answer synchronously. */
export type StoreQueues = {
  readonly [V in keyof Verbs]: (...args: Parameters<Verbs[V]>) => ReturnType<Verbs[V]> | Awaited<ReturnType<Verbs[V]>>;
} & {
  /** @default 0 */
  readonly rollbacks?: number;
  /** Called before each verb. @throws FrontierError `store-failed` once the store has failed. */
  check?(): void;
  /** @default the store has no server */
  clockMs?(): Promise<number | null>;
  /** Removes the crawl. @default the store cannot */
  destroy?(): Promise<void>;
  close?(): Promise<void>;
};

/** What a kind of store must provide. */
export interface StoreBackend {
  readonly capabilities: StoreCapabilities;
  /** Loads or creates the crawl. It may be called again after a failure. */
  open(request: OpenRequest): Promise<StoreQueues>;
  /** Also ends an `open` that is under way. */
  close?(): void;
}

/** Returns a store that is not open yet. */
export function checkedStore(backend: StoreBackend): FrontierStore {
  const { capabilities } = backend;
  let queues: StoreQueues | null = null;
  let isOpening = false;
  let isClosed = false;

  const openQueues = (): StoreQueues => {
    if (isClosed) throw new FrontierError('closed', 'the store is closed');
    if (queues === null) throw new FrontierError('not-open', 'the store was not opened');
    queues.check?.();
    return queues;
  };
  const commit = async (hosts: readonly HostCommit[], links: readonly NewEntry[] = []) => {
    const open = openQueues();
    checkEntries(links, capabilities);
    checkCommits(hosts, capabilities);
    return open.commit(hosts, links);
  };
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    const open = queues;
    queues = null;
    backend.close?.();
    await open?.close?.();
  };

  return {
    capabilities,
    get rollbacks() {
      return queues?.rollbacks ?? 0;
    },
    async open(request) {
      if (isClosed) throw new FrontierError('closed', 'this store was closed; create another one');
      if (isOpening) throw new FrontierError('option-invalid', 'this store is already open');
      isOpening = true;
      try {
        queues = await backend.open(request);
      } catch (error) {
        isOpening = false;
        throw error;
      }
    },
    add: async (entries) => (await commit([], entries)).links,
    async lease(request) {
      const open = openQueues();
      return open.lease(request);
    },
    wake: async (host) => openQueues().wake(host),
    commit,
    nextDueInMs: async () => openQueues().nextDueInMs(),
    overdueMs: async (limit) => openQueues().overdueMs(limit),
    readRecord: async (key, near) => openQueues().readRecord(key, near),
    async writeRecord(key, value, near) {
      const open = openQueues();
      if (value !== null) checkBytes('record', value, MAX_RECORD_BYTES);
      return open.writeRecord(key, value, near);
    },
    listRecords: async (prefix, cursor, limit) => openQueues().listRecords(prefix, cursor, pageOf(limit)),
    reserve: async (slots) => openQueues().reserve(slots),
    readHost: async (host) => openQueues().readHost(host),
    isKnown: async (fingerprint, host) => openQueues().isKnown(fingerprint, host),
    stats: async () => openQueues().stats(),
    clockMs: async () => (await openQueues().clockMs?.()) ?? null,
    scan: async (cursor, limit, host) => openQueues().scan(cursor, pageOf(limit), host),
    async know(fingerprints) {
      const open = openQueues();
      const entries = fingerprints.map((fingerprint) => ({ fingerprint, ...NO_ENTRY }));
      checkEntries(entries, capabilities);
      return open.know(fingerprints);
    },
    listKnown: async (cursor, limit) => openQueues().listKnown(cursor, pageOf(limit)),
    listHosts: async (cursor, limit) => openQueues().listHosts(cursor, pageOf(limit)),
    async destroy() {
      const open = openQueues();
      if (open.destroy === undefined) throw new FrontierError('option-invalid', 'this store removes no crawl');
      await open.destroy();
      await close();
    },
    close,
  };
}

const NO_ENTRY = { host: '', priority: 0, body: new Uint8Array(0) };

/** The most items of one page. */
const MAX_PAGE_ITEMS = 10_000;

function pageOf(limit: number): number {
  return Math.max(1, Math.min(limit, MAX_PAGE_ITEMS));
}

function checkEntries(entries: readonly NewEntry[], capabilities: StoreCapabilities): void {
  const { maxBatch, maxBody } = capabilities;
  if (entries.length > maxBatch) {
    const message = `expected at most ${maxBatch} entries at a time, got ${entries.length}`;
    throw new FrontierError('record-too-large', message);
  }
  for (const { priority, body, fingerprint } of entries) {
    checkBytes('body', body, maxBody);
    checkPriority(priority);
    if (fingerprint.length !== FINGERPRINT_BYTES) {
      const message = `expected a fingerprint of ${FINGERPRINT_BYTES} bytes, got ${fingerprint.length}`;
      throw new FrontierError('option-invalid', message);
    }
  }
}

function checkCommits(hosts: readonly HostCommit[], { maxBody }: StoreCapabilities): void {
  for (const { state, requeue = [] } of hosts) {
    if (state !== undefined) checkBytes('host state', state, MAX_HOST_STATE_BYTES);
    for (const { body, priority } of requeue) {
      if (body !== undefined) checkBytes('body', body, maxBody);
      if (priority !== undefined) checkPriority(priority);
    }
  }
}

function checkBytes(what: string, bytes: Uint8Array, limit: number): void {
  if (bytes.length <= limit) return;
  throw new FrontierError('record-too-large', `expected a ${what} of at most ${limit} bytes, got ${bytes.length}`);
}

function checkPriority(priority: number): void {
  if (priority >= 0 && priority <= 7) return;
  throw new FrontierError('option-invalid', `expected a priority from 0 to 7, got ${priority}`);
}

/** Wraps the error as `store-failed`: `what`, then its own message. A `FrontierError` stays as it is. Never throws. */
export function toFailure(what: string, cause: unknown, hint?: string): FrontierError {
  if (cause instanceof FrontierError) return cause;
  const more = hint === undefined ? { cause } : { cause, hint };
  return new FrontierError('store-failed', `${what}: ${messageOf(cause)}`, more);
}

/** The message of an error; for an aggregate, all of its messages. Never throws. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return isError(error) && error.message !== '' ? error.message : String(error);
}

type Durability = StoreCapabilities['durable'];

/** The durability of several stores together. */
export function weakestOf(all: readonly Durability[]): Durability {
  return (['none', 'process', 'power'] as const).find((each) => all.includes(each)) ?? 'none';
}

/** The same bytes as a buffer. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Options of every store that several processes share. */
export interface SharedOptions {
  /** Who crawls, usually the product token. A crawl with another identity is refused. @default not compared */
  readonly identity?: string;
  /**
   * The most unfinished entries of all processes together; each shard has an equal share. More are answered `full`.
   * @default 10,000,000
   */
  readonly maxQueued?: number;
  /**
   * The store's clock, milliseconds, the same in all processes; for tests. In lmdb, a clock that is behind the file
   * continues from there.
   * @default the machine's, or the server's
   */
  readonly nowMs?: () => number;
}

/**
 * `own`: options that only this kind of store has.
 * @throws FrontierError `option-invalid`, also for an unknown option.
 */
export function resolveSharedOptions(options: SharedOptions, ownOptions: readonly string[]) {
  checkKeys('', options, [...ownOptions, 'identity', 'maxQueued', 'nowMs']);
  const { identity = '', maxQueued, nowMs = null } = options;
  return { identity, nowMs, maxQueued: resolveMaxQueued(maxQueued) };
}

/** @throws FrontierError `option-invalid`. */
export function resolveMaxQueued(maxQueued = DEFAULT_MAX_QUEUED): number {
  return wholeIn('maxQueued', maxQueued, 1, Number.MAX_SAFE_INTEGER);
}

/** What to do if a frontier is missing. */
export const RESTORE_OR_RESET = 'Put a copy of the folder back, or start over (--reset, `reset: true`).';

export interface CrawlName {
  readonly format: string;
  readonly version: number;
  readonly crawl: string;
  /** Who crawls; if empty, it is not compared. */
  readonly identity: string;
}

/** What a store says of the crawl in it. @throws FrontierError `store-mismatch`: it says nothing. */
export function readCrawlName(location: string, hint: string, bytes: Uint8Array): CrawlName {
  try {
    const name = JSON.parse(new TextDecoder().decode(bytes)) as CrawlName;
    const { format, version, crawl, identity } = name;
    const isName = [format, crawl, identity].every((one) => typeof one === 'string') && typeof version === 'number';
    if (isName) return name;
  } catch {
    // Not JSON, or not an object.
  }
  throw new FrontierError('store-mismatch', `${location} holds something other than a crawl`, { hint });
}

const OTHER_VERSION_HINT =
  'Another version of Mannerly wrote it: let that version finish the crawl, or start another one.';

/**
 * @param location - Where the crawl is stored: `the prefix docs`.
 * @param hint - What to do if another crawl is there.
 * @throws FrontierError `store-mismatch`, with both names in the message.
 */
export function compareCrawl(location: string, hint: string, stored: CrawlName, requested: CrawlName): void {
  const compare = (what: string, storedValue: string, requestedValue: string, advice = hint) => {
    if (storedValue === requestedValue) return;
    const message = `${location} holds ${what} ${JSON.stringify(storedValue)}, not ${JSON.stringify(requestedValue)}`;
    throw new FrontierError('store-mismatch', message, { hint: advice });
  };
  compare(
    'a store of format',
    `${stored.format} ${stored.version}`,
    `${requested.format} ${requested.version}`,
    OTHER_VERSION_HINT,
  );
  compare('the crawl', stored.crawl, requested.crawl);
  const isCompared = stored.identity !== '' && requested.identity !== '';
  if (isCompared) compare('a crawl of the identity', stored.identity, requested.identity);
}
