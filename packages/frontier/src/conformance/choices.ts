// A seeded source of choices, so that a random walk that failed can be repeated.

export interface Choices {
  /** A whole number from 0, below `below`. */
  readonly below: (below: number) => number;
  readonly of: <T>(options: readonly T[]) => T;
}

/** The same seed gives the same choices. Never throws. */
export function createChoices(seed: number): Choices {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  };
  return { below, of: (options) => options[below(options.length)]! };
}
