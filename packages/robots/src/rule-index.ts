// Compiled rules: thousands of rules, one lookup.
//
// A reference to a pattern is twice the offset of its record in the packed file. An odd reference points into `extra`:
// copies of patterns with another spelling or weight, as records with the rule's offset in place of the line.
//
//     extra      kind | 0x20 for form n1 alone   length   offset   pattern…   weight
//
// A pattern begins with a literal (up to its first `*` or final `$`). Patterns are sorted by it, and each row knows the
// last row before it whose literal is a prefix of its own. The search starts at the last row that is not greater than
// the text and follows these links: no other row's literal can be a prefix of the text. Rules that can no longer win
// are skipped.
//
//     text /a/b/x      sorted   /    /a    /a/b    /a/b*c    /a/bz    /a/c
//                               5 ◄─ 4 ◄── 3 ◄──── 2 ◄────── 1
//
// Sorting costs as much as parsing, or some dozen scans of all rows. So the first lookups scan all rows, and a file
// with few lookups is never sorted. The answer is the same: a scan skips no row because of what is known already, so
// it is at least as much work as a search; if it is too much work, the rows are sorted at once.
//
// Rows are references in a string, one or two characters wide: a typed array costs 200 bytes before its first element.

import { charString, twoChars, twoCharsAt } from './bytes.js';
import { ALLOW } from './fields.js';
import { MAX_MATCH_WORK } from './limits.js';
import { lineAt, numberAt, valueStart } from './packed-records.js';
import { indexText, matchesRange, mayMatch, searchWork } from './pattern.js';

const STAR = 0x2a;
const DOLLAR = 0x24;
/** The result of `findRule` when the work exceeds `MAX_MATCH_WORK`: the caller fails closed. */
export const TOO_MUCH_WORK = -3;
const IS_PREFIX = -1;
const SORTS_AFTER = -2;
/** Offsets up to which references are one character wide. */
const MAX_NARROW = 0x7fff;
/** Rules compared in one decision before it pays to index the text's bytes. */
const TESTS_BEFORE_FILTER = 16;
/** The rows are sorted before the lookup of this number. */
export const LOOKUPS_BEFORE_SORT = 8;

/** In the head of a copied rule: only for texts in form `n1`. */
export const QUERY_ONLY = 0x20;
const KIND = 0x0f;

/** The strings that hold patterns. References are valid for one such object only. */
interface Patterns {
  /** The packed file. */
  readonly packed: string;
  /** The copied patterns. */
  readonly extra: string;
}

/** A pattern, `source[from, to)`. */
interface Pattern {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  /** Offset of its record. */
  readonly at: number;
  readonly isCopy: boolean;
}

/** The pattern of a reference. */
export function patternAt({ packed, extra }: Patterns, reference: number): Pattern {
  const at = reference >> 1;
  const isCopy = (reference & 1) === 1;
  const source = isCopy ? extra : packed;
  const from = valueStart(source, at);
  return { source, from, to: from + numberAt(source, at + 1), at, isCopy };
}

/** Whether a rule is an `Allow`. */
export function isAllowRule(patterns: Patterns, reference: number): boolean {
  return kindOf(patternAt(patterns, reference)) === ALLOW;
}

/** Whether a pattern is only for texts in form `n1`. */
function isForQueries({ source, at, isCopy }: Pattern): boolean {
  return isCopy && (source.charCodeAt(at) & QUERY_ONLY) > 0;
}

/** The weight of a rule by its length: the longest wins, `Allow` on a tie (RFC 9309 §2.2.2). */
export function lengthWeight(length: number, kind: number): number {
  return 2 * length + (kind === ALLOW ? 1 : 0);
}

/** A rule's rank, 0 to 2^24; the highest matching one decides, the first among equals. */
export function weightOf(pattern: Pattern): number {
  const { source, from, to, isCopy } = pattern;
  return isCopy ? numberAt(source, to) : lengthWeight(to - from, kindOf(pattern));
}

/** Offset of the rule's record in the packed file. */
export function originOf({ source, at, isCopy }: Pattern): number {
  return isCopy ? lineAt(source, at) : at;
}

function kindOf({ source, at }: Pattern): number {
  return source.charCodeAt(at) & KIND;
}

/** A set of patterns. */
export interface RuleIndex extends Patterns {
  /** One for each pattern; in file order until they are sorted. */
  rows: string;
  /**
   * For each sorted row, the number (from 1) of the last row before it whose literal is a prefix of its own; 0: none.
   */
  parents: string;
  /** Lookups left before the rows are sorted; 0: they are sorted. */
  lookupsLeft: number;
}

/**
 * The rule that decides about a text.
 * @param isQueryForm - Whether the text is in form `n1`, or both forms are the same.
 * @param known - A rule already known to match, or -1.
 * @returns A reference, -1 for none, or `TOO_MUCH_WORK`.
 */
