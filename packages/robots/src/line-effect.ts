// What became of a line: whether it counts, and as what if a repair changed it. For people; decisions do not use it.

import { textOf } from './bytes.js';
import type { LineEffect } from './diagnostics/diagnostic.js';
import type { Dialect } from './dialects.js';
import type { RobotsDocument } from './document.js';
import { ALLOW, fieldName } from './fields.js';
import { INVALID_UTF8, type PackedRecord } from './packed-records.js';
import { patternsOf } from './reading.js';

/** What became of a line of `Allow` or `Disallow` (robots §3.4 – 3.7). */
export function ruleEffect(document: RobotsDocument, dialect: Dialect, record: PackedRecord): LineEffect {
  const isAllow = dialect.kindOf(record) === ALLOW;
  const value = dialect.valueOf(record);
  const patterns = patternsOf(document, dialect, record, value, isAllow);
  return {
    counts: isAllow ? dialect.hasAllow && patterns.length > 0 : patterns.length > 0 || value === '',
    readAs: repairedLines(
      record,
      dialect.repairs ? patterns.map((pattern) => pattern.replaceAll(' ', '%20').replaceAll('\t', '%09')) : patterns,
      isAllow ? 'Allow' : 'Disallow',
    ),
  };
}

/** The lines that a record counts as: one for each value; none if that is what is written. */
export function repairedLines(record: PackedRecord, values: readonly string[], name = titleOf(record.kind)): string[] {
  const { notes, value } = record;
  const isAsWritten = record.name === '' && (notes & ~INVALID_UTF8) === 0 && values.length === 1 && values[0] === value;
  return isAsWritten ? [] : values.map((each) => `${name}: ${textOf(each)}`);
}

/** The canonical name of a field as it is usually written. */
export function titleOf(kind: number): string {
  const name = fieldName(kind);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
