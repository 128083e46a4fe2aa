// Lines of the file → patterns. Most are compared as they are written and stay where they are; others are spelt into
// copies (patterns.ts).

import type { ByteList } from './bytes.js';
import type { Dialect } from './dialects.js';
import { DISALLOW } from './fields.js';
import { isPlainPattern, spell } from './normalize.js';
import { type PackedRecord, pushNumber, TOO_LONG } from './packed-records.js';
import { lengthWeight, QUERY_ONLY } from './patterns.js';

const DOLLAR = 0x24;
const STAR = 0x2a;
const SLASH = 0x2f;

/** Patterns in file order. */
export interface RuleList {
  /** References to patterns. */
  readonly references: number[];
  readonly copies: ByteList;
  /** The pattern that is added. */
  readonly spelling: ByteList;
}

/** Whether a rule is certainly one pattern that RFC 9309 compares as it is written. @param file - The packed file. */
export function isPlainRule(file: Uint8Array, { from, to, notes }: PackedRecord): boolean {
  const isPath = file[from] === SLASH || file[from] === STAR;
  return isPath && to > from && (notes & TOO_LONG) === 0 && isPlainPattern(file, from, to);
}

/** Adds a pattern that a record stands for. */
export function addPattern(
  { references, copies, spelling }: RuleList,
  file: Uint8Array,
  { form, precedence }: Dialect,
  record: PackedRecord,
  kind: number,
  pattern: string,
): void {
  const { at, from, to } = record;
  const star = pattern.indexOf('*');
  spelling.length = 0;
  spell(pattern, form, true, spelling);
  // Runs of asterisks are one, but each of them counts.
  const dropped = pattern.includes('**') ? (pattern.match(/\*(?=\*)/g) ?? []).length : 0;
  let weight = lengthWeight(spelling.length + dropped, kind);
  if (precedence === 'first') weight = 0;
  if (precedence === 'classes') weight = kind === DISALLOW ? 1 : star < 0 ? 2 : 0;
  // In 2.0.0 nothing is implied at the end, so the pattern is anchored (robots §5.5).
  if (form === 'decoded-star') spelling.push(DOLLAR);
  const { length } = spelling;
  const copy = (head: number, start: number) => {
    references.push(2 * copies.length + 1);
    copies.push(head);
    pushNumber(copies, spelling.length - start);
    pushNumber(copies, at);
    for (let i = start; i < spelling.length; i++) copies.push(spelling.bytes[i] as number);
    pushNumber(copies, weight);
  };
  const mark = form === 'n0' ? pattern.indexOf('?') : -1;
  if (mark >= 0) {
    spell(pattern, 'n1', true, spelling);
    if (spelling.length > 2 * length) {
      copy(kind | QUERY_ONLY, length);
      // What begins with all of a pattern up to its query matches the rest in form `n1`, too.
      if (star < 0 || star > mark) return;
    }
    spelling.length = length;
  }
  const isAsWritten =
    record.kind === kind && to - from === length && weight === lengthWeight(length, kind) && isSame(file, from, spelling);
  if (isAsWritten) references.push(2 * at);
  else copy(kind, 0);
}

function isSame(file: Uint8Array, from: number, { bytes, length }: ByteList): boolean {
  for (let i = 0; i < length; i++) if (file[from + i] !== bytes[i]) return false;
  return true;
}
