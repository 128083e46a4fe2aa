// One host queue in memory. What the file keeps of it is in `host-record.ts`.

import type { EntryId, HostKey } from '../../store.js';

/** Where a line of entries begins. A line is what one lane holds in one rank: 0 given back, then one per priority. */
export interface LineHead {
  /** Order under which the line stands among the open lines: never later than its first entry's. */
  readonly order: number;
  /** Whether it was put aside because its lane is held. */
  readonly isAside: boolean;
}

/** A line and its place among the open ones. */
export interface OpenLine {
  readonly lane: number;
  readonly rank: number;
  readonly order: number;
}

/** An entry in hand: the row stays where it was in line until it is finished or put elsewhere. */
export interface HandEntry {
  readonly lane: number;
  readonly rank: number;
  readonly order: number;
  /** Times handed out, this one included. */
  readonly attempt: number;
}

/** A host in memory. All times are the store's clock; `Infinity` means never. */
export interface HostState {
  readonly number: number;
  readonly key: HostKey;
  fencingToken: number;
  /** The host's next allowed time. */
  nextAt: number;
  /** Added after the lease end if the holder dies. */
  delayMs: number;
  /** `null` without a lease. */
  leaseEndsAt: number | null;
  isParked: boolean;
  state: Uint8Array | null;
  /** Ids and orders of entries are drawn from one counter. */
  nextSequence: number;
  /** Lanes are numbered from 1; 0 is the host's own. */
  nextLane: number;
  /** Entries neither finished nor in hand, without those of the log of new entries. */
  queued: number;
  /** Entries in hand, in the order in which they were handed out. Changed by `addToHand` and by removing only. */
  hand: Map<EntryId, HandEntry>;
  /** Lines that hold something. */
  lineCount: number;
  /** Earliest time of an entry that waits. */
  ripensAt: number;
  /** Lanes under a hold, and the earliest end of one. */
  holdCount: number;
  opensAt: number;
  /** Where it belongs in the time index; `null`: nowhere. */
  dueAt: number | null;
  dueHolder: number;
  /** Where the file has it. */
  indexedAt: number | null;
  indexedHolder: number;
  isDirty: boolean;
  /** Whether the file has a row of it, or will when the transaction ends; else the log of new entries names it. */
  isKept: boolean;
  /** Entries at places of that log before this one stand in the host's rows. */
  foldedTo: number;
  /** Name of lane 1, where it is short: it has no row then. Most hosts have no other. */
  firstLane: string | null;
  /** The host's only line, where it is open and has no rows. */
  onlyLine: OpenLine | null;
  /** What is known of the host's rows, made when the first is read. */
  known: KnownRows | null;
}

/** What has been read of the rows of a host; filled as they are read. */
export interface KnownRows {
  readonly lanes: Map<string, number>;
  readonly lines: Map<number, LineHead | null>;
  readonly holds: Map<number, number>;
}

/** Most hosts in memory have nothing in hand: they share this one. */
const NOTHING_IN_HAND = new Map<EntryId, HandEntry>();

/** Puts an entry into hand. */
export function addToHand(host: HostState, id: EntryId, entry: HandEntry): void {
  if (host.hand === NOTHING_IN_HAND) host.hand = new Map();
  host.hand.set(id, entry);
}

/** What is known of the rows of a host. */
export function knownRows(host: HostState): KnownRows {
  host.known ??= { lanes: new Map(), lines: new Map(), holds: new Map() };
  return host.known;
}

/** A host nobody has asked yet. */
export function newHostState(number: number, key: HostKey): HostState {
  return {
    number,
    key,
    fencingToken: 0,
    nextAt: 0,
    delayMs: 0,
    leaseEndsAt: null,
    isParked: false,
    state: null,
    nextSequence: 1,
    nextLane: 1,
    queued: 0,
    hand: NOTHING_IN_HAND,
    lineCount: 0,
    ripensAt: Number.POSITIVE_INFINITY,
    holdCount: 0,
    opensAt: Number.POSITIVE_INFINITY,
    dueAt: null,
    dueHolder: 0,
    indexedAt: null,
    indexedHolder: 0,
    isDirty: false,
    isKept: false,
    foldedTo: 0,
    firstLane: null,
    onlyLine: null,
    known: null,
  };
}
