// Makes the initial data of every PostgreSQL of the tests, once for all: `initdb` takes half a second of CPU time.

import { makeDataOnce } from './postgres-server.mjs';

/** Runs before all tests, once per project. Returns what runs after them. */
export function setup(): () => void {
  return makeDataOnce();
}
