// Answers of the scripts, which are bytes, numbers and lists, as the contract's shapes.

import type { AddOutcome, HostCommitAnswer, Lease } from '../../store.js';
import { readEntry } from './commit-words.js';

/** A lease and how long ago its host fell due. */
export function leaseOf(words: readonly unknown[], ttlMs: number): { lease: Lease; lateUs: number } {
  const [host, epoch, state, queued, lateUs, entries] = words;
  const lease: Lease = {
    host: String(host),
    fencingToken: String(epoch),
    ttlMs,
    notBeforeMs: 0,
    state: Buffer.isBuffer(state) ? new Uint8Array(state) : null,
    entries: (listOf(entries) as Buffer[]).map(readEntry),
    queued: numberOf(queued),
  };
  return { lease, lateUs: numberOf(lateUs) };
}

/** What became of one host's part. */
export function hostAnswerOf(answer: unknown): HostCommitAnswer {
  if (!Array.isArray(answer)) return { ok: false, reason: 'lost' };
  return { ok: true, entries: (answer as Buffer[]).map(readEntry) };
}

/** An byte as an outcome. */
export function outcomeOf(byte: string | undefined): AddOutcome {
  return byte === 'n' ? 'new' : byte === 'k' ? 'known' : 'full';
}

/** A list; an empty one for anything else. */
export function listOf(answer: unknown): unknown[] {
  return Array.isArray(answer) ? answer : [];
}

/** A number, or digits. */
export function numberOf(answer: unknown): number {
  return Number(answer);
}