export function findRule(index: RuleIndex, text: string, isQueryForm: boolean, known = -1): number {
  if (index.lookupsLeft > 0 && --index.lookupsLeft === 0) sortRows(index);
  const isSorted = index.lookupsLeft === 0;
  const maxWork = searchWork.bytes + MAX_MATCH_WORK;
  let best = known;
  let bestWeight = known < 0 ? -1 : weightOf(patternAt(index, known));
  let tests = 0;
  for (let row = isSorted ? lastNotAfter(index, text) : rowCount(index); row > 0; ) {
    const reference = decodeRow(index, index.rows, row);
    const pattern = patternAt(index, reference);
    const shared = compareLiteral(pattern, text);
    row = isSorted ? decodeRow(index, index.parents, row) : row - 1;
    searchWork.bytes += Math.max(shared, 0);
    if (shared === IS_PREFIX) {
      const weight = weightOf(pattern);
      const isWeaker =
        weight < bestWeight || (weight === bestWeight && originOf(pattern) > originOf(patternAt(index, best)));
      if (isSorted && !isWeaker && ++tests === TESTS_BEFORE_FILTER) indexText(text);
      const isSkipped =
        isSorted && (isWeaker || (tests >= TESTS_BEFORE_FILTER && !mayMatch(pattern.source, pattern.from, pattern.to)));
      if (!isSkipped && matches(pattern, text, isQueryForm) && !isWeaker) {
        best = reference;
        bestWeight = weight;
      }
    }
    if (searchWork.bytes <= maxWork) continue;
    if (isSorted) return TOO_MUCH_WORK;
    sortRows(index);
    return findRule(index, text, isQueryForm, known);
  }
  return best;
}

/** Every rule that matches a text, unordered, equal ones once. For explanations. */
export function findEveryRule(index: RuleIndex, text: string, isQueryForm: boolean): number[] {
  if (index.lookupsLeft > 0) sortRows(index);
  return references(index).filter((reference) => matches(patternAt(index, reference), text, isQueryForm));
}

/** Whether a pattern is for texts of a form, and matches one. */
function matches(pattern: Pattern, text: string, isQueryForm: boolean): boolean {
  const { source, from, to } = pattern;
  return (isQueryForm || !isForQueries(pattern)) && matchesRange(source, from, to, text);
}

function sortRows(index: RuleIndex): void {
  const ordered = orderRules(index, references(index));
  index.rows = encodeRows(index, ordered.references);
  index.parents = encodeRows(index, ordered.parents);
  index.lookupsLeft = 0;
}

/**
 * Sorts rules by literal. Among equal literals the strongest comes last, because a search begins there; then by the
 * rest of the pattern, so that equal rules are adjacent, and all but the first in the file are dropped.
 */
function orderRules(patterns: Patterns, unsorted: readonly number[]) {
  // The platform compares strings: each holds all that counts, and the place in the file.
  const keys = unsorted.map((reference, position) => {
    const pattern = patternAt(patterns, reference);
    const text = pattern.source.slice(pattern.from, pattern.to);
    // If their forms differ, equal patterns are two rules.
    const rank = 2 * weightOf(pattern) + (isForQueries(pattern) ? 1 : 0);
    return `${text.replace(/\*.*$|\$$/s, '')}\0${twoChars(rank)}${text}${twoChars(position)}`;
  });
  const references: number[] = [];
  const parents: number[] = [];
  const literals: string[] = [];
  let last = '';
  for (const key of keys.sort()) {
    const rule = key.slice(0, -2);
    if (rule === last) continue;
    last = rule;
    const literal = key.slice(0, key.indexOf('\0'));
    let parent = literals.length;
    while (parent > 0 && !literal.startsWith(literals[parent - 1] as string)) parent = parents[parent - 1] as number;
    literals.push(literal);
    parents.push(parent);
    references.push(unsorted[twoCharsAt(key, key.length - 2)] as number);
  }
  return { references, parents };
}

/** Encodes references to patterns, or row numbers. */
export function encodeRows(patterns: Patterns, numbers: readonly number[]): string {
  if (!isWide(patterns)) return charString(numbers);
  const codes: number[] = [];
  for (const number of numbers) codes.push(number >>> 16, number & 0xffff);
  return charString(codes);
}

function references(index: RuleIndex): number[] {
  return Array.from({ length: rowCount(index) }, (_, at) => decodeRow(index, index.rows, at + 1));
}

function rowCount(index: RuleIndex): number {
  return index.rows.length / (isWide(index) ? 2 : 1);
}

function isWide({ packed, extra }: Patterns): boolean {
  return packed.length > MAX_NARROW || extra.length > MAX_NARROW;
}

/** The number that `encodeRows` wrote in a row; rows are numbered from 1. */
function decodeRow(index: RuleIndex, rows: string, row: number): number {
  return isWide(index) ? twoCharsAt(rows, 2 * row - 2) : rows.charCodeAt(row - 1);
}

/** The last row whose literal is not greater than a text, or 0. */
function lastNotAfter(index: RuleIndex, text: string): number {
  let low = 0;
  let top = rowCount(index);
  while (low < top) {
    const middle = (low + top + 1) >>> 1;
    if (compareLiteral(patternAt(index, decodeRow(index, index.rows, middle)), text) === SORTS_AFTER) top = middle - 1;
    else low = middle;
  }
  return low;
}

/** Compares a pattern's literal with a text: `IS_PREFIX`, `SORTS_AFTER`, or how many bytes they share. */
function compareLiteral({ source, from, to }: Pattern, text: string): number {
  for (let i = from; i < to; i++) {
    const c = source.charCodeAt(i);
    if (c === STAR || (c === DOLLAR && i === to - 1)) break;
    const shared = i - from;
    // After its end a text has no code (NaN), which is less than any.
    const d = text.charCodeAt(shared);
    if (c !== d) return c < d ? shared : SORTS_AFTER;
  }
  return IS_PREFIX;
}
