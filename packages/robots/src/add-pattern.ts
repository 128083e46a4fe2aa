// Lines of the file → patterns (patterns.ts). Those that are spelt as they are written stay where they are.

import type { ByteList } from './bytes.js';
import type { Dialect } from './dialects.js';
import { DISALLOW } from './fields.js';
import { type Form, spell } from './normalize.js';
import { type PackedRecord, pushNumber } from './packed-records.js';
import { lengthWeight, QUERY_ONLY } from './patterns.js';

const DOLLAR = 0x24;

/**
 * Adds a pattern that a record stands for, to references in file order and to the copies.
 * @param file - The packed file.
 */
export function addPattern(
  references: number[],
  copies: ByteList,
  file: Uint8Array,
  { form, precedence }: Dialect,
  record: PackedRecord,
  kind: number,
  pattern: string,
): void {
  const { at, from, to } = record;
  const start = copies.length;
  const spelt = (spelling: Form) => {
    copies.length = start;
    spell(pattern, spelling, true, copies);
    return copies.length - start;
  };
  const copy = (head: number, length: number) => {
    references.push(2 * copies.length + 1);
    copies.push(head);
    pushNumber(copies, length);
    pushNumber(copies, at);
    pushNumber(copies, weight);
  };
  const star = pattern.indexOf('*');
  const mark = form === 'n0' ? pattern.indexOf('?') : -1;
  let length = spelt(form);
  let weight = lengthWeight(length, kind);
  if (precedence === 'first') weight = 0;
  if (precedence === 'classes') {
    weight = kind === DISALLOW ? 1 : star < 0 ? 2 : 0;
    // Nothing is implied at the end, so the pattern is anchored (robots §5.5).
    copies.push(DOLLAR);
    length++;
  }
  if (mark >= 0) {
    const queryLength = spelt('n1');
    if (queryLength > length) {
      copy(kind | QUERY_ONLY, queryLength);
      // What begins with all of a pattern up to its query matches the rest in form `n1`, too.
      if (star < 0 || star > mark) return;
      spell(pattern, form, true, copies);
    }
  }
  let same = from;
  while (same < to && file[same] === copies.bytes[start + same - from]) same++;
  if (record.kind === kind && to - from === length && same === to && weight === lengthWeight(length, kind)) {
    copies.length = start;
    references.push(2 * at);
  } else copy(kind, length);
}
