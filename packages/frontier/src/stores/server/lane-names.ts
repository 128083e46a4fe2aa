// Lanes by short names, so that a store need not keep an authority with each entry. Only lanes of one host must not share a name.

import { createHash } from 'node:crypto';

const LANES_REMEMBERED = 10_000;

/** Names of lanes as a store knows them, made from a hash; the last ones are remembered. */
export class LaneNames<Name> {
  readonly #names = new Map<string, Name>();
  readonly #none: Name;
  readonly #nameOf: (sha256: Buffer) => Name;

  /**
   * @param none - The host's own lane.
   * @param nameOf - Every other one, never `none`.
   */
  constructor(none: Name, nameOf: (sha256: Buffer) => Name) {
    this.#none = none;
    this.#nameOf = nameOf;
  }

  of(lane: string | undefined): Name {
    if (lane === undefined) return this.#none;
    let name = this.#names.get(lane);
    if (name === undefined) {
      name = this.#nameOf(createHash('sha256').update(lane).digest());
      if (this.#names.size >= LANES_REMEMBERED) this.#names.clear();
      this.#names.set(lane, name);
    }
    return name;
  }
}
