// What is known of each host of the memory store without reaching for it: four words, which lie on one line of the processor's
// cache. On a crawl of many hosts the reaching is most of what an entry costs.

/** Words of a row. */
export const WORDS = 4;
/** Address of the host's run, of its key at least; 0: it has none and is always awake. */
export const RUN = 0;
/** Address of the block of its arrivals, 0: none. */
export const BLOCK = 1;
/** Of the block: bytes used, and above them the number of entries. */
export const FILL = 2;
/** Flags, the priority of the arrivals, units of the block, and the bytes of it that are read already. */
export const STATE = 3;

/** An entry that is ready at once would change nothing of when it is due. */
export const SETTLED = 2;
/** Its arrivals are of more than one priority. */
export const MIXED = 4;

const PRIORITY_AT = 3;
const UNITS_AT = 6;
const HEAD_AT = 16;
const FLAGS = SETTLED;
const COUNT_AT = 14;
const USED = (1 << COUNT_AT) - 1;

/** Bytes used of the block. */
export function usedOf(fill: number): number {
  return fill & USED;
}

/** Entries in the block. */
export function countOf(fill: number): number {
  return fill >>> COUNT_AT;
}

/** The word of both. */
export function fillOf(used: number, count: number): number {
  return (count << COUNT_AT) | used;
}

/** The priority of the block's entries, where it is but one. */
export function priorityOf(state: number): number {
  return (state >>> PRIORITY_AT) & 7;
}

/** Units of 16 bytes the block has. */
export function unitsOf(state: number): number {
  return (state >>> UNITS_AT) & 1_023;
}

/** Where the first entry of the block is that was not read. */
export function headOf(state: number): number {
  return state >>> HEAD_AT;
}

/** The state with another block in it. */
export function withBlock(state: number, priority: number, units: number, head: number): number {
  return (state & FLAGS) | (priority << PRIORITY_AT) | (units << UNITS_AT) | (head << HEAD_AT);
}

/** The state with the block read up to there. */
export function withHead(state: number, head: number): number {
  return (state & ((1 << HEAD_AT) - 1)) | (head << HEAD_AT);
}
