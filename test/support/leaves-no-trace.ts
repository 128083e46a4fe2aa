// Test files share a process, because a process for each costs more than most tests. So no file may leave anything
// behind for the next: a change to the process is reported for the file that made it.

import { afterAll, beforeAll, expect } from 'vitest';

const GLOBALS = [
  'Date',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'URL',
  'AbortSignal',
] as const;
const EVENTS = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection', 'warning'] as const;

function globalsNow() {
  return GLOBALS.map((name) => globalThis[name]);
}

function processNow() {
  // The runner's own variables contain the name of the file.
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const listeners = EVENTS.map((event) => [event, process.listenerCount(event)]);
  return { env, listeners, directory: process.cwd(), exitCode: process.exitCode };
}

let globalsBefore: ReturnType<typeof globalsNow>;
let processBefore: ReturnType<typeof processNow>;

beforeAll(() => {
  globalsBefore = globalsNow();
  processBefore = processNow();
});

afterAll(() => {
  const after = globalsNow();
  expect(
    GLOBALS.filter((_, at) => after[at] !== globalsBefore[at]),
    'globals that this file leaves changed',
  ).toEqual([]);
  expect(processNow(), 'what this file leaves behind in the process').toEqual(processBefore);
});
