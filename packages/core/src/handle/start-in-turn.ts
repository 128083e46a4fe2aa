// Handlers start one after the other: the next one when the last has ended or waits for something outside, a file or a server.
//
// Several pages often come to their handlers in the same moment. Were all of them started at once, each would hold what it has
// made of its page (a document of twenty times its bytes, say) at its first `await` while the others begin, and all of that
// would be copied by the garbage collector, page after page. One after the other, what a handler has made is gone before the next
// one makes its own.

/** Runs something in its turn. */
export type StartInTurn = <T>(run: () => Promise<T>) => Promise<T>;

/** Makes a line in which nothing waits longer than until the one before has ended, or the event loop has gone on. @throws Never */
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
