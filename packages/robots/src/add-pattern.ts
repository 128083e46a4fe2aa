// Lines of the file → patterns (patterns.ts). Those that are spelt as they are written stay where they are.

import type { Dialect } from './dialects.js';
import { DISALLOW } from './fields.js';
import { canonical } from './normalize.js';
import { numberText, type PackedRecord } from './packed-records.js';
import { lengthWeight, QUERY_ONLY } from './patterns.js';

/**
 * Adds a reference to a pattern that a record stands for.
 * @param copied - Length of the copies so far.
 * @returns What to add to them.
 */
export function addPattern(
  references: number[],
  copied: number,
  { form, precedence }: Dialect,
  record: PackedRecord,
  kind: number,
  written: string,
): string {
  const star = written.indexOf('*');
  const spelling = canonical(written, form, true);
  let weight = lengthWeight(spelling.length, kind);
  if (precedence === 'first') weight = 0;
  if (precedence === 'classes') weight = kind === DISALLOW ? 1 : star < 0 ? 2 : 0;
  // In 2.0.0 nothing is implied at the end, so the pattern is anchored (robots §5.5).
  const pattern = form === 'decoded-star' ? `${spelling}$` : spelling;
  let copies = '';
  const copy = (head: number, text: string) => {
    references.push(2 * (copied + copies.length) + 1);
    copies += String.fromCharCode(head) + numberText(text.length) + numberText(record.at) + text + numberText(weight);
  };
  const mark = written.indexOf('?');
  const query = form === 'n0' && mark >= 0 ? canonical(written, 'n1', true) : pattern;
  if (query !== pattern) {
    copy(kind | QUERY_ONLY, query);
    // What begins with all of a pattern up to its query matches the rest in form `n1`, too.
    if (star < 0 || star > mark) return copies;
  }
  const isAsWritten = record.kind === kind && weight === lengthWeight(pattern.length, kind) && record.value === pattern;
  if (isAsWritten) references.push(2 * record.at);
  else copy(kind, pattern);
  return copies;
}
