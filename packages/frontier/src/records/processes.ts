// What the processes of one crawl share: a lock, and records in parts. Also with which host each record is stored.
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
import { FrontierError, unreadable } from '../errors.js';
import type { FrontierStore, HostKey } from '../store.js';
import { isText, readJson } from '../stored-value.js';
import { type HostKeyBy, hostKeyOf } from '../url/url.js';
import { CRAWL_LOCK_RETRY_MS, CRAWL_LOCK_TTL_MS, MAX_CRAWL_LOCK_WAIT_MS, MAX_PARTS } from './limits.js';

/** The host whose lease is the lock. No host name contains a blank. */
export const LOCK_HOST = ' crawl';

/** An action under the lock. `isStill`: whether the lock is still ours; call it right before a write. */
type Act<T> = (holdsLock: () => boolean) => Promise<T>;

export type CrawlLock = ReturnType<typeof createCrawlLock>;

/** @param random - Numbers in [0, 1), so that waiting processes do not retry together. */
export function createCrawlLock(store: FrontierStore, clock: Clock, random: () => number) {
  /** This process's own actions under the lock run one after the other. */
  let lastTurn: Promise<unknown> = Promise.resolve();

  /**
   * Waits for the lock and acts.
   *
   * @throws FrontierError (rejects) `store-failed` if it does not get the lock; what `act` throws.
   */
  function exclusively<T>(act: Act<T>): Promise<T> {
    return inTurn(async () => {
      const deadlineMs = clock.nowMs() + MAX_CRAWL_LOCK_WAIT_MS;
      for (;;) {
        const result = await tryOnce(act);
        if (result !== null) return result.value;
        if (clock.nowMs() >= deadlineMs) {
          throw new FrontierError('store-failed', 'the other processes of this crawl do not release its lock', {
            hint: 'Is one of them stopped, or the clock of the store standing still?',
          });
        }
        const pauseMs = CRAWL_LOCK_RETRY_MS * (1 + random());
        await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
      }
    });
  }

  /** The same without waiting for other processes. @returns `null`: another process has the lock. */
  function tryExclusively<T>(act: Act<T>): Promise<T | null> {
    return inTurn(async () => (await tryOnce(act))?.value ?? null);
  }

  async function tryOnce<T>(act: Act<T>): Promise<{ readonly value: T } | null> {
    if (!store.capabilities.shared) return { value: await act(() => true) };
    const requestedAtMs = clock.nowMs();
    const request = { maxHosts: 1, entriesPerHost: 1, ttlMs: CRAWL_LOCK_TTL_MS, hosts: [LOCK_HOST] };
    const [lease] = await store.lease(request);
    if (lease === undefined) return null;
    const { host, fencingToken } = lease;
    try {
      return { value: await act(() => clock.nowMs() < requestedAtMs + CRAWL_LOCK_TTL_MS / 2) };
    } finally {
      await store.commit([{ host, fencingToken, delayMs: 0, then: { release: { dueInMs: 0 } } }]);
    }
  }

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(act);
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  return { exclusively, tryExclusively };
}

/** The part of a process that is alone in the crawl. */
const MAIN_PART = 'main';
/** A part made by a merge. The next merge makes another one, and one write of the list replaces it. */
const MERGED_PART = /^merged (\d+)$/;
const LIST_KEY = 'parts';

/** Records in parts, as the main part has them, by the prefixes of their keys. They are stored where the lock is. */
const KEY_IN_PARTS = /^(?:budget|waits$|owner\/totals$)/;

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
  if (key === LIST_KEY || key.startsWith('part/') || KEY_IN_PARTS.test(key)) return LOCK_HOST;
  const [, scheme = 'http://', host] = KEY_OF_HOST.exec(key) ?? [];
  return host === undefined ? undefined : (hostKeyOf(scheme + host, hostKeyBy) ?? host);
}

/** Merges the values that several parts have under a key. */
export type MergeValues = (values: readonly Uint8Array[]) => Uint8Array;

export type PartRecords = ReturnType<typeof createPartRecords>;

