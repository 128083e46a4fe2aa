// Patterns of compiled rules. A reference to one is twice the offset of its record in the packed file; or, odd, in
// `extra`: copies of patterns that are spelt or weighed otherwise, as records with the rule's offset in place of the
// line.
//
//     extra      kind | 0x20 for form n1 alone   length   offset   pattern…   weight

import { ALLOW } from './fields.js';
import { lineAt, numberAt, valueStart } from './packed-records.js';

/** In the head of a copied rule: for texts in form `n1` alone. */
export const QUERY_ONLY = 0x20;
const KIND = 0x0f;

/** Where patterns are. References are meaningful to it alone. */
export interface Patterns {
  /** The packed file. */
  readonly packed: string;
  /** The copied patterns. */
  readonly extra: string;
}

/** A pattern, `source[from, to)`. */
export interface Pattern {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  /** Where its record is. */
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

/** Whether the rule is an `Allow`. */
export function isAllowRule(patterns: Patterns, reference: number): boolean {
  return kindOf(patternAt(patterns, reference)) === ALLOW;
}

/** Whether a pattern is for texts in form `n1` alone. */
export function isForQueries({ source, at, isCopy }: Pattern): boolean {
  return isCopy && (source.charCodeAt(at) & QUERY_ONLY) > 0;
}

/** The weight a rule has by its length: the longest wins, `Allow` on a tie (RFC 9309 §2.2.2). */
export function lengthWeight(length: number, kind: number): number {
  return 2 * length + (kind === ALLOW ? 1 : 0);
}

/** A rule's rank; the highest matching one decides, the earliest of equal ones. 0 to 2^24. */
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
