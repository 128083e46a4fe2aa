// Work that is done so many at a time. The rest waits in the order in which it came.

export class Places {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param most - At the same time, 1 or more. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many are being done or wait. */
  get count(): number {
    return this.#taken + this.#waiting.length;
  }

  /** Does the work when there is a place: at once if one is free. @throws What `work` threw. */
  async take<T>(work: () => T | Promise<T>): Promise<T> {
    // A place that becomes free goes to the one that waits: `#taken` stays.
    if (this.#taken >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#taken += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }
}
