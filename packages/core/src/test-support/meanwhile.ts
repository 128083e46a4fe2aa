// Lets a loopback server and its client, both in this process, go on for a while: by time alone, a busy machine might
// give them no turn.

const TURNS = 20;

/** Waits so many milliseconds, and then for some turns of the event loop. Never rejects. */
export async function meanwhile(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
