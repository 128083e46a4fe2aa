// What the processes of one crawl share: a lock, and records in parts.
//
// The lock is for the few things that are read, computed and written again, such as how many pages are left. It is the
// lease of a host that no URL leads to, so every store that keeps its contract has it. A process that dies with it
// delays the others by the length of a lease.
//
// Of a record in parts each process writes one of its own, so that none overwrites another's and all of them together
// say how much the crawl has done. A part is a name that outlives its process: a process that takes the name goes on
// with its numbers. The first part has the plain key, so a crawl of one process has one record. Parts whose processes
// are long gone are merged into one, so that what is kept does not grow with all that have ever been.

import type { Clock } from '../clock.js';
import { FrontierError } from '../errors.js';
import type { FrontierStore } from '../store.js';
import { CRAWL_LOCK_RETRY_MS, CRAWL_LOCK_TTL_MS, CRAWL_LOCK_WAIT_MS, PARTS_MOST } from './limits.js';

/** The host whose lease it is; no host name has a blank in it. */
export const LOCK_HOST = ' crawl';

/** What is done under the lock. `isStill`: whether the lock is still ours, to be asked right before a write. */
type Act<T> = (isStill: () => boolean) => Promise<T>;

export class CrawlLock {
  readonly #store: FrontierStore;
  readonly #clock: Clock;
  readonly #random: () => number;
  /** What this process does under the lock, it does in turn. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param random - Numbers in [0, 1): processes that wait do not come back together. */
  constructor(store: FrontierStore, clock: Clock, random: () => number) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Waits for the lock and acts.
   *
   * @throws FrontierError (rejects) `store-failed` when the lock does not come; what `act` throws.
   */
  exclusively<T>(act: Act<T>): Promise<T> {
    return this.#inTurn(async () => {
      const giveUpMs = this.#clock.nowMs() + CRAWL_LOCK_WAIT_MS;
      for (;;) {
        const done = await this.#once(act);
        if (done !== null) return done.value;
        if (this.#clock.nowMs() >= giveUpMs) {
          throw new FrontierError('store-failed', 'the other processes of this crawl do not release its lock', {
            hint: 'Is one of them stopped, or the clock of the store standing still?',
          });
        }
        const pauseMs = CRAWL_LOCK_RETRY_MS * (1 + this.#random());
        await new Promise<void>((resolve) => void this.#clock.after(pauseMs, resolve));
      }
    });
  }

  /** The same without waiting for other processes. @returns `null` where another process has the lock. */
  tryExclusively<T>(act: Act<T>): Promise<T | null> {
    return this.#inTurn(async () => (await this.#once(act))?.value ?? null);
  }

