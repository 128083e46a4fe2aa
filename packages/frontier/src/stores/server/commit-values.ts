// The hosts of a commit as the functions of servers take them, and what other values have in common.

import { createHash } from 'node:crypto';
import type { EntryId, HostCommit, Requeue } from '../../store.js';

/** A duration in the unit of servers, rounded up. */
export function microseconds(ms: number): number {
  return Math.max(0, Math.ceil(ms * 1_000));
}

const MAX_CACHED_LANE_NAMES = 10_000;

export type LaneName<Name> = (lane: string | undefined) => Name;

/** Lane names by hash, remembered. `none`: the name of the host's own lane, which `nameOf` never returns. */
export function createLaneNames<Name>(none: Name, nameOf: (sha256: Buffer) => Name): LaneName<Name> {
  const names = new Map<string, Name>();
  return (lane) => {
    if (lane === undefined) return none;
    let name = names.get(lane);
    if (name === undefined) {
      name = nameOf(createHash('sha256').update(lane).digest());
      if (names.size >= MAX_CACHED_LANE_NAMES) names.clear();
      names.set(lane, name);
    }
    return name;
  };
}

/** Ids and fencing tokens. -1 stands for an invalid one. */
const WHOLE = /^\d{1,18}$/;

/**
 * The hosts of a commit, for JSON. Ids and tokens are digits, durations are microseconds, and empty lists are left out.
 * `kind`: 0 keep, 1 release, 2 park.
 *
 * @param nameBytes - What stands for a body or a state in the list.
 */
export function hostParts<Name, Bytes>(
  hosts: readonly HostCommit[],
  laneOf: LaneName<Name>,
  nameBytes: (bytes: Uint8Array) => Bytes,
) {
  const requeued = ({ id, priority, body, notBeforeMs = 0 }: Requeue) => {
    return { id: integerOf(id), priority, us: microseconds(notBeforeMs), body: body && nameBytes(body) };
  };
  return hosts.map(({ host, fencingToken, done = [], requeue = [], state, delayMs, blockLanes = [], then }) => ({
    key: host,
    token: integerOf(fencingToken),
    kind: 'keep' in then ? 0 : then.release.dueInMs === null ? 2 : 1,
    us: microseconds('keep' in then ? then.keep.ttlMs : (then.release.dueInMs ?? 0)),
    want: 'keep' in then ? then.keep.want : 0,
    delay: delayMs === undefined ? null : microseconds(delayMs),
    state: state && nameBytes(state),
    done: mapUnlessEmpty(done, integerOf),
    requeue: mapUnlessEmpty(requeue, requeued),
    blocks: mapUnlessEmpty(blockLanes, ({ lane, ms }) => ({ lane: laneOf(lane), us: microseconds(ms) })),
  }));
}

function integerOf(digits: EntryId): string {
  return WHOLE.test(digits) ? digits : '-1';
}

function mapUnlessEmpty<T>(items: readonly T[], make: (item: T) => unknown): unknown[] | undefined {
  return items.length === 0 ? undefined : items.map(make);
}

/** The same bytes, not a copy. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
