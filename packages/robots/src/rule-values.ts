// The meaning of a rule line: its value → the patterns it stands for. The repairs here may make a crawl stricter, never
// less strict (P1): they turn a malformed `Disallow` into rules and drop a malformed `Allow`.

import { textOf } from './bytes.js';
import { hostOf, readHost } from './read-url.js';

/** If a part has a `*`, the blank is part of one pattern. */
const SEVERAL_PATHS = /^\/[^* \t]*(?:[ \t]+\/[^* \t]*)+$/;

/**
 * The patterns of a rule line (robots §3.6, §3.7, R13, R14).
 * @param robotsUrl - The URL requested for the file, to recognise its own authority; if it is unknown, any authority
 *   counts as its own, which is the stricter reading.
 * @returns Patterns in bytes; empty for an empty value or an unusable rule.
 */
export function rulePatterns(isAllow: boolean, value: string, robotsUrl: string | null): string[] {
  if (value === '') return [];
  if (isAllow) return startsLikePath(value) ? [value] : [];
  if (isSeveralPaths(value)) return value.split(/[ \t]+/);
  if (startsLikePath(value)) return [value];
  const url = absoluteUrl(value);
  if (url === null) return [`/${value}`];
  const isForeign = robotsUrl !== null && readHost(textOf(url.authority)) !== hostOf(robotsUrl);
  return isForeign ? [] : [url.path];
}

/** Whether a value is a path or begins with a wildcard. @param at - Where it begins. */
export function startsLikePath(value: string, at = 0): boolean {
  return value.startsWith('/', at) || value.startsWith('*', at);
}

/** Whether a `Disallow` value is several paths. */
export function isSeveralPaths(value: string): boolean {
  return SEVERAL_PATHS.test(value);
}

/** The parts of an absolute http(s) URL; `null` for anything else. */
export function absoluteUrl(value: string): { authority: string; path: string } | null {
  const match = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(value);
  if (match === null) return null;
  const [, authority = '', path = ''] = match;
  return { authority, path: path.startsWith('/') ? path : `/${path}` };
}
