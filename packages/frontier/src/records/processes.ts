// What the processes of one crawl share: a lock, and records in parts.
//
// The lock is for the few values that are read, computed and written back, such as how many pages are left. It is the
// lease of a host that no URL leads to, so every store that fulfils the contract has it. A process that dies with the
// lock delays the others by the length of a lease.
//
// A record in parts has one part per process. No process overwrites another's part, and all parts together say how much
// the crawl has done. A part has a name that outlives its process: a process that takes the name continues its numbers.
// The first part has the plain key, so a crawl of one process has one record. Parts whose processes have been gone for
// long are merged into one, so that the records do not grow with the number of processes that ever ran.

import type { Clock } from '../clock.js';
import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';
import { CRAWL_LOCK_RETRY_MS, CRAWL_LOCK_TTL_MS, MAX_CRAWL_LOCK_WAIT_MS, MAX_PARTS } from './limits.js';

/** The host whose lease is the lock. No host name contains a blank. */
export const LOCK_HOST = ' crawl';

/** An action under the lock. `isStill`: whether the lock is still ours; call it right before a write. */
type Act<T> = (holdsLock: () => boolean) => Promise<T>;

export class CrawlLock {
  readonly #store: FrontierStore;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** This process's own actions under the lock run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param random - Numbers in [0, 1), so that waiting processes do not retry together. */
  constructor(store: FrontierStore, clock: Clock, random: () => number) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Waits for the lock and acts.
   *
   * @throws FrontierError (rejects) `store-failed` if it does not get the lock; what `act` throws.
   */
  exclusively<T>(act: Act<T>): Promise<T> {
    return this.#inTurn(async () => {
      const deadlineMs = this.#clock.nowMs() + MAX_CRAWL_LOCK_WAIT_MS;
      for (;;) {
        const result = await this.#tryOnce(act);
        if (result !== null) return result.value;
        if (this.#clock.nowMs() >= deadlineMs) {
          throw new FrontierError('store-failed', 'the other processes of this crawl do not release its lock', {
            hint: 'Is one of them stopped, or the clock of the store standing still?',
          });
        }
        const pauseMs = CRAWL_LOCK_RETRY_MS * (1 + this.#random());
        await new Promise<void>((resolve) => void this.#clock.after(pauseMs, resolve));
      }
    });
  }

  /** The same without waiting for other processes. @returns `null`: another process has the lock. */
  tryExclusively<T>(act: Act<T>): Promise<T | null> {
    return this.#inTurn(async () => (await this.#tryOnce(act))?.value ?? null);
  }

