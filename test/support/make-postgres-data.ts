// Makes the data that every PostgreSQL of the tests begins with, once for all of them: `initdb` takes half a second of
// the processor.

import { makeDataOnce } from './postgres-server.mjs';

/** Before all tests, for each project. Returns what is done after them. */
export function setup(): () => void {
  return makeDataOnce();
}
