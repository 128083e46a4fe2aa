// Entries and commits as the words of the script, and entries back from it.

import type { Entry, HostCommit, NewEntry } from '../../store.js';
import { LaneNames } from '../server/lane-names.js';
import type { Word } from './scripts.js';

/** Characters of a lane's name in the store: 36 bits of a hash, which only lanes of one host must not share. */
const LANE_CHARS = 6;
/** Bytes of an entry in front of its lane. */
const ENTRY_HEAD = 13;

/** Lanes by six characters, none for the host's own. */
export function laneNames(): LaneNames<string> {
  return new LaneNames('', (sha256) => sha256.toString('base64url').slice(0, LANE_CHARS));
}

/** Appends entries: their hosts, once each, and three words per entry. */
export function putEntries(words: Word[], entries: readonly NewEntry[], lanes: LaneNames<string>): void {
  const hosts = new Map<string, number>();
  const rest: Word[] = [];
  for (const { host, lane, fingerprint, priority, body, notBeforeMs = 0, dedupe = true } of entries) {
    let number = hosts.get(host);
    if (number === undefined) {
      number = hosts.size + 1;
      hosts.set(host, number);
    }
    const bytes = Buffer.from(fingerprint.buffer, fingerprint.byteOffset, fingerprint.byteLength);
    const waitUs = notBeforeMs > 0 ? microseconds(notBeforeMs) : '';
    const about = `${priority}${dedupe ? 1 : 0}${number},${lanes.of(lane)},${waitUs}`;
    rest.push(bytes.readBigInt64BE().toString(), about, bufferOf(body));
  }
  words.push(hosts.size, ...hosts.keys(), entries.length);
  for (const word of rest) words.push(word);
}

/** Appends one host's part of a commit. */
export function putCommit(words: Word[], part: HostCommit, lanes: LaneNames<string>): void {
  const { host, fencingToken, done = [], requeue = [], state, delayMs, blockLanes = [], then } = part;
  words.push(host, fencingToken, done.length, ...done, requeue.length);
  for (const { id, priority, body, notBeforeMs = 0 } of requeue) {
    words.push(id, priority ?? '', microseconds(notBeforeMs), body === undefined ? 0 : 1, bufferOf(body));
  }
  words.push(state === undefined ? 0 : 1, bufferOf(state), delayMs === undefined ? '' : microseconds(delayMs));
  words.push(blockLanes.length);
  for (const { lane, ms } of blockLanes) words.push(lanes.of(lane), microseconds(ms));
  if ('keep' in then) words.push('k', microseconds(then.keep.ttlMs), then.keep.want);
  else if (then.release.dueInMs === null) words.push('p', 0, 0);
  else words.push('r', microseconds(then.release.dueInMs), 0);
}

/** An entry as the store holds it. The body is a copy: the answer's bytes are a piece of something larger. */
export function readEntry(bytes: Buffer): Entry {
  const laneLength = bytes[ENTRY_HEAD - 1] ?? 0;
  return {
    id: String(bytes.readUIntBE(5, 5)),
    attempt: bytes[10] ?? 0,
    priority: bytes[11] ?? 0,
    body: new Uint8Array(bytes.subarray(ENTRY_HEAD + laneLength)),
  };
}

/** A duration in the store's unit, as digits; part of one counts as one. */
export function microseconds(ms: number): string {
  return String(Math.max(0, Math.ceil(ms * 1_000)));
}

function bufferOf(bytes: Uint8Array | undefined): Buffer {
  return bytes === undefined ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