  async #tryOnce<T>(act: Act<T>): Promise<{ readonly value: T } | null> {
    if (!this.#store.capabilities.shared) return { value: await act(() => true) };
    const requestedAtMs = this.#clock.nowMs();
    const request = { maxHosts: 1, entriesPerHost: 1, ttlMs: CRAWL_LOCK_TTL_MS, hosts: [LOCK_HOST] };
    const [lease] = await this.#store.lease(request);
    if (lease === undefined) return null;
    const { host, fencingToken } = lease;
    try {
      return { value: await act(() => this.#clock.nowMs() < requestedAtMs + CRAWL_LOCK_TTL_MS / 2) };
    } finally {
      await this.#store.commit([{ host, fencingToken, delayMs: 0, then: { release: { dueInMs: 0 } } }]);
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** The part of a process that is alone in the crawl. */
const MAIN_PART = 'main';
/** A part made by a merge. The next merge makes another one, and one write of the list replaces it. */
const MERGED_PART = /^merged (\d+)$/;
const LIST_KEY = 'parts';

/** Records in parts, as the main part has them, by the prefixes of their keys. */
const KEY_IN_PARTS = /^(?:budget|waits$|owner\/totals$)/;

/** Whether a key is that of a record in parts, or of their list. These records are stored where the lock is. */
export function isInParts(key: string): boolean {
  return key === LIST_KEY || key.startsWith('part/') || KEY_IN_PARTS.test(key);
}

/** Merges the values that several parts have under a key. */
export type MergeValues = (values: readonly Uint8Array[]) => Uint8Array;

/** Records in parts. Promises reject with what the store throws. */
export class PartRecords {
  readonly #store: FrontierStore;
  readonly lock: CrawlLock;
  #own = MAIN_PART;
  #isListed = true;

  constructor(store: FrontierStore, lock: CrawlLock) {
    this.#store = store;
    this.lock = lock;
  }

  get name(): string {
    return this.#own;
  }

  /**
   * Joins the crawl; the caller has the lock. In a store that is not shared, the part is always the main one.
   *
   * @param requestedName - The name of our part; `null`: any free one.
   * @param endedParts - Returns the parts that no process uses any more. One of them is taken if no name was given.
   */
  async join(
    requestedName: string | null,
    endedParts: (parts: readonly string[]) => Promise<readonly string[]>,
  ): Promise<void> {
    if (!this.#store.capabilities.shared) return;
    this.#own = requestedName ?? MAIN_PART;
    const known = await this.#readList();
    const parts = known ?? [];
    const free = requestedName === null ? await endedParts(parts.filter((part) => !MERGED_PART.test(part))) : [];
    if (requestedName === null) this.#own = free[0] ?? (known === null ? MAIN_PART : crypto.randomUUID());
    if (parts.includes(this.#own)) return;
    if (parts.length >= MAX_PARTS) {
      throw new FrontierError('store-failed', `more than ${MAX_PARTS} processes have worked on this crawl`, {
        hint: 'Give each process a part that it takes again when it is restarted, such as a crawl directory.',
      });
    }
    await this.#writeList([...parts, this.#own]);
  }

  /** Whether our part was in the list when it was last read. It is missing if a server has forgotten it. */
  get isListed(): boolean {
    return this.#isListed;
  }

  addToList(): Promise<void> {
    return this.lock.exclusively(async () => {
      const parts = await this.list();
      if (!this.#isListed) await this.#writeList([...parts, this.#own]);
    });
  }

  /**
   * Merges parts whose processes are gone, unless another process has the lock. If it is interrupted, it has changed
   * nothing, or leaves records that no list names.
   *
   * @param isGone - Called under the lock.
   * @param merges - By the keys of the records to merge.
   */
  async merge(isGone: (part: string) => Promise<boolean>, merges: ReadonlyMap<string, MergeValues>): Promise<void> {
    await this.lock.tryExclusively(async (holdsLock) => {
      const parts = await this.list();
      const areGone = await Promise.all(
        parts.map((part) => MERGED_PART.test(part) || (part !== MAIN_PART && isGone(part))),
      );
      const gone = parts.filter((_, at) => areGone[at]);
      const numbers = gone.map((part) => Number(MERGED_PART.exec(part)?.[1] ?? 0));
      const merged = `merged ${1 + Math.max(0, ...numbers)}`;
      for (const [key, mergeValues] of merges) {
        const values = await Promise.all(gone.map((part) => this.read(part, key)));
        const stored = values.filter((value) => value !== null);
        if (stored.length > 0) await this.#store.writeRecord(keyOf(merged, key), mergeValues(stored));
      }
      if (!holdsLock()) return;
      await this.#writeList([...parts.filter((part) => !gone.includes(part)), merged]);
      const keys = gone.flatMap((part) => [...merges.keys(), 'waits'].map((key) => keyOf(part, key)));
      await Promise.all(keys.map((key) => this.#store.writeRecord(key, null)));
    });
  }

  /** Whether several processes have joined. If so, the lock is a host of the store. */
  async isShared(): Promise<boolean> {
    return (await this.#readList()) !== null;
  }

  /** The names of all parts, ours included. */
  async list(): Promise<readonly string[]> {
    const parts = (await this.#readList()) ?? [MAIN_PART];
    this.#isListed = parts.includes(this.#own);
    return parts;
  }

  /** The value of a part under a key; `null`: none. */
  read(part: string, key: string): Promise<Uint8Array | null> {
    return this.#store.readRecord(keyOf(part, key));
  }

  /** The values of all parts under a key, by part name. */
  async readAll(key: string): Promise<Map<string, Uint8Array>> {
    const names = await this.list();
    const values = await Promise.all(names.map((name) => this.read(name, key)));
    return new Map(names.flatMap((name, at) => (values[at] == null ? [] : [[name, values[at]] as const])));
  }

  write(key: string, value: Uint8Array): Promise<void> {
    return this.#store.writeRecord(keyOf(this.#own, key), value);
  }

  #writeList(parts: readonly string[]): Promise<void> {
    return this.#store.writeRecord(LIST_KEY, new TextEncoder().encode(JSON.stringify(parts)));
  }

  async #readList(): Promise<readonly string[] | null> {
    const bytes = this.#store.capabilities.shared ? await this.#store.readRecord(LIST_KEY) : null;
    return bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as string[]);
  }
}

function keyOf(part: string, key: string): string {
  return part === MAIN_PART ? key : `part/${part}/${key}`;
}
