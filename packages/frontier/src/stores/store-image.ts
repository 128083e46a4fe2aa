// A whole store as JSON lines, for the file store: a header, the hosts with their entries, the fingerprints, the
// records, and a last line with the number of lines, so that a file that was cut short is never taken for a whole one.

import { FrontierError } from '../errors.js';
import type { MemoryQueues, SavedHost } from './memory-queues.js';

const FORMAT = 'mannerly-frontier';
const VERSION = 2;
const FINGERPRINTS_PER_LINE = 1_024;

type Line =
  | { readonly format: string; readonly version: number; readonly crawl: string }
  | { readonly host: SavedHost }
  | { readonly known: Uint8Array }
  | { readonly record: string; readonly value: Uint8Array }
  | { readonly end: number };

/** The store as text. Times in it are wall clock times. Never throws. */
export function formatImage(crawl: string, queues: MemoryQueues): string {
  const lines: Line[] = [{ format: FORMAT, version: VERSION, crawl }];
  for (const host of queues.savedHosts()) lines.push({ host });
  const known = Uint32Array.from([...queues.known.words()].flat());
  for (let from = 0; from < known.length; from += 2 * FINGERPRINTS_PER_LINE) {
    lines.push({ known: new Uint8Array(known.slice(from, from + 2 * FINGERPRINTS_PER_LINE).buffer) });
  }
  for (const [record, value] of queues.records) lines.push({ record, value });
  lines.push({ end: lines.length });
  return `${lines.map((line) => JSON.stringify(line, bytesToText)).join('\n')}\n`;
}

/**
 * Reads a store into queues that are empty.
 *
 * @returns The name of its crawl.
 * @throws FrontierError `store-mismatch` for another format or version, `store-failed` for a file that is not whole.
 */
export function parseImage(text: string, queues: MemoryQueues): string {
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
      const words = new Uint32Array(line.known.slice().buffer);
      for (let at = 0; at < words.length; at += 2) queues.known.addWords(words[at]!, words[at + 1]!);
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
    throw new FrontierError('store-failed', 'the file holds a line that is no JSON', { cause });
  }
}

/** `this[key]` is the value before the `toJSON` of a Buffer. */
function bytesToText(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const bytes = this[key];
  return bytes instanceof Uint8Array ? { base64: Buffer.from(bytes).toString('base64') } : value;
}

function textToBytes(_key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'base64' in value && typeof value.base64 === 'string';
  return isBytes ? new Uint8Array(Buffer.from(value.base64 as string, 'base64')) : value;
}
