// Converts commits to arguments of their script, and the scripts' answers to the types of the contract.

import type { AddOutcome, Entry, HostCommit, HostCommitAnswer, Lease, NewEntry } from '../../store.js';
import { createLaneNames, type LaneName, microseconds } from '../server/server-store.js';
import type { ScriptValue } from './connection.js';

/** Characters of a lane's name in the store: 36 bits of a hash. Only lanes of one host must differ. */
const LANE_CHARS = 6;
/** Bytes of an entry before its lane. */
const ENTRY_HEAD = 13;

/** Lanes by six characters; empty: the host's own lane. */
export function laneNames(): LaneName<string> {
  return createLaneNames('', (sha256) => sha256.toString('base64url').slice(0, LANE_CHARS));
}

/**
 * A commit as arguments of its script: a list in JSON, and the bytes that the list names by their place among the
 * arguments. Absent values are `false`, because a list in Lua ends at the first nil.
 */
export function commitValues(
  operation: number,
  maxQueued: number,
  hosts: readonly HostCommit[],
  links: readonly NewEntry[],
  laneOf: LaneName<string>,
): ScriptValue[] {
  // The first two arguments are the clock and the list.
  const bytes: Buffer[] = [];
  const argumentIndex = (value: Uint8Array | undefined) => value !== undefined && 2 + bytes.push(bufferOf(value));
  const queued = links.map(({ host, lane, fingerprint, priority, body, notBeforeMs = 0, dedupe = true }) => {
    const fields = [priority, dedupe, laneOf(lane), microseconds(notBeforeMs)];
    return [host, fingerprintText(fingerprint), ...fields, argumentIndex(body)];
  });
  const parts = hosts.map(({ host, fencingToken, done = [], requeue = [], state, delayMs, blockLanes = [], then }) => {
    const requeued = requeue.map(({ id, priority = false, body, notBeforeMs = 0 }) => {
      return [id, priority, microseconds(notBeforeMs), argumentIndex(body)];
    });
    const blocks = blockLanes.map(({ lane, ms }) => [laneOf(lane), microseconds(ms)]);
    const delayUs = delayMs !== undefined && microseconds(delayMs);
    return [host, fencingToken, done, requeued, argumentIndex(state), delayUs, blocks, ...endOf(then)];
  });
  return [JSON.stringify([operation, maxQueued, queued, parts]), ...bytes];
}

/** What becomes of the lease, microseconds, and how many entries may come. */
function endOf(then: HostCommit['then']) {
  if ('keep' in then) return ['keep', microseconds(then.keep.ttlMs), then.keep.want];
  const { dueInMs } = then.release;
  return dueInMs === null ? ['park', 0, 0] : ['release', microseconds(dueInMs), 0];
}

/** As decimal digits, which a small set stores in eight bytes. */
export function fingerprintText(fingerprint: Uint8Array): string {
  return new DataView(fingerprint.buffer, fingerprint.byteOffset).getBigInt64(0).toString();
}

export function readFingerprint(text: unknown): Uint8Array {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setBigInt64(0, BigInt(String(text)));
  return fingerprint;
}

/** An entry from the store. The body is a copy, because the answer's bytes are part of a larger buffer. */
export function readEntry(bytes: Buffer): Entry {
  const laneLength = bytes[ENTRY_HEAD - 1] ?? 0;
  return {
    id: String(bytes.readUIntBE(5, 5)),
    attempt: bytes[10] ?? 0,
    priority: bytes[11] ?? 0,
    body: new Uint8Array(bytes.subarray(ENTRY_HEAD + laneLength)),
  };
}

export function readLease(answer: readonly unknown[]): Lease {
  const [host, fencingToken, state, queued, entries] = answer;
  return {
    host: String(host),
    fencingToken: String(fencingToken),
    state: bytesOf(state),
    entries: (listOf(entries) as Buffer[]).map(readEntry),
    queued: Number(queued),
  };
}

export function readHostAnswer(answer: unknown): HostCommitAnswer {
  if (!Array.isArray(answer)) return { ok: false, reason: 'lost' };
  return { ok: true, entries: (answer as Buffer[]).map(readEntry) };
}

/** One letter per outcome. */
export function readOutcomes(letters: unknown): AddOutcome[] {
  return Array.from(String(letters), (letter) => (letter === 'n' ? 'new' : letter === 'k' ? 'known' : 'full'));
}

/** A copy of the bytes of an answer; `null`: it has none. */
export function bytesOf(answer: unknown): Uint8Array | null {
  return Buffer.isBuffer(answer) ? new Uint8Array(answer) : null;
}

export function listOf(answer: unknown): unknown[] {
  return Array.isArray(answer) ? answer : [];
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
