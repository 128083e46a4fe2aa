// The operator's patterns for URLs. As text they are written as in robots.txt: the beginning of path and query, `*` for
// anything, `$` for the end. Text never becomes a regular expression, so matching takes bounded time. A `RegExp` object
// is used as it is.

import { formatUrlParts, type UrlParts } from '@mannerly/frontier/internal';
import { matchesPattern } from '@mannerly/robots';
import { invalidOption } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import { MAX_URL_PATTERN_CHARS, MAX_URL_PATTERNS } from './limits.js';

/**
 * Which URLs are meant.
 *
 * - `'/docs/'`, `'/*.pdf$'`, `'/search?*page='`: path and query, as in robots.txt, on every host.
 * - `'https://example.org/docs/'`: the same, of that scheme, host and port only.
 * - `/\.pdf$/i`: the whole URL, without fragment.
 */
export type UrlPattern = string | RegExp;

/** Whether a URL is meant. */
export type UrlTest = (url: UrlParts) => boolean;

/**
 * Reads patterns.
 *
 * @returns Whether any of them matches; `null` where there are none.
 * @throws MannerlyError `option-invalid`, naming the option, its range and the value.
 */
export function readPatterns(option: string, given: readonly UrlPattern[] | undefined): UrlTest | null {
  if (given === undefined) return null;
  if (!Array.isArray(given) || given.length > MAX_URL_PATTERNS) {
    throw invalidOption(option, `a list of at most ${MAX_URL_PATTERNS} patterns`, given);
  }
  const tests = given.map((pattern) => readPattern(option, pattern as unknown));
  return tests.length === 0 ? null : (url) => tests.some((test) => test(url));
}

/** Path and query as they are requested. @throws Never */
export function pathAndQuery({ path, query }: UrlParts): string {
  return query === null ? path : `${path}?${query}`;
}

function readPattern(option: string, pattern: unknown): UrlTest {
  if (pattern instanceof RegExp) return byRegExp(option, pattern);
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_URL_PATTERN_CHARS) {
    throw invalidOption(option, `patterns of 1 to ${MAX_URL_PATTERN_CHARS} characters, or RegExp objects`, pattern);
  }
  if (/^[/*]/.test(pattern)) return byPath(pattern);
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#*$]+)(.*)$/i.exec(pattern) ?? [];
  const from = parseUrl(origin);
  if (from === null) {
    throw invalidOption(option, 'patterns to begin with /, *, http:// or https://', pattern);
  }
  const { protocol, hostname, port } = from;
  const test = path === '' || path === '/' ? () => true : byPath(path);
  return (url) => `${url.scheme}:` === protocol && url.host === hostname && url.port === port && test(url);
}

function byPath(pattern: string): UrlTest {
  // Most patterns are plain beginnings, and most URLs hold no escapes: then both are compared as they are.
  const isPlain = /^[\w/.?&=;,:@!~+-]+$/.test(pattern);
  return (url) => {
    const text = pathAndQuery(url);
    return isPlain && !text.includes('%') ? text.startsWith(pattern) : matchesPattern(pattern, text);
  };
}

function byRegExp(option: string, pattern: RegExp): UrlTest {
  if (pattern.global || pattern.sticky)
    throw invalidOption(option, 'RegExp objects without the flags g and y', pattern);
  return (url) => pattern.test(formatUrlParts({ ...url, fragment: null, userinfo: '' }));
}
