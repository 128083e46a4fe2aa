// Compiled rules: thousands of rules, one look-up.
//
// A pattern begins with a literal (up to its first `*` or final `$`). Patterns are sorted by it. The search starts at
// the last entry that is not greater than the text and goes back: past an entry that begins the text to the one before
// it, past another to the last that is not greater than what both share. Rules that can no longer win are skipped.
//
//     text /a/b/x      sorted   /    /a    /a/b    /a/b*c    /a/bz    /a/c
//                               5 ◄─ 4 ◄── 3 ◄──── 2 ◄────── 1, which shares /a/b
//
// Entries are references in a string, one or two characters wide: a typed array costs 200 bytes before its first
// element. A reference is twice an offset into the packed file, or, odd, into `extra`: copies of patterns that are
// normalized or weighed otherwise, as records with the rule's offset in place of the line.
//
//     extra      kind | 0x20 for form n1 alone   length   offset   pattern…   weight

import { ALLOW } from './fields.js';
import { MAX_MATCH_WORK } from './limits.js';
import { lineAt, numberAt, numberText, valueStart } from './packed-records.js';
import { matchesStretch, mayMatch, passed, rememberText } from './pattern.js';

const STAR = 0x2a;
const DOLLAR = 0x24;
/** In the head of a copied rule: for texts in form `n1` alone. */
export const QUERY_ONLY = 0x20;
const KIND = 0x1f;
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

/** A pattern to be compiled. */
interface IndexedRule {
  readonly pattern: string;
  /** What the pattern begins with. */
  readonly literal: string;
  readonly key: number;
  /** Offset of its record in the packed file. */
  readonly at: number;
  /** `ALLOW` or `DISALLOW`, with `QUERY_ONLY` where the pattern is for texts in form `n1` alone. */
  readonly head: number;
  /** The highest matching weight decides, the earlier line on a tie; 0 to 2^24. */
  readonly weight: number;
}

/** By canonical pattern the strongest rule, of equal ones the first. */
export type StrongestRules = Map<string, IndexedRule>;

/** Adds a rule, in file order. */
export function addRule(rules: StrongestRules, pattern: string, at: number, head: number, weight: number): void {
  const known = rules.get(pattern);
  if (known !== undefined && known.weight >= weight) return;
  const literal = literalOf(pattern);
  rules.set(pattern, { pattern, literal, key: sortKey(literal), at, head, weight });
}

/** The weight a rule has by its length: the longest wins, `Allow` on a tie (RFC 9309 §2.2.2). */
export function lengthWeight(length: number, kind: number): number {
  return 2 * length + (kind === ALLOW ? 1 : 0);
}

/** A set of patterns. References that it hands out are meaningful to it alone. */
export interface RuleIndex {
  /** The packed file. */
  readonly packed: string;
  /** The copied patterns. */
  readonly extra: string;
  /** The sorted entries. */
  readonly rows: string;
}

/** Compiles rules. */
export function indexRules(packed: string, rules: StrongestRules): RuleIndex {
  // Where literals are equal the strongest comes last, which is where the walk begins.
  const entries = [...rules.values()].sort(
    (a, b) => a.key - b.key || (a.literal < b.literal ? -1 : a.literal > b.literal ? 1 : a.weight - b.weight),
  );
  const copies: string[] = [];
  let copied = 0;
  const references = entries.map(({ pattern, at, head, weight }) => {
    const { length } = pattern;
    const isAsWritten =
      numberAt(packed, at + 1) === length &&
      (packed.charCodeAt(at) & KIND) === head &&
      weight === lengthWeight(length, head) &&
      packed.startsWith(pattern, valueStart(packed, at));
    if (isAsWritten) return 2 * at;
    const copy = String.fromCharCode(head) + numberText(length) + numberText(at) + pattern + numberText(weight);
    copies.push(copy);
    copied += copy.length;
    return 2 * (copied - copy.length) + 1;
  });
  const extra = copies.join('');
  const isTwoWide = isWide({ packed, extra });
  const rows = references.map((reference) =>
    isTwoWide ? String.fromCharCode(reference >>> 16, reference & 0xffff) : String.fromCharCode(reference),
  );
  return { packed, extra, rows: rows.join('') };
}

/**
 * The rule that decides about a text.
 * @param isQueryForm - Whether the text is in form `n1`, or that is the same.
 * @param known - A rule that matches already, or -1.
 * @returns A reference, -1 for none, or `OVERWORK`.
 */
