// What the lines of one field say, one by one.

import type { FieldRecord } from './document.js';

/**
 * The values of a field that can be read.
 * @param name - Its canonical name.
 * @param read - What a value says; `null` for one that is to be ignored.
 */
export function valuesOf<T>(
  fields: readonly FieldRecord[],
  name: string,
  read: (value: string) => T | readonly T[] | null,
): T[] {
  return fields.filter(({ field }) => field === name).flatMap(({ value }) => read(value) ?? []);
}
