// A whole store as JSON lines, for the file store: one line of head, then hosts with their entries, fingerprints,
// records, and an end line that counts them, so that a file cut short is never taken for a whole one.

import { FrontierError } from '../errors.js';
import type { HostKey, StoreCapabilities } from '../store.js';
import { HostEntries, type SavedEntries } from './host-entries.js';
import { HostQueueState } from './host-queue-state.js';
import { MemoryQueues } from './memory-queues.js';

const FORMAT = 'mannerly-frontier';
const VERSION = 1;
const FINGERPRINTS_PER_LINE = 1_024;

/** What a file holds. */
export interface StoreImage {
  readonly crawl: string;
  readonly queues: MemoryQueues;
  readonly records: Map<string, Uint8Array>;
}

interface HostLine {
  readonly host: HostKey;
  readonly nextAt: number;
  readonly delayMs: number;
  readonly fencingToken: number;
  readonly leaseEndsAt: number | null;
  readonly isParked: boolean;
  readonly state: string | null;
  readonly nextId: number;
  readonly holds: SavedEntries['holds'];
  readonly entries: readonly (Omit<SavedEntries['entries'][number], 'body'> & { readonly body: string })[];
}

type Line =
  | { readonly format: string; readonly version: number; readonly crawl: string }
  | HostLine
  | { readonly known: string }
  | { readonly record: string; readonly value: string }
  | { readonly end: number };

/** The image as text. Instants in it are the store's clock, which is the wall's. Never throws. */
export function formatImage({ crawl, queues, records }: StoreImage, now: number): string {
  const lines: Line[] = [{ format: FORMAT, version: VERSION, crawl }];
  for (const host of queues.views()) {
    const { nextId, entries, holds } = host.entries.save(now);
    const { key, nextAt, delayMs, fencingToken, leaseEndsAt, isParked } = host;
    const written = entries.map((entry) => ({ ...entry, body: toBase64(entry.body) }));
    const state = host.state === null ? null : toBase64(host.state);
    lines.push({
      host: key,
      nextAt,
      delayMs,
      fencingToken,
      leaseEndsAt,
      isParked,
      state,
      nextId,
      holds,
      entries: written,
    });
  }
  lines.push(...knownLines(queues));
  for (const [record, value] of records) lines.push({ record, value: toBase64(value) });
  lines.push({ end: lines.length });
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/**
 * Reads an image. Leases in it belong to a holder that is gone: they end now, and their hosts are due after their delay (O1).
 *
 * @throws FrontierError `store-mismatch` for another format or version, `store-failed` for a file that is not whole.
 */
export function parseImage(text: string, capabilities: StoreCapabilities, maxQueued: number, now: number): StoreImage {
  const lines = readLines(text);
  const [head] = lines;
  if (head === undefined || !('format' in head) || head.format !== FORMAT || head.version !== VERSION) {
    throw new FrontierError('store-mismatch', `the file is not a store of format ${FORMAT}, version ${VERSION}`);
  }
  const last = lines.at(-1);
  if (last === undefined || !('end' in last) || last.end !== lines.length - 1) {
    throw new FrontierError('store-failed', 'the file was cut short', {
      hint: 'Restore it from a copy or start anew.',
    });
  }
  const queues = new MemoryQueues(capabilities, maxQueued);
  const records = new Map<string, Uint8Array>();
  for (const line of lines) {
    if ('host' in line) restoreHost(queues, line, now);
    else if ('known' in line) restoreKnown(queues, line.known);
    else if ('record' in line) records.set(line.record, fromBase64(line.value));
  }
  return { crawl: head.crawl, queues, records };
}

function knownLines(queues: MemoryQueues): Line[] {
  const words = new Uint8Array(8 * queues.known.size);
  const view = new DataView(words.buffer);
  let at = 0;
  for (const [high, low] of queues.known.words()) {
    view.setUint32(at, high);
    view.setUint32(at + 4, low);
    at += 8;
  }
  const lines: Line[] = [];
  for (let from = 0; from < at; from += 8 * FINGERPRINTS_PER_LINE) {
    lines.push({ known: toBase64(words.subarray(from, from + 8 * FINGERPRINTS_PER_LINE)) });
  }
  return lines;
}

function restoreKnown(queues: MemoryQueues, text: string): void {
  const bytes = fromBase64(text);
  for (let at = 0; at + 8 <= bytes.length; at += 8) queues.known.add(bytes.subarray(at, at + 8));
}

function restoreHost(queues: MemoryQueues, line: HostLine, now: number): void {
  const kept = line.entries.map((entry) => ({ ...entry, body: fromBase64(entry.body) }));
  const entries = HostEntries.restore({ nextId: line.nextId, holds: line.holds, entries: kept }, now);
  const afterLease = line.leaseEndsAt === null ? line.nextAt : now + line.delayMs;
  const host = new HostQueueState(line.host, queues.stats().hosts, entries);
  host.nextAt = Math.max(line.nextAt, afterLease);
  host.delayMs = line.delayMs;
  host.fencingToken = line.fencingToken;
  host.isParked = line.isParked;
  host.state = line.state === null ? null : fromBase64(line.state);
  queues.restore(host, now);
}

function readLines(text: string): Line[] {
  try {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  } catch (cause) {
    throw new FrontierError('store-failed', 'the file holds a line that is no JSON', { cause });
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}
