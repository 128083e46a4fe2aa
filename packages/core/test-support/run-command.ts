// The command in the process of a test, from its start to its end, with all that it printed.

import { runCommand } from '../src/cli/program.js';
import { type FakeIo, fakeIo } from './fake-io.js';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command without a terminal. */
export const run = (...argv: readonly string[]): Promise<Ended> => runWith(fakeIo(), ...argv);

export async function runWith(io: FakeIo, ...argv: readonly string[]): Promise<Ended> {
  const code = await runCommand([...argv], io);
  return { code, out: io.outLines.join('\n'), err: io.errLines.join('\n') };
}
