// Entries and commits as arguments of the scripts, and the scripts' answers as the shapes of the contract.

import type { AddOutcome, Entry, HostCommit, HostCommitAnswer, Lease, NewEntry } from '../../store.js';
import { createLaneNames, type LaneName } from '../server/server-store.js';
import type { ScriptValue } from './connection.js';

/** Characters of a lane's name in the store: 36 bits of a hash, which only lanes of one host must not share. */
const LANE_CHARS = 6;
/** Bytes of an entry in front of its lane. */
const ENTRY_HEAD = 13;

/** Lanes by six characters, none for the host's own. */
export function laneNames(): LaneName<string> {
  return createLaneNames('', (sha256) => sha256.toString('base64url').slice(0, LANE_CHARS));
}

/** Appends entries: their hosts, once each, and three values per entry. */
export function putEntries(values: ScriptValue[], entries: readonly NewEntry[], laneOf: LaneName<string>): void {
  const hosts = new Map<string, number>();
  const rest: ScriptValue[] = [];
  for (const { host, lane, fingerprint, priority, body, notBeforeMs = 0, dedupe = true } of entries) {
    let number = hosts.get(host);
    if (number === undefined) {
      number = hosts.size + 1;
      hosts.set(host, number);
    }
    const waitUs = notBeforeMs > 0 ? microseconds(notBeforeMs) : '';
    const about = `${priority}${dedupe ? 1 : 0}${number},${laneOf(lane)},${waitUs}`;
    rest.push(fingerprintText(fingerprint), about, bufferOf(body));
  }
  values.push(hosts.size, ...hosts.keys(), entries.length);
  for (const value of rest) values.push(value);
}

/** As decimal digits: what a small set keeps in eight bytes. */
export function fingerprintText(fingerprint: Uint8Array): string {
  return bufferOf(fingerprint).readBigInt64BE().toString();
}

export function readFingerprint(text: unknown): Uint8Array {
  const fingerprint = new Uint8Array(8);
  new DataView(fingerprint.buffer).setBigInt64(0, BigInt(String(text)));
  return fingerprint;
}

export function putCommit(values: ScriptValue[], part: HostCommit, laneOf: LaneName<string>): void {
  const { host, fencingToken, done = [], requeue = [], state, delayMs, blockLanes = [], then } = part;
  values.push(host, fencingToken, done.length, ...done, requeue.length);
  for (const { id, priority, body, notBeforeMs = 0 } of requeue) {
    values.push(id, priority ?? '', microseconds(notBeforeMs), body === undefined ? 0 : 1, bufferOf(body));
  }
  values.push(state === undefined ? 0 : 1, bufferOf(state), delayMs === undefined ? '' : microseconds(delayMs));
  values.push(blockLanes.length);
  for (const { lane, ms } of blockLanes) values.push(laneOf(lane), microseconds(ms));
  if ('keep' in then) values.push('k', microseconds(then.keep.ttlMs), then.keep.want);
  else if (then.release.dueInMs === null) values.push('p', 0, 0);
  else values.push('r', microseconds(then.release.dueInMs), 0);
}

/** An entry from the store. The body is a copy: the answer's bytes are part of something larger. */
export function readEntry(bytes: Buffer): Entry {
  const laneLength = bytes[ENTRY_HEAD - 1] ?? 0;
  return {
    id: String(bytes.readUIntBE(5, 5)),
    attempt: bytes[10] ?? 0,
    priority: bytes[11] ?? 0,
    body: new Uint8Array(bytes.subarray(ENTRY_HEAD + laneLength)),
  };
}

export function readLease(answer: readonly unknown[], ttlMs: number): Lease {
  const [host, fencingToken, state, queued, entries] = answer;
  return {
    host: String(host),
    fencingToken: String(fencingToken),
    ttlMs,
    notBeforeMs: 0,
    state: Buffer.isBuffer(state) ? new Uint8Array(state) : null,
    entries: (listOf(entries) as Buffer[]).map(readEntry),
    queued: Number(queued),
  };
}

export function readHostAnswer(answer: unknown): HostCommitAnswer {
  if (!Array.isArray(answer)) return { ok: false, reason: 'lost' };
  return { ok: true, entries: (answer as Buffer[]).map(readEntry) };
}

/** Of a letter each. */
export function readOutcomes(letters: unknown): AddOutcome[] {
  return Array.from(String(letters), (letter) => (letter === 'n' ? 'new' : letter === 'k' ? 'known' : 'full'));
}

export function listOf(answer: unknown): unknown[] {
  return Array.isArray(answer) ? answer : [];
}

/** A duration in the store's unit, as digits, rounded up. */
export function microseconds(ms: number): string {
  return String(Math.max(0, Math.ceil(ms * 1_000)));
}

function bufferOf(bytes: Uint8Array = new Uint8Array(0)): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
