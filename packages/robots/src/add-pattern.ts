// Lines of the file → patterns (patterns.ts). Those that are spelt as they are written stay where they are.

import type { Dialect } from './dialects.js';
import { DISALLOW } from './fields.js';
import { canonical } from './normalize.js';
import type { PackedRecord, RecordWriter } from './packed-records.js';
import { lengthWeight, QUERY_ONLY } from './patterns.js';

/** Adds a reference to a pattern that a record stands for, and its copy if it needs one. */
export function addPattern(
  references: number[],
  copies: RecordWriter,
  { form, precedence }: Dialect,
  record: PackedRecord,
  kind: number,
  written: string,
): void {
  const star = written.indexOf('*');
  const spelling = canonical(written, form, true);
  let weight = lengthWeight(spelling.length, kind);
  if (precedence === 'first') weight = 0;
  if (precedence === 'classes') weight = kind === DISALLOW ? 1 : star < 0 ? 2 : 0;
  // In 2.0.0 nothing is implied at the end, so the pattern is anchored (robots §5.5).
  const pattern = form === 'decoded-star' ? `${spelling}$` : spelling;
  const mark = written.indexOf('?');
  const query = form === 'n0' && mark >= 0 ? canonical(written, 'n1', true) : pattern;
  if (query !== pattern) {
    references.push(2 * copies.addCopy(kind | QUERY_ONLY, record.at, query, weight) + 1);
    // What begins with all of a pattern up to its query matches the rest in form `n1`, too.
    if (star < 0 || star > mark) return;
  }
  const isAsWritten = record.kind === kind && weight === lengthWeight(pattern.length, kind) && record.value === pattern;
  references.push(
    2 * (isAsWritten ? record.at : copies.addCopy(kind, record.at, pattern, weight)) + (isAsWritten ? 0 : 1),
  );
}
