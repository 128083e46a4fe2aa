// Short runs of bytes outside the engine's heap, where a million of them cost their bytes and nothing else. Sizes are
// rounded up to 16; what is freed is kept by size and given out again, so nothing is ever moved.
//
//   address = slab × 65,536 + place in it, in units of 16 bytes; 0 is none

/** What sizes are rounded up to. */
export const UNIT_BYTES = 16;
const UNITS_PER_SLAB = 65_536;
const SLAB_BYTES = UNIT_BYTES * UNITS_PER_SLAB;

/** Bytes of the longest run. */
export const LONGEST_RUN = 8_192;

/** A pile of runs. All costs O(1). */
export class Slabs {
  /** Where a run is written before its length is known. */
  readonly draft = Buffer.allocUnsafeSlow(LONGEST_RUN);
  readonly #slabs: Buffer[] = [];
  /** The same bytes. A part of these is taken in half the time. */
  readonly #plain: Uint8Array[] = [];
  /** By units: addresses to give out again. */
  readonly #free: (number[] | undefined)[] = [];
  /** Place 0 of the first slab is never given out. */
  #next = 1;

  /** Bytes set aside. */
  get bytes(): number {
    return this.#slabs.length * SLAB_BYTES;
  }

  /** Room for a run of at most `LONGEST_RUN` bytes. @returns Its address. */
  take(bytes: number): number {
    const units = unitsOf(bytes);
    const again = this.#free[units]?.pop();
    if (again !== undefined) return again;
    const left = UNITS_PER_SLAB - (this.#next % UNITS_PER_SLAB);
    if (units > left) this.#next += left;
    const address = this.#next;
    this.#next += units;
    while (this.#slabs.length * UNITS_PER_SLAB < this.#next) this.#addSlab();
    return address;
  }

  /** Gives a run back. `bytes` as it was taken. */
  give(address: number, bytes: number): void {
    const units = unitsOf(bytes);
    this.#free[units] ??= [];
    this.#free[units].push(address);
  }

  /** An byte of a run; 0 of none. */
  byteAt(address: number, place: number): number {
    return address === 0 ? 0 : this.slabOf(address)[Math.min(SLAB_BYTES - 1, offsetOf(address) + place)]!;
  }

  /** The slab that an address lies in; the run begins at `offsetOf`. */
  slabOf(address: number): Buffer {
    return this.#slabs[address >>> 16]!;
  }

  /** The same, for parts of it: `slice` copies, `subarray` does not. */
  plainOf(address: number): Uint8Array {
    return this.#plain[address >>> 16]!;
  }

  #addSlab(): void {
    const slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    this.#slabs.push(slab);
    this.#plain.push(new Uint8Array(slab.buffer));
  }
}

/** Where in its slab a run begins. Never throws. */
export function offsetOf(address: number): number {
  return UNIT_BYTES * (address & (UNITS_PER_SLAB - 1));
}

/** Units that so many bytes take. Never throws. */
export function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / UNIT_BYTES));
}