/** Records in parts. Promises reject with what the store throws. */
export function createPartRecords(store: FrontierStore, lock: CrawlLock) {
  /** Our part's. */
  let name = MAIN_PART;
  /** Whether our part was in the list when it was last read. It is missing if a server has forgotten it. */
  let isListed = true;

  /**
   * Joins the crawl; the caller has the lock. In a store that is not shared, the part is always the main one.
   *
   * @param requestedName - The name of our part; `null`: any free one.
   * @param endedParts - Returns the parts that no process uses any more. One of them is taken if no name was given.
   */
  async function join(
    requestedName: string | null,
    endedParts: (parts: readonly string[]) => Promise<readonly string[]>,
  ): Promise<void> {
    if (!store.capabilities.shared) return;
    name = requestedName ?? MAIN_PART;
    const known = await readList();
    const parts = known ?? [];
    const free = requestedName === null ? await endedParts(parts.filter((part) => !MERGED_PART.test(part))) : [];
    if (requestedName === null) name = free[0] ?? (known === null ? MAIN_PART : crypto.randomUUID());
    if (parts.includes(name)) return;
    if (parts.length >= MAX_PARTS) {
      throw new FrontierError('store-failed', `more than ${MAX_PARTS} processes have worked on this crawl`, {
        hint: 'Give each process a part that it takes again when it is restarted, such as a crawl directory.',
      });
    }
    await writeList([...parts, name]);
  }

  function addToList(): Promise<void> {
    return lock.exclusively(async () => {
      const parts = await list();
      if (!isListed) await writeList([...parts, name]);
    });
  }

  /**
   * Merges parts whose processes are gone, unless another process has the lock. If it is interrupted, it has changed
   * nothing, or leaves records that no list names.
   *
   * @param isGone - Called under the lock.
   * @param merges - By the keys of the records to merge.
   */
  async function merge(
    isGone: (part: string) => Promise<boolean>,
    merges: ReadonlyMap<string, MergeValues>,
  ): Promise<void> {
    await lock.tryExclusively(async (holdsLock) => {
      const parts = await list();
      const areGone = await Promise.all(
        parts.map((part) => MERGED_PART.test(part) || (part !== MAIN_PART && isGone(part))),
      );
      const gone = parts.filter((_, at) => areGone[at]);
      const numbers = gone.map((part) => Number(MERGED_PART.exec(part)?.[1] ?? 0));
      const merged = `merged ${1 + Math.max(0, ...numbers)}`;
      for (const [key, mergeValues] of merges) {
        const values = await Promise.all(gone.map((part) => read(part, key)));
        const stored = values.filter((value) => value !== null);
        if (stored.length > 0) await store.writeRecord(keyOf(merged, key), mergeValues(stored));
      }
      if (!holdsLock()) return;
      await writeList([...parts.filter((part) => !gone.includes(part)), merged]);
      const keys = gone.flatMap((part) => [...merges.keys(), 'waits'].map((key) => keyOf(part, key)));
      await Promise.all(keys.map((key) => store.writeRecord(key, null)));
    });
  }

  /** Whether several processes have joined. If so, the lock is a host of the store. */
  async function isShared(): Promise<boolean> {
    return (await readList()) !== null;
  }

  /** The names of all parts, ours included. */
  async function list(): Promise<readonly string[]> {
    const parts = (await readList()) ?? [MAIN_PART];
    isListed = parts.includes(name);
    return parts;
  }

  /** The value of a part under a key; `null`: none. */
  function read(part: string, key: string): Promise<Uint8Array | null> {
    return store.readRecord(keyOf(part, key));
  }

  /** The values of all parts under a key, by part name. */
  async function readAll(key: string): Promise<Map<string, Uint8Array>> {
    const names = await list();
    const values = await Promise.all(names.map((name) => read(name, key)));
    return new Map(names.flatMap((name, at) => (values[at] == null ? [] : [[name, values[at]] as const])));
  }

  function write(key: string, value: Uint8Array): Promise<void> {
    return store.writeRecord(keyOf(name, key), value);
  }

  function writeList(parts: readonly string[]): Promise<void> {
    return store.writeRecord(LIST_KEY, new TextEncoder().encode(JSON.stringify(parts)));
  }

  async function readList(): Promise<readonly string[] | null> {
    const bytes = store.capabilities.shared ? await store.readRecord(LIST_KEY) : null;
    if (bytes === null) return null;
    const what = 'the list of processes';
    const parts = readJson(what, bytes);
    if (!Array.isArray(parts) || parts.length > MAX_PARTS || !parts.every(isText)) throw unreadable(what);
    return parts;
  }

  const state = { name: () => name, isListed: () => isListed };
  return { lock, join, addToList, merge, isShared, list, read, readAll, write, ...state };
}

function keyOf(part: string, key: string): string {
  return part === MAIN_PART ? key : `part/${part}/${key}`;
}
