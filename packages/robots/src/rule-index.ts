// Compiled rules: thousands of rules, one look-up.
//
// A pattern begins with a literal (up to its first `*` or final `$`). Patterns are sorted by it. The search starts at
// the last row that is not greater than the text and goes back: past a row that begins the text to the one before it,
// past another to the last that is not greater than what both share. Rules that can no longer win are skipped.
//
//     text /a/b/x      sorted   /    /a    /a/b    /a/b*c    /a/bz    /a/c
//                               5 ◄─ 4 ◄── 3 ◄──── 2 ◄────── 1, which shares /a/b
//
// Sorting costs as much as all else that a file costs, and some dozen looks through all rows. So the first questions are
// answered by looking through all of them, and those of a file that is asked no more never sort it. Both answer alike: to look
// through all counts as at least as much work, and where that is too much the rows are sorted at once.
//
// Rows are references (patterns.ts) in a string, one or two characters wide: a typed array costs 200 bytes before its
// first element.

import { charString } from './bytes.js';
import { MAX_MATCH_WORK } from './limits.js';
import { matchesStretch, mayMatch, passed, rememberText } from './pattern.js';
import { isForQueries, lengthOf, originOf, type Patterns, sourceOf, startOf, weightOf } from './patterns.js';
import { orderRules } from './rule-order.js';

const STAR = 0x2a;
const DOLLAR = 0x24;
/** The result of `findRule` when the work exceeds `MAX_MATCH_WORK`: the caller fails closed. */
export const OVERWORK = -3;
const BEGINS = -1;
const AFTER = -2;
/** Offsets up to which references are one character wide. */
const NARROW = 0x7fff;
/** Comparisons of a search among the rows, about. */
const SEARCH_STEPS = 8;
/** Rules compared in one decision before it pays to know which bytes the text holds. */
const TESTS_BEFORE_FILTER = 16;
/** Questions before rows are sorted. */
const FIRST_QUESTIONS = 8;
const IN_ORDER = -1;

/** A set of patterns. */
export interface RuleIndex extends Patterns {
  /** One for each pattern; in file order, until they are sorted. */
  rows: string;
  /** How many more questions leave them so, or `IN_ORDER`. */
  questions: number;
}

/** The rows of patterns in file order. */
export function rowsInFileOrder(patterns: Patterns, references: readonly number[]): Omit<RuleIndex, keyof Patterns> {
  return { rows: rowsOf(patterns, references), questions: FIRST_QUESTIONS };
}

/**
 * The rule that decides about a text.
 * @param isQueryForm - Whether the text is in form `n1`, or that is the same.
 * @param known - A rule that matches already, or -1.
 * @returns A reference, -1 for none, or `OVERWORK`.
 */
export function findRule(index: RuleIndex, text: string, isQueryForm: boolean, known = -1): number {
  if (index.questions > 0) {
    index.questions--;
    const found = lookThrough(index, text, isQueryForm, known);
    if (found !== OVERWORK) return found;
  }
  sortRows(index);
  let best = known;
  let bestWeight = known < 0 ? -1 : weightOf(index, known);
  let tests = 0;
  const most = passed.bytes + MAX_MATCH_WORK;
  let row = lastNotAfter(index, text);
  while (row >= 0) {
    const reference = referenceAt(index, row);
    const shared = beginning(index, reference, text);
    row = shared === BEGINS ? row - 1 : lastNotAfter(index, text, shared, row);
    if (passed.bytes > most) return OVERWORK;
    if (shared !== BEGINS) {
      passed.bytes += SEARCH_STEPS * Math.max(shared, 0);
      continue;
    }
    const weight = weightOf(index, reference);
    if (weight < bestWeight || (weight === bestWeight && originOf(index, reference) > originOf(index, best))) continue;
    if (++tests === TESTS_BEFORE_FILTER) rememberText(text);
    if (
      tests >= TESTS_BEFORE_FILTER &&
      !mayMatch(
        sourceOf(index, reference),
        startOf(index, reference),
        startOf(index, reference) + lengthOf(index, reference),
      )
    )
      continue;
    if (matches(index, reference, text, isQueryForm)) {
      best = reference;
      bestWeight = weight;
    }
  }
  return best;
}

