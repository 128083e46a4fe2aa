// Lines and lanes of host queues. A line is the entries of one lane in one rank: rank 0 for entries given back, then
// one rank per priority. A line that has entries is open, unless its lane is blocked: then it has no place among the
// open lines until the block ends, and costs nothing (L8).
//
// Most hosts have one lane and one line. Both are in the host's record then, and get rows of their own when there is a
// second line or a block.

import { type Environment, firstKeyOf, rowsOf } from './environment.js';
import type { Host } from './host.js';
import {
  blockEndKey,
  blockKey,
  KIND,
  kindEnd,
  kindStart,
  kindUpTo,
  laneNameKey,
  lineHeadKey,
  type OpenLine,
  openLineKey,
  readOpenLine,
  SEQUENCE_BYTES,
} from './rows.js';

const RANKS = 9;
const NO_VALUE = Buffer.alloc(0);
/** First lanes up to this many characters are in the host's record. */
const FIRST_LANE_LONGEST = 255;
/** Blocks that end in one verb. The rest end in the next. */
const ENDED_AT_ONCE = 256;

/** Of all hosts. Changes the host in memory; marking it as changed is the caller's part. */
export class HostLines {
  readonly #rows: Environment['lines'];

  constructor({ lines }: Environment) {
    this.#rows = lines;
  }

  laneNumber(host: Host, name: string | null): number {
    if (name === null) return 0;
    if (name === host.firstLane) return 1;
    if (host.nextLane === 1 && name.length <= FIRST_LANE_LONGEST) {
      host.firstLane = name;
      return host.nextLane++;
    }
    const key = laneNameKey(host.number, name);
    const kept = this.#rows.getBinary(key);
    if (kept !== undefined) return kept.readUInt32BE(0);
    const value = Buffer.allocUnsafe(4);
    value.writeUInt32BE(host.nextLane);
    this.#rows.putSync(key, value);
    return host.nextLane++;
  }

  hasOpen(host: Host): boolean {
    return host.blockCount === 0 ? host.lineCount > 0 : this.firstOpen(host, 1).length > 0;
  }

  /**
   * The first open lines, by rank and order. The order of a line is that of its first entry, or an earlier one: a line
   * without others is not moved when entries are taken, and gets its right order when it meets another.
   */
  firstOpen(host: Host, count: number): OpenLine[] {
    if (host.onlyLine !== null) return [host.onlyLine];
    const { openLine } = KIND;
    const rows = rowsOf(this.#rows, kindStart(host.number, openLine), kindEnd(host.number, openLine), count);
    return rows.map(({ key }) => readOpenLine(key));
  }

  /** To be called when a line got an entry. */
  entryAdded(host: Host, line: OpenLine): void {
    if (this.#orderOf(host, line.lane, line.rank) !== null) return;
    host.lineCount += 1;
    if (host.lineCount === 1 && host.blockCount === 0) {
      host.onlyLine = line;
      return;
    }
    this.#writeOnlyLine(host);
    this.#putHead(host, line);
    if (this.#blockedUntil(host, line.lane) === 0) this.#rows.putSync(openLineKey(host.number, line), NO_VALUE);
  }

  close(host: Host, line: OpenLine): void {
    host.lineCount -= 1;
    if (host.onlyLine !== null) {
      host.onlyLine = null;
      return;
    }
    this.#rows.removeSync(openLineKey(host.number, line));
    this.#rows.removeSync(lineHeadKey(host.number, line.lane, line.rank));
  }

  move(host: Host, line: OpenLine, order: number): void {
    if (line.order === order) return;
    const moved = { ...line, order };
    this.#rows.removeSync(openLineKey(host.number, line));
    this.#rows.putSync(openLineKey(host.number, moved), NO_VALUE);
    this.#putHead(host, moved);
  }

  /** Blocks a lane up to a time, instead of an earlier block. A time that has passed unblocks it. */
  block(host: Host, name: string, until: number, now: number): void {
    const lane = this.laneNumber(host, name);
    this.#writeOnlyLine(host);
    const before = this.#blockedUntil(host, lane);
    if (before > 0) this.#removeBlock(host, lane, before);
    if (until > now) {
      const value = Buffer.allocUnsafe(8);
      value.writeDoubleBE(until);
      this.#rows.putSync(blockKey(host.number, lane), value);
      this.#rows.putSync(blockEndKey(host.number, until, lane), NO_VALUE);
      host.blockCount += 1;
      if (before === 0)
        for (const line of this.#linesOf(host, lane)) this.#rows.removeSync(openLineKey(host.number, line));
    } else if (before > 0) this.#reopen(host, lane);
    this.#findNextEnd(host);
  }

  endBlocks(host: Host, now: number): void {
    if (host.unblocksAt > now) return;
    const { blockEnd } = KIND;
    const [start, end] = [kindStart(host.number, blockEnd), kindUpTo(host.number, blockEnd, now)];
    for (const { key } of rowsOf(this.#rows, start, end, ENDED_AT_ONCE)) {
      const lane = key.readUInt32BE(13);
      this.#removeBlock(host, lane, key.readDoubleBE(5));
      this.#reopen(host, lane);
    }
    this.#findNextEnd(host);
  }

  /** 0 for a lane that is not blocked. */
  #blockedUntil(host: Host, lane: number): number {
    if (host.blockCount === 0 || lane === 0) return 0;
    return this.#rows.getBinary(blockKey(host.number, lane))?.readDoubleBE(0) ?? 0;
  }

  #removeBlock(host: Host, lane: number, until: number): void {
    this.#rows.removeSync(blockEndKey(host.number, until, lane));
    this.#rows.removeSync(blockKey(host.number, lane));
    host.blockCount -= 1;
  }

  #reopen(host: Host, lane: number): void {
    for (const line of this.#linesOf(host, lane)) this.#rows.putSync(openLineKey(host.number, line), NO_VALUE);
  }

  #linesOf(host: Host, lane: number): OpenLine[] {
    return Array.from({ length: RANKS }, (_, rank) => ({ lane, rank, order: this.#orderOf(host, lane, rank) })).filter(
      (line): line is OpenLine => line.order !== null,
    );
  }

  #findNextEnd(host: Host): void {
    const { blockEnd } = KIND;
    const [start, end] = [kindStart(host.number, blockEnd), kindEnd(host.number, blockEnd)];
    const first = host.blockCount === 0 ? undefined : firstKeyOf(this.#rows, start, end);
    host.unblocksAt = first === undefined ? Number.POSITIVE_INFINITY : first.readDoubleBE(5);
  }

  /** The line that is only in the host's record gets its rows. */
  #writeOnlyLine(host: Host): void {
    const only = host.onlyLine;
    if (only === null) return;
    host.onlyLine = null;
    this.#putHead(host, only);
    this.#rows.putSync(openLineKey(host.number, only), NO_VALUE);
  }

  /** The order of a line; `null` for one without entries. */
  #orderOf(host: Host, lane: number, rank: number): number | null {
    if (host.lineCount === 0) return null;
    const only = host.onlyLine;
    if (only !== null) return only.lane === lane && only.rank === rank ? only.order : null;
    return this.#rows.getBinary(lineHeadKey(host.number, lane, rank))?.readUIntBE(0, SEQUENCE_BYTES) ?? null;
  }

  #putHead(host: Host, { lane, rank, order }: OpenLine): void {
    const value = Buffer.allocUnsafe(SEQUENCE_BYTES);
    value.writeUIntBE(order, 0, SEQUENCE_BYTES);
    this.#rows.putSync(lineHeadKey(host.number, lane, rank), value);
  }
}
