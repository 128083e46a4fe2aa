// The TDM Reservation Protocol: rights reserved or not, by file, header, HTML or embedded metadata (page-level §5).
// Later places supersede earlier ones value by value. Only here the strictest does not win, because the report defines
// an order (DECISION L9).

import { textOf } from '../bytes.js';
import { MAX_TDM_CHARS, MAX_TDM_RULES } from '../limits.js';
import { matchesPattern } from '../matches-pattern.js';
import { parseJson } from '../parse-json.js';
import { targetOf } from '../pattern.js';
import { readWebUrl } from '../read-url.js';

/** What one place says, or all of them together. Null: unset. */
export interface TdmReservation {
  readonly reserved: boolean | null;
  /** An absolute http(s) URL; null if there is none or nothing is reserved. */
  readonly policy: string | null;
}

export const UNSET_TDM: TdmReservation = Object.freeze({ reserved: null, policy: null });

/** One usable rule of a tdmrep.json. */
export interface TdmRule {
  readonly location: string;
  readonly reserved: boolean;
  readonly policy: string | null;
}

/** The path of the file, on the authority of the pages it covers. */
export const TDMREP_PATH = '/.well-known/tdmrep.json';

/**
 * Reads a tdmrep.json: the body's bytes, its text, or parsed. Unusable rules are skipped (page-level §5). Text that is
 * not JSON but mentions reservations reserves everything, and so does a reservation whose location is not a path.
 */
export function parseTdmRep(json: unknown, fileUrl: string): readonly TdmRule[] {
  const text = json instanceof Uint8Array ? new TextDecoder().decode(json) : json;
  // Text that was not decoded by a TextDecoder may still have its byte order mark.
  const value = typeof text === 'string' ? parseJson(text.replace(/^\ufeff/, '')) : text;
  const rules: TdmRule[] = [];
  let chars = 0;
  // Entries beyond a bound are unknown, and count as reserved.
  const reserveRest = (): TdmRule[] => [...rules, { location: '/', reserved: true, policy: null }];
  if (value === null && typeof text === 'string' && text.includes('tdm-reservation')) return reserveRest();
  for (const entry of Array.isArray(value) ? value : [value]) {
    if (rules.length === MAX_TDM_RULES) return reserveRest();
    if (typeof entry !== 'object' || entry === null) continue;
    const { location, 'tdm-reservation': reservation, 'tdm-policy': policy } = entry as Record<string, unknown>;
    const reserved = readReservation(reservation);
    if (typeof location !== 'string' || reserved === null) continue;
    const isPath = /^[/*]/.test(location);
    if (!isPath && !reserved) continue;
    const rule: TdmRule = { location: isPath ? location : '/', reserved, policy: readPolicy(policy, fileUrl) };
    chars += JSON.stringify(rule).length;
    if (chars > MAX_TDM_CHARS) return reserveRest();
    rules.push(rule);
  }
  return rules;
}

/** What the file says about a URL, absolute or a path with query: its first matching rule (page-level §5). */
export function tdmForUrl(rules: readonly TdmRule[], url: string): TdmReservation {
  if (rules.length === 0) return UNSET_TDM;
  const path = textOf(targetOf(url).path);
  const rule = rules.find(({ location }) => matchesPattern(location, path));
  return { reserved: rule?.reserved ?? null, policy: rule?.policy ?? null };
}

/** What a header, meta elements or embedded metadata say. Only `1` and `0` are values (page-level §5). */
export function readTdm(reservation: string | null, policy: string | null, baseUrl: string): TdmReservation {
  return { reserved: readReservation(reservation?.trim()), policy: readPolicy(policy, baseUrl) };
}

/** Merges file, header, HTML and embedded metadata, in this order: later values win (page-level §5, DECISION L9). */
export function mergeTdm(reservations: readonly TdmReservation[]): TdmReservation {
  const reserved = reservations.findLast((each) => each.reserved !== null)?.reserved ?? null;
  const policy = reservations.findLast((each) => each.policy !== null)?.policy ?? null;
  return { reserved, policy: reserved === false ? null : policy };
}

function readReservation(value: unknown): boolean | null {
  if (value === 1 || value === '1') return true;
  return value === 0 || value === '0' ? false : null;
}

function readPolicy(value: unknown, baseUrl: string): string | null {
  return typeof value === 'string' ? (readWebUrl(value.trim(), baseUrl)?.href ?? null) : null;
}
