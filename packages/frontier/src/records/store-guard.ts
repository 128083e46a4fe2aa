// The store as one frontier sees it. A store that has failed once has failed for good: what it kept is unknown, and
// going on from a guess could make a request too early. Every verb passes here; once one throws, all later ones throw
// the same. And how much is in it: read now and then, kept up to date with what this process adds and finishes.

import { FrontierError } from '../errors.js';
import type { FrontierStore, HostKey } from '../store.js';
import { type HostKeyBy, hostKeyOf } from '../url/url.js';
import { isInParts, LOCK_HOST } from './processes.js';

export class StoreGuard {
  /** Its own refusals (`record-too-large`, …) pass as they are; otherwise it rejects with `store-failed`. */
  readonly store: FrontierStore;
  /** Keeps an error that no caller waits for: the next call throws it. */
  readonly fail: (error: unknown) => void;
  #failure: FrontierError | null = null;
  #broken: unknown = null;

  /** @param hostKeyBy - Records are kept near their hosts. */
  constructor(inner: FrontierStore, hostKeyBy: HostKeyBy) {
    this.store = aroundStore(
      inner,
      (verb) => this.#call(verb),
      (key) => placeOfRecord(key, hostKeyBy),
    );
    this.fail = (error) => {
      this.#broken ??= error;
    };
  }

  /** Whether nothing has failed. */
  get works(): boolean {
    return this.#failure === null && this.#broken === null;
  }

  /** @throws What failed. */
  check(): void {
    if (!this.works) throw this.#failure ?? this.#broken;
  }

  async #call<T>(verb: () => Promise<T>): Promise<T> {
    if (this.#failure !== null) throw this.#failure;
    try {
      return await verb();
    } catch (cause) {
      if (cause instanceof FrontierError && cause.code !== 'store-failed') throw cause;
      this.#failure ??=
        cause instanceof FrontierError
          ? cause
          : new FrontierError('store-failed', 'the store failed; the frontier stops', { cause });
      throw this.#failure;
    }
  }
}

/**
 * A store whose verbs all pass through one function, which may refuse, delay or watch them; `close` does not. What a
 * store leaves out stays out. @param nearOf - The host of a record for which none is named.
 */
export function aroundStore(
  store: FrontierStore,
  pass: <T>(verb: () => Promise<T>) => Promise<T>,
  nearOf: (key: string) => HostKey | undefined = () => undefined,
): FrontierStore {
  const { reserve, readHost, listRecords, overdueMs, clockMs } = store;
  return {
    capabilities: store.capabilities,
    get rollbacks() {
      return store.rollbacks ?? 0;
    },
    open: (request) => pass(() => store.open(request)),
    add: (entries) => pass(() => store.add(entries)),
    lease: (request) => pass(() => store.lease(request)),
    wake: (host) => pass(() => store.wake(host)),
    commit: (hosts, links) => pass(() => store.commit(hosts, links)),
    nextDueInMs: () => pass(() => store.nextDueInMs()),
    ...(overdueMs === undefined ? {} : { overdueMs: (most) => pass(() => overdueMs.call(store, most)) }),
    readRecord: (key, near = nearOf(key)) => pass(() => store.readRecord(key, near)),
    writeRecord: (key, value, near = nearOf(key)) => pass(() => store.writeRecord(key, value, near)),
    ...(listRecords === undefined
      ? {}
      : { listRecords: (prefix, cursor, limit) => pass(() => listRecords.call(store, prefix, cursor, limit)) }),
    ...(reserve === undefined ? {} : { reserve: (slots) => pass(() => reserve.call(store, slots)) }),
    ...(readHost === undefined ? {} : { readHost: (host) => pass(() => readHost.call(store, host)) }),
    ...(clockMs === undefined ? {} : { clockMs: () => pass(() => clockMs.call(store)) }),
    stats: () => pass(() => store.stats()),
    scan: (cursor, limit, host) => pass(() => store.scan(cursor, limit, host)),
    close: () => store.close(),
  };
}

/** The prefix of the keys of a frontier's owner. */
export const OWNER_PREFIX = 'owner/';

/** A host or an authority after the kind of the record, whatever follows it. */
const OF_A_HOST = /^(?:owner\/[^/]+|robots)\/(https?:\/\/)?([^/]+)/;

/**
 * The host near which a record is kept, told by its key alone; `undefined`: it belongs to none. What belongs to a host
 * is there when its queue is, and a worker never waits for a server that its host does not need. Stores place by it,
 * and a crawl that moves goes by it, so it never changes.
 */
export function placeOfRecord(key: string, hostKeyBy: HostKeyBy): HostKey | undefined {
  if (isInParts(key)) return LOCK_HOST;
  const [, scheme = 'http://', host] = OF_A_HOST.exec(key) ?? [];
  return host === undefined ? undefined : (hostKeyOf(scheme + host, hostKeyBy) ?? host);
}

/** The counts; only its own methods write them. `queued`: those in flight included. */
export class QueueCounts {
  queued = 0;
  known = 0;
  hosts = 0;
  readonly #store: FrontierStore;
  /** Hosts of the store that no URL leads to. */
  #lockHosts = 0;

  constructor(store: FrontierStore) {
    this.#store = store;
  }

  /** The lock of the crawl is a host of the store (`records/processes.ts`). */
  noteLockHost(): void {
    this.#lockHosts = 1;
  }

  queuedOne(): void {
    this.queued += 1;
    this.known += 1;
  }

  finished(entries: number): void {
    this.queued = Math.max(0, this.queued - entries);
  }

  /** Reads them from the store. Rejects with what the store throws. */
  async read(): Promise<void> {
    const { queued, inFlight, known, hosts } = await this.#store.stats();
    this.queued = queued + inFlight;
    this.known = known;
    this.hosts = Math.max(0, hosts - this.#lockHosts);
  }
}
