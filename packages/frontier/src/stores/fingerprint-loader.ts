// Many fingerprints at once: they are gathered by table first, so that each table is in the processor's cache while its
// share is added. Half the time of adding them as they come, from some millions on.

import type { FingerprintSet } from './fingerprint-set.js';

const TABLES = 256;
/**
 * Pairs gathered per table at most, 32 MB in all: at ten million fingerprints it is then found in the cache more often
 * than not, while fewer would each bring a line of it there for themselves.
 */
const GATHERED = 16_384;
/** The least. */
const GATHERED_LEAST = 256;

/** Adds to a set. `finish` must be called before the set is asked. */
export class FingerprintLoader {
  readonly #set: FingerprintSet;
  readonly #gathered: Uint32Array[];
  readonly #filled = new Uint32Array(TABLES);

  /** @param count - How many will come; space for them is made. */
  constructor(set: FingerprintSet, count: number) {
    this.#set = set;
    set.reserve(count);
    const pairs = Math.min(GATHERED, Math.max(GATHERED_LEAST, Math.ceil((1.1 * count) / TABLES)));
    this.#gathered = Array.from({ length: TABLES }, () => new Uint32Array(2 * pairs));
  }

  /** Adds those that stand one after the other in these bytes. */
  add(bytes: Uint8Array): void {
    const gathered = this.#gathered;
    const filled = this.#filled;
    for (let at = 0; at < bytes.length; at += 8) {
      const which = bytes[at]!;
      const words = gathered[which]!;
      const to = filled[which]!;
      words[to] = (which << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
      words[to + 1] = (bytes[at + 4]! << 24) | (bytes[at + 5]! << 16) | (bytes[at + 6]! << 8) | bytes[at + 7]!;
      filled[which] = to + 2;
      if (to + 2 === words.length) this.#flush(which);
    }
  }

  /** Adds what is left. */
  finish(): void {
    for (let which = 0; which < TABLES; which += 1) this.#flush(which);
  }

  #flush(which: number): void {
    const end = this.#filled[which]!;
    this.#filled[which] = 0;
    this.#set.addWordsOf(this.#gathered[which]!, end);
  }
}