  async #once<T>(act: Act<T>): Promise<{ readonly value: T } | null> {
    if (!this.#store.capabilities.shared) return { value: await act(() => true) };
    const askedMs = this.#clock.nowMs();
    const request = { maxHosts: 1, entriesPerHost: 1, ttlMs: CRAWL_LOCK_TTL_MS, hosts: [LOCK_HOST] };
    const [lease] = await this.#store.lease(request);
    if (lease === undefined) return null;
    const { host, fencingToken } = lease;
    try {
      return { value: await act(() => this.#clock.nowMs() < askedMs + CRAWL_LOCK_TTL_MS / 2) };
    } finally {
      await this.#store.commit([{ host, fencingToken, delayMs: 0, then: { release: { dueInMs: 0 } } }]);
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

/** The part of a process that has the crawl for itself. */
const MAIN_PART = 'main';
/** A part of those that were merged. The next merge makes another one, and one write of the list replaces it. */
const MERGED = /^merged (\d+)$/;
const INDEX = 'parts';

/** Records in parts of the main part, by the beginnings of their keys. */
const IN_PARTS = /^(?:budget|waits$|owner\/totals$)/;

/** Whether the record of a key is one of those in parts, or their list. They are kept with the lock. */
export function isInParts(key: string): boolean {
  return key === INDEX || key.startsWith('part/') || IN_PARTS.test(key);
}

/** Makes one value of those that several parts have under a key. */
export type MergeValues = (values: readonly Uint8Array[]) => Uint8Array;

/** Records in parts. Its promises reject with what the store throws. */
export class PartRecords {
  readonly #store: FrontierStore;
  readonly lock: CrawlLock;
  /** A name that no other part has. */
  readonly #fresh: string;
  #own = MAIN_PART;
  #isListed = true;

  constructor(store: FrontierStore, lock: CrawlLock, fresh: string) {
    this.#store = store;
    this.lock = lock;
    this.#fresh = fresh;
  }

  get name(): string {
    return this.#own;
  }

  /**
   * Joins the crawl; the caller has the lock. In a store that is not shared, the part is always the main one.
   *
   * @param named - The name of our part; `null`: one that is free.
   * @param over - Which parts no process uses any more; one of them is taken where no name was given.
   */
  async join(named: string | null, over: (parts: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    if (!this.#store.capabilities.shared) return;
    this.#own = named ?? MAIN_PART;
    const known = await this.#index();
    const parts = known ?? [];
    const free = named === null ? await over(parts.filter((part) => !MERGED.test(part))) : [];
    if (named === null) this.#own = free[0] ?? (known === null ? MAIN_PART : this.#fresh);
    if (parts.includes(this.#own)) return;
    if (parts.length >= PARTS_MOST) {
      throw new FrontierError('store-failed', `more than ${PARTS_MOST} processes have worked on this crawl`, {
        hint: 'Give each process a part that it takes again when it is restarted, such as a crawl directory.',
      });
    }
    await this.#writeIndex([...parts, this.#own]);
  }

  /** Whether our part was in the list when it was read last. It is not where a server has forgotten it. */
  get isListed(): boolean {
    return this.#isListed;
  }

  enlist(): Promise<void> {
    return this.lock.exclusively(async () => {
      const parts = await this.list();
      if (!this.#isListed) await this.#writeIndex([...parts, this.#own]);
    });
  }

  /**
   * Merges parts whose processes are gone, unless another process has the lock. Interrupted, it changes nothing, or
   * leaves records that no list names.
   *
   * @param isGone - Asked under the lock.
   * @param merges - By the keys of the records that are kept.
   */
  async merge(isGone: (part: string) => Promise<boolean>, merges: ReadonlyMap<string, MergeValues>): Promise<void> {
    await this.lock.tryExclusively(async (isStill) => {
      const parts = await this.list();
      const areGone = await Promise.all(parts.map((part) => MERGED.test(part) || (part !== MAIN_PART && isGone(part))));
      const gone = parts.filter((_, at) => areGone[at]);
      const numbers = gone.map((part) => Number(MERGED.exec(part)?.[1] ?? 0));
      const merged = `merged ${1 + Math.max(0, ...numbers)}`;
      for (const [key, mergeValues] of merges) {
        const values = await Promise.all(gone.map((part) => this.read(part, key)));
        const kept = values.filter((value) => value !== null);
        if (kept.length > 0) await this.#store.writeRecord(keyOf(merged, key), mergeValues(kept));
      }
      if (!isStill()) return;
      await this.#writeIndex([...parts.filter((part) => !gone.includes(part)), merged]);
      const keys = gone.flatMap((part) => [...merges.keys(), 'waits'].map((key) => keyOf(part, key)));
      await Promise.all(keys.map((key) => this.#store.writeRecord(key, null)));
    });
  }

  /** Whether several processes have joined: then the lock is a host of the store. */
  async isShared(): Promise<boolean> {
    return (await this.#index()) !== null;
  }

  /** Names of all parts, ours among them. */
  async list(): Promise<readonly string[]> {
    const parts = (await this.#index()) ?? [MAIN_PART];
    this.#isListed = parts.includes(this.#own);
    return parts;
  }

  /** What a part has under a key; `null`: nothing. */
  read(part: string, key: string): Promise<Uint8Array | null> {
    return this.#store.readRecord(keyOf(part, key));
  }

  /** What all parts have under a key, by their names. */
  async readAll(key: string): Promise<Map<string, Uint8Array>> {
    const names = await this.list();
    const values = await Promise.all(names.map((name) => this.read(name, key)));
    return new Map(names.flatMap((name, at) => (values[at] == null ? [] : [[name, values[at]] as const])));
  }

  write(key: string, value: Uint8Array): Promise<void> {
    return this.#store.writeRecord(keyOf(this.#own, key), value);
  }

  #writeIndex(parts: readonly string[]): Promise<void> {
    return this.#store.writeRecord(INDEX, new TextEncoder().encode(JSON.stringify(parts)));
  }

  async #index(): Promise<readonly string[] | null> {
    const bytes = this.#store.capabilities.shared ? await this.#store.readRecord(INDEX) : null;
    return bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as string[]);
  }
}

function keyOf(part: string, key: string): string {
  return part === MAIN_PART ? key : `part/${part}/${key}`;
}
