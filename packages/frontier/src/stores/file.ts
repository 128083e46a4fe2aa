// A small durable store for tests and small crawls: the memory store, plus one file of JSON lines that is rewritten
// after every verb that changed something, by writing a new file and renaming it. It is easy to inspect, but each write
// costs the whole file: use another store for more than about ten thousand URLs. The file has a header, the hosts with
// their entries, the fingerprints, the records, and a last line with the number of lines, so that a truncated file is
// never taken for a whole one.

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { FrontierError } from '../errors.js';
import { invalid, knownKeys } from '../option-value.js';
import type { FrontierStore, OpenRequest, StoreCapabilities } from '../store.js';
import { checkedStore, hasCode, resolveMaxQueued, type StoreQueues, toFailure } from './checked-store.js';
import { MEMORY_CAPABILITIES, MemoryQueues, type SavedHost } from './memory.js';
import { hasProcess } from './processes/process-identity.js';

/** Options of the file store. */
export interface FileStoreOptions {
  /** The file. `….lock` is next to it while it is open, and `….new` while it is written. Its folder must exist. */
  readonly path: string;
  /** The most unfinished entries; more are answered `full`. @default 10,000,000 */
  readonly maxQueued?: number;
  /** The store's clock, epoch milliseconds; it must continue across restarts. For tests. @default Date.now */
  readonly nowMs?: () => number;
}

const FILE_CAPABILITIES: StoreCapabilities = Object.freeze({ ...MEMORY_CAPABILITIES, durable: 'process' });

/**
 * A store in one plain file. A verb that has resolved survives the process, but not a power cut (nothing is synced to
 * the disk). One process at a time. Reserved slots are not saved. Invariant X4 does not hold, because each write costs
 * the whole file.
 *
 * @returns A store that is not open yet; after its `close`, another store can open the same path.
 * @throws FrontierError `option-invalid`.
 */
export function fileStore(options: FileStoreOptions): FrontierStore {
  knownKeys('', options, ['path', 'maxQueued', 'nowMs']);
  const { path, maxQueued, nowMs: wallMs = Date.now } = options;
  if (typeof path !== 'string' || path === '') throw invalid('path', 'the name of a file', path);
  // If the wall clock is set back, this clock stands still until the wall clock has caught up.
  let latestMs = 0;
  const nowMs = () => {
    latestMs = Math.max(latestMs, wallMs());
    return latestMs;
  };
  const most = resolveMaxQueued(maxQueued);
  const open = (request: OpenRequest) => openQueues(path, request, new MemoryQueues(most, nowMs));
  return checkedStore({ capabilities: FILE_CAPABILITIES, open });
}

/**
 * Queues in memory, read from the file. The file is written after each change and locked until the queues are closed.
 */
async function openQueues(path: string, { crawl, create }: OpenRequest, queues: MemoryQueues): Promise<StoreQueues> {
  let failure: FrontierError | null = null;
  let writing: Promise<void> = Promise.resolve();
  let nextWrite: Promise<void> | null = null;
  const write = async () => {
    try {
      await writeFile(`${path}.new`, formatImage(crawl, queues));
      await rename(`${path}.new`, path);
    } catch (cause) {
      failure = toFailure(`cannot write ${path}`, cause);
      throw failure;
    }
  };
  /** All calls during a write share the next write. */
  const save = () => {
    nextWrite ??= writing.then(() => {
      nextWrite = null;
      writing = write();
      return writing;
    });
    return nextWrite;
  };
  const unlock = await lockFile(path);
  try {
    await readInto(queues, path, crawl, create);
    await save();
  } catch (error) {
    await unlock();
    throw error;
  }
  return Object.assign(queues, {
    save,
    check() {
      if (failure !== null) throw failure;
    },
    // Waits for the last write. If it failed, its verb has reported that, and `close` reports it again.
    close: () => (nextWrite ?? writing).finally(unlock),
  });
}

async function readInto(queues: MemoryQueues, path: string, crawl: string, create: boolean): Promise<void> {
  const text = await readIfThere(path);
  if (text === null && create) return;
  const kept = text === null ? null : parseImage(text, queues);
  if (kept === crawl) return;
  const other = kept === null ? 'no crawl' : `the crawl ${JSON.stringify(kept)}, not`;
  throw new FrontierError('store-mismatch', `${path} holds ${other} ${JSON.stringify(crawl)}`);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return null;
    throw toFailure(`cannot read ${path}`, cause);
  }
}

