/**
 * How long an answer is fresh, from its cache headers: computed once, on receipt.
 *
 * Clause: specification, access §6. `s-maxage` is ignored, because a crawler is a private cache (DECISION A10).
 */
import { LIFETIME_1996_MS, LIFETIME_MS, MIN_LIFETIME_MS } from '../limits.js';
import { parseHttpDate } from './http-date.js';
import type { AccessProfile } from './profile.js';

/** Response header fields: lower-case name → value; several lines of one field are joined by a comma. */
export type HeaderLookup = Readonly<Record<string, string | undefined>>;

/**
 * The lifetime of a robots.txt answer in a profile: at least ten minutes, at most a day, or a week in 1996.
 *
 * @param receivedAtMs - Epoch milliseconds of receipt; stands for a missing `Date`.
 * @returns Milliseconds.
 * @throws Never.
 * @see specification, access §6, DECISIONS A9 and A10
 */
export function robotsLifetimeMs(headers: HeaderLookup, receivedAtMs: number, profile: AccessProfile): number {
  return lifetimeMs(headers, receivedAtMs, profile === '1996' ? LIFETIME_1996_MS : LIFETIME_MS);
}

/**
 * The same with any longest lifetime, which is the default too.
 *
 * @param longestMs - Milliseconds: the lifetime without cache headers, and the most that headers can ask for.
 * @returns Milliseconds, from ten minutes to `longestMs`.
 * @throws Never.
 * @see specification, access §6; specification, data-txt §6
 */
export function lifetimeMs(headers: HeaderLookup, receivedAtMs: number, longestMs: number): number {
  return Math.min(Math.max(baseMs(headers, receivedAtMs) ?? longestMs, MIN_LIFETIME_MS), longestMs);
}

/**
 * Whether an answer may be written to disk: `no-store` keeps it in memory for its lifetime (DECISION A9).
 *
 * @throws Never.
 * @see specification, access §6
 */
export function mayStore(headers: HeaderLookup): boolean {
  return !cacheDirectives(headers['cache-control']).has('no-store');
}

function baseMs(headers: HeaderLookup, receivedAtMs: number): number | null {
  const directives = cacheDirectives(headers['cache-control']);
  if (directives.has('no-store') || directives.has('no-cache')) return 0;
  const maxAge = seconds(directives.get('max-age'));
  if (maxAge !== null) return (maxAge - (seconds(headers['age']) ?? 0)) * 1000;
  const expires = headers['expires'];
  if (expires === undefined) return null;
  const expiresMs = parseHttpDate(expires);
  return expiresMs === null ? 0 : expiresMs - (parseHttpDate(headers['date'] ?? '') ?? receivedAtMs);
}

/** Name → argument; of a repeated max-age the smaller one, so that order cannot lengthen anything. */
function cacheDirectives(value: string | undefined): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const match of (value ?? '').matchAll(/([^\s,;="]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g)) {
    const name = (match[1] ?? '').toLowerCase();
    const argument = match[2] ?? match[3] ?? '';
    const earlier = directives.get(name);
    const isShorter = (seconds(argument) ?? Infinity) < (seconds(earlier) ?? Infinity);
    if (earlier === undefined || isShorter) directives.set(name, argument);
  }
  return directives;
}

function seconds(text: string | undefined): number | null {
  return text !== undefined && /^[ \t]*\d+[ \t]*$/.test(text) ? Number(text) : null;
}