/** `findRule` in any order: every row is compared, and counted, whatever is known already. */
function lookThrough(index: RuleIndex, text: string, isQueryForm: boolean, known: number): number {
  const most = passed.bytes + MAX_MATCH_WORK;
  let best = known;
  for (let row = rowCount(index) - 1; row >= 0 && passed.bytes <= most; row--) {
    const reference = referenceAt(index, row);
    const shared = beginning(index, reference, text);
    passed.bytes += SEARCH_STEPS * Math.max(shared, 1);
    if (shared !== BEGINS || !matches(index, reference, text, isQueryForm)) continue;
    const lead = best < 0 ? 1 : weightOf(index, reference) - weightOf(index, best);
    if (lead > 0 || (lead === 0 && originOf(index, reference) < originOf(index, best))) best = reference;
  }
  return passed.bytes > most ? OVERWORK : best;
}

/** Every rule that matches a text, in no particular order, equal ones once. For explanations. */
export function findEveryRule(index: RuleIndex, text: string, isQueryForm: boolean): number[] {
  sortRows(index);
  return references(index).filter((reference) => matches(index, reference, text, isQueryForm));
}

/** Whether a rule is meant for texts of a form, and matches one. */
function matches(index: RuleIndex, reference: number, text: string, isQueryForm: boolean): boolean {
  if (!isQueryForm && isForQueries(index, reference)) return false;
  const from = startOf(index, reference);
  return matchesStretch(sourceOf(index, reference), from, from + lengthOf(index, reference), text);
}

function sortRows(index: RuleIndex): void {
  if (index.questions === IN_ORDER) return;
  index.rows = rowsOf(index, orderRules(index, references(index)));
  index.questions = IN_ORDER;
}

function rowsOf(patterns: Patterns, references: readonly number[]): string {
  const width = isWide(patterns) ? 2 : 1;
  const codes = new Uint16Array(width * references.length);
  for (let row = 0; row < references.length; row++) {
    const reference = references[row] as number;
    codes[width * row] = reference >>> (16 * (width - 1));
    codes[width * row + width - 1] = reference;
  }
  return charString(codes);
}

function references(index: RuleIndex): number[] {
  return Array.from({ length: rowCount(index) }, (_, row) => referenceAt(index, row));
}

function rowCount(index: RuleIndex): number {
  return index.rows.length / (isWide(index) ? 2 : 1);
}

function isWide({ packed, extra }: Patterns): boolean {
  return packed.length > NARROW || extra.length > NARROW;
}

function referenceAt(index: RuleIndex, row: number): number {
  const { rows } = index;
  return isWide(index) ? rows.charCodeAt(2 * row) * 0x10000 + rows.charCodeAt(2 * row + 1) : rows.charCodeAt(row);
}

/** The last row, before `high` if given, whose literal is not greater than `text[0, end)`, or -1. */
function lastNotAfter(index: RuleIndex, text: string, end = text.length, high = rowCount(index)): number {
  let low = 0;
  let top = high;
  while (low < top) {
    const middle = (low + top) >>> 1;
    if (beginning(index, referenceAt(index, middle), text, end) === AFTER) top = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/** Compares a pattern's literal with `text[0, end)`: `BEGINS`, `AFTER`, or how many bytes they share. */
function beginning(index: RuleIndex, reference: number, text: string, end = text.length): number {
  const source = sourceOf(index, reference);
  const from = startOf(index, reference);
  const to = from + lengthOf(index, reference);
  for (let i = from; i < to; i++) {
    const c = source.charCodeAt(i);
    if (c === STAR || (c === DOLLAR && i === to - 1)) break;
    const shared = i - from;
    if (shared === end) return AFTER;
    const d = text.charCodeAt(shared);
    if (c !== d) return c < d ? shared : AFTER;
  }
  return BEGINS;
}
