// Short names of lanes, so that a store need not keep an authority with each entry. Only lanes of one host must differ.

import { createHash } from 'node:crypto';

const LANES_REMEMBERED = 10_000;

export type LaneName<Name> = (lane: string | undefined) => Name;

/** Remembered names from a hash. `none`: that of the host's own lane, which `nameOf` never gives. */
export function createLaneNames<Name>(none: Name, nameOf: (sha256: Buffer) => Name): LaneName<Name> {
  const names = new Map<string, Name>();
  return (lane) => {
    if (lane === undefined) return none;
    let name = names.get(lane);
    if (name === undefined) {
      name = nameOf(createHash('sha256').update(lane).digest());
      if (names.size >= LANES_REMEMBERED) names.clear();
      names.set(lane, name);
    }
    return name;
  };
}