export function findRule(index: RuleIndex, text: string, isQueryForm: boolean, known = -1): number {
  let best = known;
  let bestWeight = known < 0 ? -1 : weightOf(index, known);
  let tests = 0;
  const most = passed.bytes + MAX_MATCH_WORK;
  let row = lastNotAfter(index, text);
  while (row >= 0) {
    const reference = referenceAt(index, row);
    const source = sourceOf(index, reference);
    const from = valueStart(source, reference >> 1);
    const to = from + numberAt(source, (reference >> 1) + 1);
    const shared = compare(source, from, to, text, text.length);
    row = shared === BEGINS ? row - 1 : lastNotAfter(index, text, shared, row);
    if (passed.bytes > most) return OVERWORK;
    if (shared !== BEGINS) {
      passed.bytes += SEARCH_STEPS * Math.max(shared, 0);
      continue;
    }
    const weight = weightAt(source, reference, from, to);
    if (weight < bestWeight || (weight === bestWeight && originOf(index, reference) > originOf(index, best))) continue;
    if (++tests === TESTS_BEFORE_FILTER) rememberText(text);
    if (tests >= TESTS_BEFORE_FILTER) {
      if (!mayMatch(source, from, to)) continue;
    }
    if (applies(index, reference, isQueryForm) && matchesStretch(source, from, to, text)) {
      best = reference;
      bestWeight = weight;
    }
  }
  return best;
}

/** Every rule that matches a text, in no particular order. For explanations. */
export function findEveryRule(index: RuleIndex, text: string, isQueryForm: boolean): number[] {
  const found: number[] = [];
  let row = lastNotAfter(index, text);
  while (row >= 0) {
    const reference = referenceAt(index, row);
    const source = sourceOf(index, reference);
    const from = valueStart(source, reference >> 1);
    const to = from + numberAt(source, (reference >> 1) + 1);
    const shared = compare(source, from, to, text, text.length);
    row = shared === BEGINS ? row - 1 : lastNotAfter(index, text, shared, row);
    if (applies(index, reference, isQueryForm) && matchesStretch(source, from, to, text)) found.push(reference);
  }
  return found;
}

/** Whether the rule is an `Allow`. */
export function isAllowRule(index: RuleIndex, reference: number): boolean {
  return (sourceOf(index, reference).charCodeAt(reference >> 1) & KIND) === ALLOW;
}

/** The rule's rank; the highest matching one decides, the earliest of equal ones. */
export function weightOf(index: RuleIndex, reference: number): number {
  const source = sourceOf(index, reference);
  const from = valueStart(source, reference >> 1);
  return weightAt(source, reference, from, from + numberAt(source, (reference >> 1) + 1));
}

function weightAt(source: string, reference: number, from: number, to: number): number {
  return reference & 1 ? numberAt(source, to) : lengthWeight(to - from, source.charCodeAt(reference >> 1) & KIND);
}

/** Offset of the rule's record in the packed file. */
export function originOf(index: RuleIndex, reference: number): number {
  return reference & 1 ? lineAt(index.extra, reference >> 1) : reference >> 1;
}

function sourceOf({ packed, extra }: RuleIndex, reference: number): string {
  return reference & 1 ? extra : packed;
}

function literalOf(pattern: string): string {
  const star = pattern.indexOf('*');
  if (star >= 0) return pattern.slice(0, star);
  return pattern.endsWith('$') ? pattern.slice(0, -1) : pattern;
}

/** The first six bytes of a literal as a number, which compares faster than text. */
function sortKey(literal: string): number {
  let key = 0;
  for (let i = 0; i < 6; i++) key = key * 256 + (literal.charCodeAt(i) || 0);
  return key;
}

/** Whether a rule is meant for texts of this form. */
function applies({ extra }: RuleIndex, reference: number, isQueryForm: boolean): boolean {
  return isQueryForm || !(reference & 1 && extra.charCodeAt(reference >> 1) & QUERY_ONLY);
}

function isWide({ packed, extra }: Omit<RuleIndex, 'rows'>): boolean {
  return packed.length > NARROW || extra.length > NARROW;
}

function referenceAt(index: RuleIndex, row: number): number {
  const { rows } = index;
  return isWide(index) ? rows.charCodeAt(2 * row) * 0x10000 + rows.charCodeAt(2 * row + 1) : rows.charCodeAt(row);
}

/** The last row, before `high` if given, whose literal is not greater than `text[0, end)`, or -1. */
function lastNotAfter(index: RuleIndex, text: string, end = text.length, high?: number): number {
  let low = 0;
  let top = high ?? index.rows.length / (isWide(index) ? 2 : 1);
  while (low < top) {
    const middle = (low + top) >>> 1;
    const reference = referenceAt(index, middle);
    const source = sourceOf(index, reference);
    const from = valueStart(source, reference >> 1);
    const to = from + numberAt(source, (reference >> 1) + 1);
    if (compare(source, from, to, text, end) === AFTER) top = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/** Compares a pattern's literal with `text[0, end)`: `BEGINS`, `AFTER`, or how many bytes they share. */
function compare(source: string, from: number, to: number, text: string, end: number): number {
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
