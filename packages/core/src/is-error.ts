// What an error is, in every realm of a process. Errors of Node.js belong to the main one; a program under Jest, or in
// a context of `node:vm`, has an `Error` of its own, which they are no instances of.

import { types } from 'node:util';

/** Whether a value is an error, of whichever realm. Never throws. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}
