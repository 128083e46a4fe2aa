// One reading of a file for one crawler: the rules of the selected groups in one dialect, compiled. A policy is one or
// several readings, all of which must allow.

import { byteArray, bytesOf } from './bytes.js';
import { type Dialect, plainKind, type Selection } from './dialects.js';
import type { RobotsDocument } from './document.js';
import { ALLOW, DISALLOW } from './fields.js';
import { canonical } from './normalize.js';
import { INVALID_UTF8, isPlainRule, nextRecordAt, PackedRecord, RecordWriter, TOO_LONG } from './packed-records.js';
import { encodeRows, LOOKUPS_BEFORE_SORT, lengthWeight, QUERY_ONLY, type RuleIndex } from './rule-index.js';
import { rulePatterns, startsLikePath } from './rule-values.js';

/** What a reading needs besides the file. */
interface ReadingOptions {
  /** What a 2.0.0 group says about everything else (robots §7.5). */
  readonly ambiguousRules: 'everything-else' | 'nothing-else';
  /** A group with more rule lines denies everything; 0 for no limit. */
  readonly maxRulesPerGroup: number;
  /** How to treat a file over the size limit. */
  readonly onOversize: 'truncate' | 'disallow-all';
}

/** A compiled reading. */
export interface Reading extends RuleIndex {
  readonly dialect: Dialect;
  /** The name that selected the groups: one of the crawler's tokens, `*`, or `null`. */
  readonly agent: string | null;
  /** The answer if no rule matches. `overfull`: the file or a group is over a limit, nothing is allowed. */
  readonly fallback: 'open' | 'closed' | 'overfull';
}

/** Compiles the rules of the selected groups. */
export function compileReading(
  document: RobotsDocument,
  dialect: Dialect,
  { spans, agent }: Selection,
  { ambiguousRules, maxRulesPerGroup, onOversize }: ReadingOptions,
): Reading {
  const references: number[] = [];
  let copies: RecordWriter | null = null;
  const isAsWritten = dialect.form === 'n0' && dialect.kindOf === plainKind;
  const usesClasses = dialect.precedence === 'classes';
  const { packed } = document;
  let isOverfull = document.truncated && onOversize === 'disallow-all';
  let hasExplicitAllow = false;
  let hasWildcardAllow = false;
  let hasDisallow = false;
  for (const span of spans) {
    let count = 0;
    for (let at = span.from, next: number; at < span.to; at = next) {
      if (isAsWritten && isPlainRule(packed, at)) {
        references.push(2 * at);
        next = nextRecordAt(packed, at);
        count++;
        continue;
      }
      const record = new PackedRecord(packed, at);
      ({ next } = record);
      const kind = dialect.kindOf(record);
      const isAllow = kind === ALLOW;
      if (kind !== DISALLOW && !(isAllow && dialect.hasAllow)) continue;
      count++;
      const value = dialect.valueOf(record);
      const patterns = patternsOf(document, dialect, record, value, isAllow);
      for (const pattern of patterns) {
        copies ??= new RecordWriter();
        addPattern(references, copies, dialect, record, kind, pattern);
      }
      if (!isAllow) hasDisallow ||= patterns.length > 0;
      else if (patterns.some((pattern) => pattern.includes('*'))) hasWildcardAllow = true;
      else hasExplicitAllow ||= value !== '';
    }
    isOverfull ||= maxRulesPerGroup > 0 && count > maxRulesPerGroup;
  }
  // Steps 4 to 7 of robots §7.5: what a 2.0.0 group says about a URL that none of its rules matches.
  const isClosed =
    usesClasses && (hasWildcardAllow || (hasExplicitAllow && !(hasDisallow && ambiguousRules === 'everything-else')));
  const fallback = isOverfull ? 'overfull' : isClosed ? 'closed' : 'open';
  const extra = copies?.finish() ?? '';
  return {
    packed,
    extra,
    rows: encodeRows({ packed, extra }, references),
    parents: '',
    lookupsLeft: LOOKUPS_BEFORE_SORT,
    dialect,
    agent,
    fallback,
  };
}

/** Adds a reference to a record's pattern; a pattern with another spelling or weight is copied. */
function addPattern(
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
  // 2.0.0 does not imply a wildcard at the end, so the pattern is anchored (robots §5.5).
  const pattern = form === 'decoded-star' ? `${spelling}$` : spelling;
  const mark = written.indexOf('?');
  const query = form === 'n0' && mark >= 0 ? canonical(written, 'n1', true) : pattern;
  if (query !== pattern) {
    references.push(2 * copies.addCopy(kind | QUERY_ONLY, record.at, query, weight) + 1);
    // A text that begins with all of a pattern up to its query matches the rest in form `n1`, too.
    if (star < 0 || star > mark) return;
  }
  const isAsWritten = record.kind === kind && weight === lengthWeight(pattern.length, kind) && record.value === pattern;
  references.push(isAsWritten ? 2 * record.at : 2 * copies.addCopy(kind, record.at, pattern, weight) + 1);
}

/** The patterns that a rule line stands for in a dialect, in bytes; none if it does not count. */
export function patternsOf(
  document: RobotsDocument,
  dialect: Dialect,
  { notes }: PackedRecord,
  value: string,
  isAllow: boolean,
): string[] {
  if (!dialect.repairs) {
    // `Allow: /dir/index.html` also allows `/dir/` (specification, robots §5.2.5).
    const directory = isAllow && /^(.*\/)index\.htm[^/]*$/s.exec(value);
    return directory ? [value, `${directory[1]}$`] : value === '' ? [] : [value];
  }
  if (isAllow && notes & TOO_LONG) return [];
  if (!document.repair) return startsLikePath(value) ? [value] : [];
  const patterns = rulePatterns(isAllow, value, document.robotsUrl);
  if (isAllow || document.charset === null || !(notes & INVALID_UTF8)) return patterns;
  // R4: a second alternative, in the charset that the response declared.
  return [...patterns, ...patterns.flatMap((pattern) => transcoded(pattern, document.charset as string))];
}

/** A value re-encoded as UTF-8 from another charset; nothing for a charset that the platform does not know. */
function transcoded(bytes: string, charset: string): string[] {
  try {
    return [bytesOf(new TextDecoder(charset).decode(byteArray(bytes)))];
  } catch {
    // A RangeError: the charset is unknown, so only the bytes themselves count.
    return [];
  }
}
