// Members in the order of their times, in which they also came: an array that is added to at its end and taken from at its
// beginning, and has gaps where one was taken from between. It is closed up, and made larger or smaller, when its end is reached.

const FIRST_SLOTS = 16;
const NO_MEMBER = -1;

/** One run. All costs O(1) over time; 20 bytes a place, of which at least an eighth is in use when it is closed up. */
export class ReadyRun {
  #members = new Int32Array(FIRST_SLOTS);
  #due = new Float64Array(FIRST_SLOTS);
  #turns = new Float64Array(FIRST_SLOTS);
  /** Place of the first member, where there is one. */
  #begin = 0;
  #end = 0;
  #size = 0;

  /** Members held. */
  get size(): number {
    return this.#size;
  }

  /** The first member. The first three only where there is one. */
  get first(): number {
    return this.#members[this.#begin]!;
  }

  get firstDue(): number {
    return this.#due[this.#begin]!;
  }

  get firstTurn(): number {
    return this.#turns[this.#begin]!;
  }

  /** The time before which nothing can be added; the least there is in an empty run. */
  get lastDue(): number {
    return this.#size === 0 ? Number.NEGATIVE_INFINITY : this.#due[this.#end - 1]!;
  }

  /** The time of the member at a place. */
  dueAt(place: number): number {
    return this.#due[place]!;
  }

  /** Adds a member that is due no sooner than the last. `places`, by member, is written to: its own, and those of members that move. */
  push(member: number, due: number, turn: number, places: Int32Array): void {
    if (this.#end === this.#members.length) this.#closeUp(places);
    const at = this.#end;
    this.#members[at] = member;
    this.#due[at] = due;
    this.#turns[at] = turn;
    places[member] = at;
    this.#end += 1;
    this.#size += 1;
  }

  /** Takes out the first member, where there is one. */
  removeFirst(): void {
    this.remove(this.#begin);
  }

  /** Takes out the member at a place. */
  remove(place: number): void {
    this.#members[place] = NO_MEMBER;
    this.#size -= 1;
    if (this.#size === 0) {
      this.#begin = 0;
      this.#end = 0;
    } else if (place === this.#begin) while (this.#members[this.#begin] === NO_MEMBER) this.#begin += 1;
  }

  #closeUp(places: Int32Array): void {
    const slots = slotsFor(this.#size, this.#members.length);
    const isSame = slots === this.#members.length;
    const [members, due, turns] = isSame
      ? [this.#members, this.#due, this.#turns]
      : [new Int32Array(slots), new Float64Array(slots), new Float64Array(slots)];
    let to = 0;
    for (let from = this.#begin; from < this.#end; from += 1) {
      const member = this.#members[from]!;
      if (member === NO_MEMBER) continue;
      members[to] = member;
      due[to] = this.#due[from]!;
      turns[to] = this.#turns[from]!;
      places[member] = to;
      to += 1;
    }
    this.#members = members;
    this.#due = due;
    this.#turns = turns;
    this.#begin = 0;
    this.#end = to;
  }
}

/** After it at least half are free, so that it is not done again soon. */
function slotsFor(size: number, slots: number): number {
  if (2 * size > slots) return 2 * slots;
  return 8 * size < slots && slots > FIRST_SLOTS ? slots / 2 : slots;
}
