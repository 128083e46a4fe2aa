// Lanes and lines of host queues in the file: which lines are open, which are put aside, which lanes are held until when.
// Most hosts have one lane and one line: the host's record has both, and they have no rows until there is a second line or
// a hold.

import { createHash } from 'node:crypto';
import { type Environment, firstKeyOf, rowsOf } from './environment.js';
import { type HostKeys, ROWS } from './host-keys.js';
import { type HostState, knownRows, type LineHead, type OpenLine } from './host-state.js';

/** Ranks of a lane: 0 for entries given back, then one per priority. */
const RANKS = 9;
const NO_VALUE = Buffer.alloc(0);
/** Lane names up to this many bytes are their own key. */
const LONGEST_NAME = 1_024;
/** Names of first lanes up to this many characters stand in the host's record. */
const FIRST_LANE_LONGEST = 255;
/** Holds that end in one verb; the rest end in the next. */
const ENDED_AT_ONCE = 256;

/** Of all hosts. Changes the host's counts; marking it dirty is the caller's. */
export class HostLanes {
  readonly #lines: Environment['lines'];
  readonly #keys: HostKeys;
  readonly #head = Buffer.alloc(6);

  constructor(tables: Environment, keys: HostKeys) {
    this.#lines = tables.lines;
    this.#keys = keys;
  }

  /** The number of a lane, given when it is first named. */
  number(host: HostState, name: string | null): number {
    if (name === null) return 0;
    if (name === host.firstLane) return 1;
    if (host.nextLane === 1 && name.length <= FIRST_LANE_LONGEST) {
      host.firstLane = name;
      return host.nextLane++;
    }
    const known = knownRows(host).lanes.get(name);
    if (known !== undefined) return known;
    const key = this.#keys.laneName(host.number, nameKey(name));
    const kept = host.nextLane === 1 ? undefined : this.#lines.getBinary(key);
    const number = kept?.readUInt32BE(0) ?? host.nextLane++;
    if (kept === undefined) {
      const value = Buffer.allocUnsafe(4);
      value.writeUInt32BE(number);
      this.#lines.putSync(key, value);
    }
    knownRows(host).lanes.set(name, number);
    return number;
  }

  /** To be called when a line got an entry: a line that was empty takes its place among the open ones. */
  openIfClosed(host: HostState, lane: number, rank: number, order: number): void {
    if (this.#headOf(host, lane, rank) !== null) return;
    host.lineCount += 1;
    if (host.lineCount === 1 && host.holdCount === 0) {
      host.onlyLine = { lane, rank, order };
      return;
    }
    this.#spellOut(host);
    this.#setHead(host, lane, rank, { order, isAside: false });
    this.#lines.putSync(this.#keys.openLine(host.number, lane, rank, order), NO_VALUE);
  }

  /** The only line of a host that has one, where that is known without looking; most hosts are like this. */
  onlyLine(host: HostState): OpenLine | null {
    if (host.onlyLine !== null) return host.onlyLine;
    if (host.lineCount !== 1 || host.known === null) return null;
    for (const [number, head] of host.known.lines) {
      if (head === null || head.isAside) continue;
      return { lane: Math.floor(number / RANKS), rank: number % RANKS, order: head.order };
    }
    return null;
  }

  /** An open line has become empty. */
  close(host: HostState, lane: number, rank: number, order: number): void {
    host.lineCount -= 1;
    if (host.onlyLine !== null) {
      host.onlyLine = null;
      return;
    }
    this.#lines.removeSync(this.#keys.openLine(host.number, lane, rank, order));
    this.#lines.removeSync(this.#keys.lineHead(host.number, lane, rank));
    knownRows(host).lines.set(lineNumber(lane, rank), null);
  }

  /** An open line gets another place. */
  move(host: HostState, lane: number, rank: number, from: number, to: number): void {
    if (from === to) return;
    this.#spellOut(host);
    this.#lines.removeSync(this.#keys.openLine(host.number, lane, rank, from));
    this.#lines.putSync(this.#keys.openLine(host.number, lane, rank, to), NO_VALUE);
    this.#setHead(host, lane, rank, { order: to, isAside: false });
  }

  /** A line of a held lane has come up. */
  putAside(host: HostState, lane: number, rank: number, order: number): void {
    this.#spellOut(host);
    this.#lines.removeSync(this.#keys.openLine(host.number, lane, rank, order));
    this.#setHead(host, lane, rank, { order, isAside: true });
  }

  /** The end of a lane's hold; 0 when it is not held. */
  heldUntil(host: HostState, lane: number): number {
    if (host.holdCount === 0 || lane === 0) return 0;
    const known = knownRows(host).holds.get(lane);
    if (known !== undefined) return known;
    const until = this.#lines.getBinary(this.#keys.hold(host.number, lane))?.readDoubleBE(0) ?? 0;
    knownRows(host).holds.set(lane, until);
    return until;
  }

  /** Holds a lane up to a time; one that has passed opens it. */
  hold(host: HostState, name: string, until: number, now: number): void {
    const lane = this.number(host, name);
    this.#spellOut(host);
    const before = this.heldUntil(host, lane);
    if (before > 0) this.#endHold(host, lane, before);
    if (until > now) {
      const value = Buffer.allocUnsafe(8);
      value.writeDoubleBE(until);
      this.#lines.putSync(this.#keys.hold(host.number, lane), value);
      this.#lines.putSync(this.#keys.holdEnd(host.number, until, lane), NO_VALUE);
      knownRows(host).holds.set(lane, until);
      host.holdCount += 1;
    } else if (before > 0) this.#reopen(host, lane);
    this.#findNextEnd(host);
  }

  /** Lines of lanes whose hold has ended return. */
  endHolds(host: HostState, now: number): void {
    if (host.opensAt > now) return;
    const from = this.#keys.from(host.number, ROWS.holdEnds);
    const ended = rowsOf(this.#lines, from, this.#keys.to(host.number, ROWS.holdEnds, now), ENDED_AT_ONCE);
    for (const { key } of ended) {
      const lane = key.readUInt32BE(13);
      this.#endHold(host, lane, key.readDoubleBE(5));
      this.#reopen(host, lane);
    }
    this.#findNextEnd(host);
  }

  #endHold(host: HostState, lane: number, until: number): void {
    this.#lines.removeSync(this.#keys.holdEnd(host.number, until, lane));
    this.#lines.removeSync(this.#keys.hold(host.number, lane));
    knownRows(host).holds.delete(lane);
    host.holdCount -= 1;
  }

  #reopen(host: HostState, lane: number): void {
    for (let rank = 0; rank < RANKS; rank += 1) {
      const head = this.#headOf(host, lane, rank);
      if (head === null || !head.isAside) continue;
      this.#lines.putSync(this.#keys.openLine(host.number, lane, rank, head.order), NO_VALUE);
      this.#setHead(host, lane, rank, { order: head.order, isAside: false });
    }
  }

