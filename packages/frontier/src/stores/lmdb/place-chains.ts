// Growing numbers in chains, one chain for each host that has something in the log of new entries: typed arrays, so that some
// hundred thousand of them are nothing to the garbage collector.

const FIRST_SLOTS = 1_024;
/** No slot. */
export const NONE = -1;

/** Chains, each known by its first and its last slot. Slots that are given back are used again. */
export class PlaceChains {
  #places = new Float64Array(FIRST_SLOTS);
  #next = new Int32Array(FIRST_SLOTS);
  /** Slots from here on were never used; those before that are free are a chain. */
  #end = 0;
  #free = NONE;

  /** Puts a number behind the last slot of a chain, `NONE`: it begins one. @returns Its slot. */
  add(last: number, place: number): number {
    const slot = this.#free === NONE ? this.#end++ : this.#free;
    if (slot === this.#places.length) this.#grow();
    if (slot === this.#free) this.#free = this.#next[slot]!;
    this.#places[slot] = place;
    this.#next[slot] = NONE;
    if (last !== NONE) this.#next[last] = slot;
    return slot;
  }

  /** The number in a slot. */
  at(slot: number): number {
    return this.#places[slot]!;
  }

  /** The slot behind another of its chain. */
  next(slot: number): number {
    return this.#next[slot]!;
  }

  /** All numbers from a slot on, in their order. */
  from(first: number): number[] {
    const places: number[] = [];
    for (let slot = first; slot !== NONE; slot = this.#next[slot]!) places.push(this.#places[slot]!);
    return places;
  }

  /** Gives slots back: from the first to the last of a chain, or a part of one at its beginning. */
  free(first: number, last: number): void {
    this.#next[last] = this.#free;
    this.#free = first;
  }

  #grow(): void {
    const places = new Float64Array(2 * this.#places.length);
    const next = new Int32Array(2 * this.#next.length);
    places.set(this.#places);
    next.set(this.#next);
    this.#places = places;
    this.#next = next;
  }
}
