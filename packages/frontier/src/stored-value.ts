// What is read back from a store: text, numbers and JSON that this package wrote, unless another program or a broken
// disk has changed them.

import { unreadable } from './errors.js';

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** A time or a duration, milliseconds. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

const decoder = new TextDecoder();

/** Reads JSON that this package wrote. @throws FrontierError `record-unreadable`, with the name of the record. */
export function readJson(what: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw unreadable(what, cause);
  }
}