/**
 * Allows one process per file: a lock file next to it names the process that has it open. The lock of a process that is
 * gone is taken over. A lock with the number of a living process is respected, even though that may be another process
 * by now: a wrong refusal costs a moment, a wrong grant makes early requests possible.
 *
 * @returns Releases the lock.
 * @throws FrontierError `store-failed` while a living process, or this one, has the lock.
 */
async function lockFile(path: string): Promise<() => Promise<void>> {
  const lockPath = `${path}.lock`;
  const mine = `${process.pid} ${Math.round(performance.timeOrigin)}`;
  const release = () => rm(lockPath, { force: true });
  if (await tryCreate(lockPath, mine)) return release;
  const theirs = await readFile(lockPath, 'utf8');
  const pid = Number(theirs.split(' ')[0]);
  const isTaken = pid === process.pid ? theirs === mine : Number.isSafeInteger(pid) && pid > 0 && hasProcess(pid);
  if (isTaken) {
    throw new FrontierError('store-failed', `${path} is open in process ${pid}`, {
      hint: `If no crawl is running in process ${pid}, remove ${lockPath}.`,
    });
  }
  await release();
  if (await tryCreate(lockPath, mine)) return release;
  throw new FrontierError('store-failed', `${path} was opened by another process at the same moment`);
}

async function tryCreate(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw toFailure(`cannot write ${path}`, error);
  }
}

const FORMAT = 'mannerly-frontier';
const VERSION = 3;

type Line =
  | { readonly format: string; readonly version: number; readonly crawl: string }
  | { readonly host: SavedHost }
  | { readonly known: Uint8Array }
  | { readonly record: string; readonly value: Uint8Array }
  | { readonly end: number };

/** The store as text. Its times are wall clock times. Never throws. */
function formatImage(crawl: string, queues: MemoryQueues): string {
  const lines: Line[] = [{ format: FORMAT, version: VERSION, crawl }];
  for (const host of queues.savedHosts()) lines.push({ host });
  for (let part = 0; part < 256; part += 1) {
    const known = Buffer.concat(queues.fingerprints.part(part));
    if (known.length > 0) lines.push({ known });
  }
  for (const [record, value] of queues.records) lines.push({ record, value });
  lines.push({ end: lines.length });
  return `${lines.map((line) => JSON.stringify(line, bytesToText)).join('\n')}\n`;
}

/**
 * Reads a store into empty queues.
 *
 * @returns The name of its crawl.
 * @throws FrontierError `store-mismatch` for another format or version, `store-failed` for an incomplete file.
 */
function parseImage(text: string, queues: MemoryQueues): string {
  const lines = readLines(text);
  const [head] = lines;
  if (head === undefined || !('format' in head) || head.format !== FORMAT || head.version !== VERSION) {
    throw new FrontierError('store-mismatch', `the file is not a store of format ${FORMAT}, version ${VERSION}`);
  }
  const last = lines.at(-1);
  if (last === undefined || !('end' in last) || last.end !== lines.length - 1) {
    throw new FrontierError('store-failed', 'the file was cut short', {
      hint: 'Restore it from a copy or start a new crawl.',
    });
  }
  for (const line of lines) {
    if ('host' in line) queues.restoreHost(line.host);
    else if ('record' in line) queues.records.set(line.record, line.value);
    else if ('known' in line) {
      for (let at = 0; at < line.known.length; at += 8) queues.fingerprints.add(line.known.subarray(at, at + 8));
    }
  }
  return head.crawl;
}

function readLines(text: string): Line[] {
  try {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line, textToBytes) as Line);
  } catch (cause) {
    throw new FrontierError('store-failed', 'the file holds a line that is not JSON', { cause });
  }
}

/** `this[key]` is the value before a Buffer's `toJSON`. */
function bytesToText(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const bytes = this[key];
  return bytes instanceof Uint8Array ? { base64: Buffer.from(bytes).toString('base64') } : value;
}

function textToBytes(_key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'base64' in value && typeof value.base64 === 'string';
  return isBytes ? new Uint8Array(Buffer.from(value.base64 as string, 'base64')) : value;
}
