// The store as one frontier sees it. A store that has failed once has failed for good: its contents are unknown, and
// continuing from a guess could make a request too early. Every verb passes through here; once one throws, all later
// ones throw the same error. Also counts what is in the store: read now and then, and updated with what this process
// adds and finishes.

import { FrontierError } from '../errors.js';
import type { FrontierStore, HostKey } from '../store.js';
import { aroundStoreVerbs, checkedAnswers } from '../store-answers.js';
import { type HostKeyBy, hostKeyOf } from '../url/url.js';
import { isInParts, LOCK_HOST } from './processes.js';

/** Verbs of records, and the place of the host that the record belongs to among what they are given. */
const HOST_ARGUMENT: Readonly<Record<string, number>> = { readRecord: 1, writeRecord: 2 };

export class StoreGuard {
  /** The store's own refusals (`record-too-large`, …) pass unchanged. Other errors reject with `store-failed`. */
  readonly store: FrontierStore;
  /** Remembers an error that no caller waits for: the next call throws it. */
  readonly fail: (error: unknown) => void;
  #failure: FrontierError | null = null;
  #unreportedFailure: unknown = null;

  /** @param hostKeyBy - Records are stored near their hosts. */
  constructor(inner: FrontierStore, hostKeyBy: HostKeyBy) {
    const answers = checkedAnswers(inner, (message, cause) => new FrontierError('store-failed', message, { cause }));
    this.store = aroundStoreVerbs(answers, (call, verb, args) => {
      if (verb === 'close') return call();
      const hostIndex = HOST_ARGUMENT[verb];
      if (hostIndex !== undefined) args[hostIndex] ??= hostOfRecord(String(args[0]), hostKeyBy);
      return this.#call(call);
    });
    this.fail = (error) => {
      this.#unreportedFailure ??= error;
    };
  }

  /** Whether the store has not failed. */
  get isWorking(): boolean {
    return this.#failure === null && this.#unreportedFailure === null;
  }

  /** @throws The error with which the store failed. */
  check(): void {
    if (!this.isWorking) throw this.#failure ?? this.#unreportedFailure;
  }

  async #call<T>(verb: () => Promise<T>): Promise<T> {
    if (this.#failure !== null) throw this.#failure;
    try {
      return await verb();
    } catch (cause) {
      // `checkedAnswers` throws nothing else.
      const error = cause as FrontierError;
      if (error.code !== 'store-failed') throw error;
      this.#failure ??= error;
      throw this.#failure;
    }
  }
}

/** The prefix of the keys of a frontier's owner. */
export const OWNER_PREFIX = 'owner/';

/** A host or an authority after the kind of the record, whatever follows. */
const KEY_OF_HOST = /^(?:owner\/[^/]+|robots)\/(https?:\/\/)?([^/]+)/;

/**
 * The host near which a record is stored, from its key alone; `undefined`: it belongs to no host. The records of a host
 * are available whenever its queue is, and a worker never waits for a server that its host does not need. Stores and
 * moves place records by it, so it never changes.
 */
export function hostOfRecord(key: string, hostKeyBy: HostKeyBy): HostKey | undefined {
  if (isInParts(key)) return LOCK_HOST;
  const [, scheme = 'http://', host] = KEY_OF_HOST.exec(key) ?? [];
  return host === undefined ? undefined : (hostKeyOf(scheme + host, hostKeyBy) ?? host);
}

/** The counts. Only its own methods change them. `queued` includes entries in flight. */
export class QueueCounts {
  queued = 0;
  known = 0;
  hosts = 0;
  readonly #store: FrontierStore;
  /** The number of hosts in the store that no URL leads to. */
  #lockHosts = 0;

  constructor(store: FrontierStore) {
    this.#store = store;
  }

  /** The lock of the crawl is a host of the store (`records/processes.ts`). */
  noteLockHost(): void {
    this.#lockHosts = 1;
  }

  countQueued(): void {
    this.queued += 1;
    this.known += 1;
  }

  countFinished(entries: number): void {
    this.queued = Math.max(0, this.queued - entries);
  }

  /** Reads the counts from the store. Rejects with what the store throws. */
  async read(): Promise<void> {
    const { queued, inFlight, known, hosts } = await this.#store.stats();
    this.queued = queued + inFlight;
    this.known = known;
    this.hosts = Math.max(0, hosts - this.#lockHosts);
  }
}
