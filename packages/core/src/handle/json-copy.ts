// A copy of what a handler hands over, as JSON will keep it: later changes do not reach it, and what is no JSON fails where
// the handler stands rather than where it is written.

import type { JsonValue } from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { MAX_ITEM_CHARS } from './limits.js';

/**
 * Copies a JSON value.
 *
 * @param what - Names it in the error.
 * @throws MannerlyError `item-invalid` when it is no JSON, or longer than {@link MAX_ITEM_CHARS} as text.
 */
export function jsonCopy(value: JsonValue, what: string): JsonValue {
  const text = serialise(value, what);
  if (text === undefined) throw new MannerlyError('item-invalid', `expected ${what} to be JSON, got ${typeof value}`);
  if (text.length > MAX_ITEM_CHARS) {
    throw new MannerlyError(
      'item-invalid',
      `expected ${what} to have at most ${MAX_ITEM_CHARS} characters, got ${text.length}`,
    );
  }
  return JSON.parse(text) as JsonValue;
}

function serialise(value: JsonValue, what: string): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch (error) {
    throw new MannerlyError('item-invalid', `expected ${what} to be JSON: ${String(error)}`, { cause: error });
  }
}
