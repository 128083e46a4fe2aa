// Starts handlers one after the other: the next one when the last has ended or waits for a file or a server. Started
// together, each would hold what it has made of its page (a document of twenty times its bytes) at its first `await`,
// and the garbage collector would copy all of it, page after page.

/** Runs something in its turn. */
export type StartInTurn = <T>(run: () => Promise<T>) => Promise<T>;

/**
 * Makes a line in which nothing waits longer than until the one before has ended, or the event loop has gone on.
 * @throws Never
 */
export function createStartInTurn(): StartInTurn {
  let last: Promise<void> = Promise.resolve();
  return async (run) => {
    const before = last;
    let mayGoOn = (): void => undefined;
    last = new Promise((resolve) => {
      mayGoOn = resolve;
    });
    await before;
    const waits = setImmediate(mayGoOn);
    try {
      return await run();
    } finally {
      clearImmediate(waits);
      mayGoOn();
    }
  };
}
