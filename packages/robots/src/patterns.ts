// Patterns of compiled rules. A reference to one is twice the offset of its record in the packed file; or, odd, in
// `extra`: copies of patterns that are spelt or weighed otherwise, as records with the rule's offset in place of the
// line.
//
//     extra      kind | 0x20 for form n1 alone   length   offset   pattern…   weight

import { ALLOW } from './fields.js';
import { lineAt, numberAt, valueStart } from './packed-records.js';

/** In the head of a copied rule: for texts in form `n1` alone. */
export const QUERY_ONLY = 0x20;
const KIND = 0x1f;

/** Where patterns are. References are meaningful to it alone. */
export interface Patterns {
  /** The packed file. */
  readonly packed: string;
  /** The copied patterns. */
  readonly extra: string;
}

/** The string that a reference points into. */
export function sourceOf({ packed, extra }: Patterns, reference: number): string {
  return reference & 1 ? extra : packed;
}

/** Where the pattern begins there. */
export function startOf(patterns: Patterns, reference: number): number {
  return valueStart(sourceOf(patterns, reference), reference >> 1);
}

/** How long it is. */
export function lengthOf(patterns: Patterns, reference: number): number {
  return numberAt(sourceOf(patterns, reference), (reference >> 1) + 1);
}

/** The pattern itself. */
export function patternOf(patterns: Patterns, reference: number): string {
  const start = startOf(patterns, reference);
  return sourceOf(patterns, reference).slice(start, start + lengthOf(patterns, reference));
}

/** Whether the rule is an `Allow`. */
export function isAllowRule(patterns: Patterns, reference: number): boolean {
  return (sourceOf(patterns, reference).charCodeAt(reference >> 1) & KIND) === ALLOW;
}

/** Whether a rule is for texts in form `n1` alone. */
export function isForQueries({ extra }: Patterns, reference: number): boolean {
  return (reference & 1) === 1 && (extra.charCodeAt(reference >> 1) & QUERY_ONLY) > 0;
}

/** The weight a rule has by its length: the longest wins, `Allow` on a tie (RFC 9309 §2.2.2). */
export function lengthWeight(length: number, kind: number): number {
  return 2 * length + (kind === ALLOW ? 1 : 0);
}

/** The rule's rank; the highest matching one decides, the earliest of equal ones. 0 to 2^24. */
export function weightOf(patterns: Patterns, reference: number): number {
  const length = lengthOf(patterns, reference);
  return reference & 1
    ? numberAt(patterns.extra, startOf(patterns, reference) + length)
    : lengthWeight(length, patterns.packed.charCodeAt(reference >> 1) & KIND);
}

/** Offset of the rule's record in the packed file. */
export function originOf({ extra }: Patterns, reference: number): number {
  return reference & 1 ? lineAt(extra, reference >> 1) : reference >> 1;
}