  #findNextEnd(host: HostState): void {
    const from = this.#keys.from(host.number, ROWS.holdEnds);
    const first =
      host.holdCount === 0 ? undefined : firstKeyOf(this.#lines, from, this.#keys.to(host.number, ROWS.holdEnds));
    host.opensAt = first === undefined ? Number.POSITIVE_INFINITY : first.readDoubleBE(5);
  }

  /** The only line gets its rows. */
  #spellOut(host: HostState): void {
    const only = host.onlyLine;
    if (only === null) return;
    host.onlyLine = null;
    this.#setHead(host, only.lane, only.rank, { order: only.order, isAside: false });
    this.#lines.putSync(this.#keys.openLine(host.number, only.lane, only.rank, only.order), NO_VALUE);
  }

  #headOf(host: HostState, lane: number, rank: number): LineHead | null {
    if (host.lineCount === 0) return null;
    const only = host.onlyLine;
    if (only !== null) return only.lane === lane && only.rank === rank ? { order: only.order, isAside: false } : null;
    const known = knownRows(host).lines.get(lineNumber(lane, rank));
    if (known !== undefined) return known;
    const kept = this.#lines.getBinary(this.#keys.lineHead(host.number, lane, rank));
    const head = kept === undefined ? null : { order: kept.readUIntBE(1, 5), isAside: kept[0] === 1 };
    knownRows(host).lines.set(lineNumber(lane, rank), head);
    return head;
  }

  #setHead(host: HostState, lane: number, rank: number, head: LineHead): void {
    this.#head[0] = head.isAside ? 1 : 0;
    this.#head.writeUIntBE(head.order, 1, 5);
    this.#lines.putSync(this.#keys.lineHead(host.number, lane, rank), this.#head);
    knownRows(host).lines.set(lineNumber(lane, rank), head);
  }
}

function lineNumber(lane: number, rank: number): number {
  return lane * RANKS + rank;
}

function nameKey(name: string): Buffer {
  const bytes = Buffer.from(name);
  if (bytes.length <= LONGEST_NAME) return Buffer.concat([Buffer.of(1), bytes]);
  return Buffer.concat([Buffer.of(2), createHash('sha256').update(bytes).digest()]);
}
