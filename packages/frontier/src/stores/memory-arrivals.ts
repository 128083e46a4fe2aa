// New entries of hosts that nothing else happens to, as bytes, those of a host behind one another in a block. Most of what
// pages bring is for hosts that wait for their turn: it becomes objects when its host comes to it. So a link costs nearly the
// same whether its host was met a moment or a million links ago, and what waits is nothing to the garbage collector.
//
//   block   entries in the order they came; twice as large each time it is full, up to the longest run
//   entry   length 2 · priority and form 1 · [number of the lane's beginning 1 | length 2 · lane] · [place 2] · body
//
// A lane that ends with the host's key is written as the number of what stands before it; a body is written without the lane in
// it where that is asked for, and its place is noted. What is known of a block is in its host's row (host-row.ts).

import type { HostKey, NewEntry } from '../store.js';
import {
  BLOCK,
  countOf,
  FILL,
  fillOf,
  headOf,
  MIXED,
  priorityOf,
  STATE,
  unitsOf,
  usedOf,
  withBlock,
  withHead,
} from './host-row.js';
import { readBody, writeBody } from './packed-host.js';
import { LONGEST_RUN, offsetOf, type Slabs, UNIT_BYTES } from './slabs.js';

const PRIORITY = 7;
const LANE_OF_KEY = 8;
const LANE_WHOLE = 16;
const WITH_PLACE = 32;
const HEAD_BYTES = 3;
/** The least that a block grows to. */
const GROWN_LEAST_BYTES = 128;
/** Beginnings of lanes that have a number; there are two in a usual crawl. */
const BEGINNINGS_MOST = 256;

/** An entry that has arrived; ready at once. */
export interface Arrival extends Pick<NewEntry, 'priority' | 'body'> {
  readonly lane: string | null;
}

/** What is done with each entry that is read; it must leave the blocks alone. */
export type TakeArrival = (lane: string | null, priority: number, body: Uint8Array) => void;

/** The blocks. `rows` and `row` are where the words of the entry's host are. */
export class MemoryArrivals {
  readonly #slabs: Slabs;
  readonly #beginnings: string[] = [];
  /** Of the last lane that was written: nearly all are alike. */
  #beginning = 0;

  constructor(slabs: Slabs) {
    this.#slabs = slabs;
  }

