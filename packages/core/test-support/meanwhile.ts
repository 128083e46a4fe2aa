// Lets a loopback server and its client, both in this process, continue for a while.

const TURNS = 20;

/** Waits so many milliseconds, and then for some turns of the event loop. Never rejects. */
export async function meanwhile(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
