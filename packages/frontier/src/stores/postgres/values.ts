// Links and hosts of a commit in the form that the function `commit` takes, and entries from its answer. Lists are text
// in the server's own format. Bodies of links, which are most of a commit, are one value of bytes.

import type { AddOutcome, Entry, HostCommit, NewEntry } from '../../store.js';
import { bufferOf } from '../checked-store.js';
import { numberOf } from '../server/server-queues.js';
import { createLaneNames, type LaneName, microseconds } from '../server/server-store.js';

/** Bytes of an entry in an answer before its body: id, times handed out, priority, length of the body. */
const ENTRY_HEAD = 16;
/** Ids and fencing tokens. -1 stands for an invalid one. */
const WHOLE = /^\d{1,18}$/;

/** Lanes by 32 bits of a hash; 0: the host's own lane. */
export function laneNames(): LaneName<number> {
  return createLaneNames(0, (sha256) => sha256.readInt32BE() || 1);
}

interface Link {
  readonly fingerprint: bigint;
  readonly index: number;
  readonly entry: NewEntry;
}

/**
 * At most 2,048 links as arguments, sorted by fingerprint, each once: transactions that add the same links wait in one
 * order.
 *
 * @returns `outcomes`: the outcomes of the links, computed from the new fingerprints and the places that did not fit.
 */
export function linkValues(links: readonly NewEntry[], laneOf: LaneName<number>) {
  const { sent, repeats } = sortLinks(links);
  const pairs = pairsOf(links, laneOf);
  const bodies = sent.map(({ entry }) => entry.body);
  let bodiesEnd = 0;
  const ends = bodies.map(({ length }) => (bodiesEnd += length));
  const isPlain = sent.every(({ entry }) => entry.dedupe !== false);
  const waits = sent.some(({ entry }) => (entry.notBeforeMs ?? 0) > 0);
  const values: unknown[] = [
    textsOf(pairs.all.map(({ key }) => key)),
    listOf(pairs.all.map(({ lane }) => lane)),
    listOf(sent.map(({ fingerprint }) => fingerprint)),
    listOf(sent.map(({ index }) => pairs.numbers[index] ?? 0)),
    listOf(sent.map(({ index }) => index)),
    listOf(sent.map(({ entry }) => entry.priority)),
    // Where each body begins, counted from 1.
    listOf(bodies.map(({ length }, at) => ends[at]! - length + 1)),
    listOf(bodies.map(({ length }) => length)),
    isPlain ? null : listOf(sent.map(({ entry }) => entry.dedupe === false)),
    waits ? listOf(sent.map(({ entry }) => microseconds(entry.notBeforeMs ?? 0))) : null,
    Buffer.concat(bodies),
  ];
  const outcomes = (fresh: readonly bigint[], full: readonly bigint[]) => {
    const freshSet = new Set(fresh);
    const fullSet = new Set(full.map(Number));
    const answer: AddOutcome[] = [];
    for (const { fingerprint, index, entry } of sent) {
      answer[index] = fullSet.has(index)
        ? 'full'
        : freshSet.has(fingerprint) || entry.dedupe === false
          ? 'new'
          : 'known';
    }
    for (const [index, first] of repeats) answer[index] = answer[first] === 'full' ? 'full' : 'known';
    return answer;
  };
  return { values, outcomes };
}

/** Links to send, and those whose fingerprint is already in the batch, with its index there. */
function sortLinks(links: readonly NewEntry[]): { sent: Link[]; repeats: [number, number][] } {
  const first = new Map<bigint, number>();
  const sent: Link[] = [];
  const repeats: [number, number][] = [];
  for (const [index, entry] of links.entries()) {
    const fingerprint = numberOf(entry.fingerprint);
    const before = first.get(fingerprint);
    if (before !== undefined && entry.dedupe !== false) {
      repeats.push([index, before]);
      continue;
    }
    if (before === undefined) first.set(fingerprint, index);
    sent.push({ fingerprint, index, entry });
  }
  sent.sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : a.fingerprint > b.fingerprint ? 1 : a.index - b.index));
  return { sent, repeats };
}

/** Hosts and lanes, each pair once, sorted by host, so that rows are locked in one order. Numbers count from 1. */
function pairsOf(links: readonly NewEntry[], laneOf: LaneName<number>) {
  const pairs = new Map<string, { readonly key: string; readonly lane: number; number: number }>();
  const pairOf = links.map(({ host, lane }) => {
    const name = laneOf(lane);
    const id = `${name} ${host}`;
    const pair = pairs.get(id) ?? { key: host, lane: name, number: 0 };
    pairs.set(id, pair);
    return pair;
  });
  const all = [...pairs.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const [at, pair] of all.entries()) pair.number = at + 1;
  return { all, numbers: pairOf.map(({ number }) => number) };
}

/**
 * The hosts of a commit: the longest lease, and a list in JSON. Whole numbers are digits, bytes are hexadecimal digits,
 * and empty lists are left out.
 */
export function hostValues(parts: readonly HostCommit[], laneOf: LaneName<number>): unknown[] {
  const list = parts.map(({ host, fencingToken, done = [], requeue = [], state, delayMs, blockLanes = [], then }) => ({
    key: host,
    token: integerOf(fencingToken),
    kind: 'keep' in then ? 0 : then.release.dueInMs === null ? 2 : 1,
    us: microseconds('keep' in then ? then.keep.ttlMs : (then.release.dueInMs ?? 0)),
    want: 'keep' in then ? then.keep.want : 0,
    delay: delayMs === undefined ? null : microseconds(delayMs),
    state: hexOf(state),
    done: mapUnlessEmpty(done, integerOf),
    requeue: mapUnlessEmpty(requeue, ({ id, priority, body, notBeforeMs = 0 }) => {
      return { id: integerOf(id), priority, us: microseconds(notBeforeMs), body: hexOf(body) };
    }),
    blocks: mapUnlessEmpty(blockLanes, ({ lane, ms }) => ({ lane: laneOf(lane), us: microseconds(ms) })),
  }));
  return [Math.max(0, ...list.map(({ kind, us }) => (kind === 0 ? us : 0))), JSON.stringify(list)];
}

/** The entries of an answer, given in hexadecimal digits. */
export function readEntries(hex: unknown): Entry[] {
  const bytes = Buffer.from(typeof hex === 'string' ? hex : '', 'hex');
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + ENTRY_HEAD + bytes.readInt32BE(at + 12);
    entries.push({
      id: bytes.readBigInt64BE(at).toString(),
      attempt: bytes.readInt16BE(at + 8),
      priority: bytes.readInt16BE(at + 10),
      // A copy, because the answer's bytes are part of a larger buffer.
      body: new Uint8Array(bytes.subarray(at + ENTRY_HEAD, end)),
    });
    at = end;
  }
  return entries;
}

function mapUnlessEmpty<T>(items: readonly T[], make: (item: T) => unknown): unknown[] | undefined {
  return items.length === 0 ? undefined : items.map(make);
}

function integerOf(digits: string): string {
  return WHOLE.test(digits) ? digits : '-1';
}

function hexOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && bufferOf(bytes).toString('hex');
}

/** A list as text, `{1,NULL}`. */
export function listOf(values: readonly (number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`;
}

export function textsOf(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join()}}`;
}

/** The numbers of a list in text form, `{1,2}`. */
export function readNumbers(text: unknown): bigint[] {
  const inside = typeof text === 'string' ? text.slice(1, -1) : '';
  return inside === '' ? [] : inside.split(',').map(BigInt);
}