  /** Writes the first entry of a host, in the least room. `false`: it is too long. */
  addFirst(rows: Uint32Array, row: number, key: HostKey, { lane, priority, body }: Arrival): boolean {
    if (4 * HEAD_BYTES + 3 * (lane?.length ?? 0) + body.length > LONGEST_RUN) return false;
    const { draft } = this.#slabs;
    const beginning = lane === null ? -1 : this.#beginningOf(lane, key);
    let at = this.#writeLane(draft, HEAD_BYTES, lane, beginning);
    let form = priority | formOf(lane, beginning);
    if (lane === null) {
      draft.set(body, at);
      at += body.length;
    } else {
      form |= WITH_PLACE;
      at = writeBody(draft, body, lane, at);
    }
    writeHead(draft, 0, at, form);
    const address = this.#slabs.take(at);
    draft.copy(this.#slabs.slabOf(address), offsetOf(address), 0, at);
    rows[row + BLOCK] = address;
    rows[row + FILL] = fillOf(at, 1);
    rows[row + STATE] = withBlock(rows[row + STATE]!, priority, Math.ceil(at / UNIT_BYTES), 0);
    return true;
  }

  /** Writes an entry behind those of its host. `false`: the block cannot grow any more, or the entry is too long. */
  add(rows: Uint32Array, row: number, key: HostKey, { lane, priority, body }: Arrival): boolean {
    const beginning = lane === null ? -1 : this.#beginningOf(lane, key);
    const laneBytes = lane === null ? 0 : beginning >= 0 ? 1 : 2 + Buffer.byteLength(lane);
    const length = HEAD_BYTES + laneBytes + body.length;
    if (!this.#makeRoom(rows, row, length, priority)) return false;
    const address = rows[row + BLOCK]!;
    const fill = rows[row + FILL]!;
    const slab = this.#slabs.slabOf(address);
    const start = offsetOf(address) + usedOf(fill);
    writeHead(slab, start, length, priority | formOf(lane, beginning));
    slab.set(body, this.#writeLane(slab, start + HEAD_BYTES, lane, beginning));
    rows[row + FILL] = fillOf(usedOf(fill) + length, countOf(fill) + 1);
    if (priorityOf(rows[row + STATE]!) !== priority) rows[row + STATE]! |= MIXED;
    return true;
  }

  /** Up to `count` entries in the order they came, each body its own copy. They leave the block where they are read `forGood`. */
  read(rows: Uint32Array, row: number, key: HostKey, count: number, forGood: boolean, take: TakeArrival): void {
    const address = rows[row + BLOCK]!;
    const state = rows[row + STATE]!;
    const fill = rows[row + FILL]!;
    const slab = this.#slabs.slabOf(address);
    const plain = this.#slabs.plainOf(address);
    const start = offsetOf(address);
    const wanted = Math.min(count, countOf(fill));
    // Made once for all entries of a lane.
    let [beginning, laneOfBeginning] = [-1, ''];
    let head = headOf(state);
    for (let left = wanted; left > 0; left -= 1) {
      const end = start + head + ((slab[start + head]! << 8) | slab[start + head + 1]!);
      const form = slab[start + head + 2]!;
      let at = start + head + HEAD_BYTES;
      let lane: string | null = null;
      if ((form & LANE_OF_KEY) !== 0) {
        if (slab[at] !== beginning) {
          beginning = slab[at]!;
          laneOfBeginning = this.#beginnings[beginning]! + key;
        }
        lane = laneOfBeginning;
        at += 1;
      } else if ((form & LANE_WHOLE) !== 0) {
        at += 2 + slab.readUInt16BE(at);
        lane = slab.toString('utf8', start + head + HEAD_BYTES + 2, at);
      }
      const isShort = (form & WITH_PLACE) !== 0;
      const body = isShort ? readBody(plain, at, end, lane ?? '') : plain.slice(at, end);
      take(lane, form & PRIORITY, body);
      head = end - start;
    }
    if (!forGood) return;
    rows[row + STATE] = withHead(state, head);
    rows[row + FILL] = fillOf(usedOf(fill), countOf(fill) - wanted);
    if (wanted === countOf(fill)) this.#drop(rows, row);
  }

  /** A block in which so much more finds room. */
  #makeRoom(rows: Uint32Array, row: number, bytes: number, priority: number): boolean {
    const address = rows[row + BLOCK]!;
    const state = rows[row + STATE]!;
    const used = usedOf(rows[row + FILL]!);
    if (address !== 0 && used + bytes <= UNIT_BYTES * unitsOf(state)) return true;
    const head = address === 0 ? 0 : headOf(state);
    const wanted = used - head + bytes;
    if (wanted > LONGEST_RUN) return false;
    const grown = Math.max(GROWN_LEAST_BYTES, 2 ** Math.ceil(Math.log2(wanted)));
    const next = this.#slabs.take(grown);
    const units = grown / UNIT_BYTES;
    rows[row + BLOCK] = next;
    if (address === 0) {
      rows[row + STATE] = withBlock(state, priority, units, 0);
      return true;
    }
    const from = offsetOf(address);
    this.#slabs.slabOf(address).copy(this.#slabs.slabOf(next), offsetOf(next), from + head, from + used);
    this.#slabs.give(address, UNIT_BYTES * unitsOf(state));
    rows[row + FILL] = fillOf(used - head, countOf(rows[row + FILL]!));
    rows[row + STATE] = withBlock(state, priorityOf(state), units, 0) | (state & MIXED);
    return true;
  }

  #drop(rows: Uint32Array, row: number): void {
    this.#slabs.give(rows[row + BLOCK]!, UNIT_BYTES * unitsOf(rows[row + STATE]!));
    rows[row + BLOCK] = 0;
    rows[row + FILL] = 0;
    rows[row + STATE] = withBlock(rows[row + STATE]!, 0, 0, 0);
  }

  /** @returns Where it ends. */
  #writeLane(bytes: Buffer, at: number, lane: string | null, beginning: number): number {
    if (lane === null) return at;
    if (beginning >= 0) {
      bytes[at] = beginning;
      return at + 1;
    }
    const length = bytes.write(lane, at + 2);
    return bytes.writeUInt16BE(length, at) + length;
  }

  /** The number of what stands before the key in a lane that ends with it; -1 for others. */
  #beginningOf(lane: string, key: HostKey): number {
    if (!lane.endsWith(key)) return -1;
    const length = lane.length - key.length;
    const last = this.#beginnings[this.#beginning];
    if (last !== undefined && last.length === length && lane.startsWith(last)) return this.#beginning;
    const text = lane.slice(0, length);
    let number = this.#beginnings.indexOf(text);
    if (number < 0) {
      if (this.#beginnings.length === BEGINNINGS_MOST) return -1;
      number = this.#beginnings.push(text) - 1;
    }
    this.#beginning = number;
    return number;
  }
}

function formOf(lane: string | null, beginning: number): number {
  if (lane === null) return 0;
  return beginning >= 0 ? LANE_OF_KEY : LANE_WHOLE;
}

function writeHead(bytes: Uint8Array, at: number, length: number, form: number): void {
  bytes[at] = length >>> 8;
  bytes[at + 1] = length;
  bytes[at + 2] = form;
}
