// Your own store in one plain file. Its first line is the state when it was opened, and each further line is a verb
// that was answered since. Verbs are functions of state, arguments and time (store-on-files-verbs.ts), so replaying the
// lines gives the same state. A killed process loses nothing that was answered; a power cut may. One process at a time.
// It keeps the contract except for X4, because it searches plain lists. docs/stores.md explains how to write one.

import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FrontierError, type FrontierStore, type NewEntry, type StoreCapabilities } from '@mannerly/frontier';
import { type Crawl, dueAt, newCrawl, VERBS, type Verb } from './store-on-files-verbs.js';

const MAX_STATE_BYTES = 1_024;
const MAX_RECORD_BYTES = 1_048_576;

/** What this store can do. */
export const FILES_CAPABILITIES: StoreCapabilities = Object.freeze({
  shared: false,
  durable: 'process',
  maxBody: 65_536,
  maxBatch: 1_000,
});

/**
 * A store in the file of that path.
 *
 * @param nowMs - Must continue across restarts, so that a delay survives the process.
 * @throws Never; `open` rejects with `store-mismatch` for a file of another crawl.
 */
export function storeOnFiles(path: string, nowMs: () => number = Date.now): FrontierStore {
  let crawl: Crawl | null = null;
  let closed: FrontierError | null = null;
  const there = () => {
    if (closed !== null) throw closed;
    if (crawl === null) throw new FrontierError('not-open', 'the store was not opened');
    return crawl;
  };
  /** A clock that was set back stands still. */
  const now = () => Math.max(nowMs(), there().latestMs);
  /** Runs a verb, and answers once it is in the file. */
  const run = (verb: Verb, ...given: readonly unknown[]) => {
    const line = { verb, given, now: now() };
    const answer = VERBS[verb](there(), line.now, ...(given as [never, never]));
    try {
      appendFileSync(path, `${toText(line)}\n`);
    } catch (cause) {
      // Memory and file now differ, so every later call fails.
      closed = new FrontierError('store-failed', `cannot write to ${path}`, { cause });
      throw closed;
    }
    return answer;
  };
  return {
    capabilities: FILES_CAPABILITIES,
    async open({ crawl: name, create }) {
      if (!create && !existsSync(path)) throw new FrontierError('store-mismatch', `there is no crawl in ${path}`);
      mkdirSync(dirname(path), { recursive: true });
      // A kill cut off bytes after the last line; they had not been answered.
      const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
      const [first, ...since] = lines.map(fromText);
      const kept = first === undefined ? newCrawl(name) : (first as Crawl);
      const [wanted, found] = [newCrawl(name), kept].map((one) => `${one.format}, crawl ${one.name}`);
      if (found !== wanted) throw new FrontierError('store-mismatch', `${path} holds ${found}, not ${wanted}`);
      for (const { verb, given, now: at } of since as Line[]) VERBS[verb](kept, at, ...given);
      writeFileSync(`${path}.new`, `${toText(kept)}\n`);
      renameSync(`${path}.new`, path);
      crawl = kept;
    },
    async add(entries) {
      there();
      checkEntries(entries);
      return run('add', entries) as ReturnType<typeof VERBS.add>;
    },
    async lease(request) {
      return run('lease', request) as ReturnType<typeof VERBS.lease>;
    },
    async wake(host) {
      run('wake', host);
    },
    async commit(hosts, links = []) {
      there();
      // Invalid calls are refused before anything changes (X3).
      checkEntries(links);
      for (const { state, requeue = [] } of hosts) {
        checkBytes('state', state, MAX_STATE_BYTES);
        for (const { body } of requeue) checkBytes('body', body, FILES_CAPABILITIES.maxBody);
      }
      return run('commit', hosts, links) as ReturnType<typeof VERBS.commit>;
    },
    async nextDueInMs() {
      const hosts = [...there().hosts.values()];
      if (hosts.every(({ entries }) => entries.length === 0)) return null;
      const earliest = Math.min(...hosts.map((host) => dueAt(host)));
      return Number.isFinite(earliest) ? Math.max(0, earliest - now()) : null;
    },
    async readRecord(key) {
      return there().records.get(key) ?? null;
    },
    async writeRecord(key, value) {
      there();
      checkBytes('record', value ?? undefined, MAX_RECORD_BYTES);
      run('writeRecord', key, value);
    },
    async stats() {
      const { hosts, known } = there();
      const all = [...hosts.values()];
      const entries = all.flatMap((host) => host.entries);
      const inFlight = entries.filter((entry) => entry.isInFlight).length;
      return { queued: entries.length - inFlight, inFlight, known: known.size, hosts: all.length };
    },
    async scan(cursor, limit, only) {
      const [hostAt, id] = cursor === null ? [0, 0] : (cursor.split(' ').map(Number) as [number, number]);
      const items: { host: string; entry: { id: string; priority: number; body: Uint8Array; attempt: number } }[] = [];
      for (const [at, { key, entries }] of [...there().hosts.values()].entries()) {
        if (at < hostAt || (only !== undefined && key !== only)) continue;
        for (const { priority, body, attempt, ...entry } of entries) {
          if (at === hostAt && entry.id <= id) continue;
          if (items.length === limit) return { items, cursor: `${at} ${entry.id - 1}` };
          items.push({ host: key, entry: { id: String(entry.id), priority, body, attempt } });
        }
      }
      return { items, cursor: null };
    },
    async close() {
      crawl = null;
      closed ??= new FrontierError('closed', 'the store is closed');
    },
  };
}

interface Line {
  readonly verb: Verb;
  readonly given: [never, never];
  readonly now: number;
}

function checkEntries(entries: readonly NewEntry[]): void {
  if (entries.length > FILES_CAPABILITIES.maxBatch)
    throw new FrontierError('record-too-large', 'too many entries at once');
  for (const { body } of entries) checkBytes('body', body, FILES_CAPABILITIES.maxBody);
}

function checkBytes(what: string, bytes: Uint8Array | undefined, most: number): void {
  if (bytes !== undefined && bytes.length > most) throw new FrontierError('record-too-large', `too long a ${what}`);
}

/** JSON that keeps maps, sets and bytes. One line. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => {
    if (one instanceof Map) return { map: [...one] };
    if (one instanceof Set) return { set: [...one] };
    return one instanceof Uint8Array ? { bytes: Buffer.from(one).toString('base64') } : one;
  });
}

function fromText(text: string): unknown {
  return JSON.parse(text, (_name, one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    if ('map' in one) return new Map(one.map as [string, unknown][]);
    if ('set' in one) return new Set(one.set as string[]);
    return 'bytes' in one ? new Uint8Array(Buffer.from(String(one.bytes), 'base64')) : one;
  });
}
