// The operator's patterns for URLs, and SURT prefixes. Text patterns are written as in robots.txt: the beginning of
// path and query, `*` for anything, `$` for the end. Text never becomes a regular expression, so matching takes bounded
// time. A `RegExp` object is used unchanged.

import { requestedUrl, type UrlParts } from '@mannerly/frontier/internal';
import { matchesPattern } from '@mannerly/robots/matches-pattern';
import { invalidOption } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import { MAX_URL_PATTERN_CHARS, MAX_URL_PATTERNS } from './limits.js';

/**
 * Selects URLs. `'/docs/'`, `'/*.pdf$'`: path and query, as in robots.txt, on every host.
 * `'https://example.org/docs/'`: the same, but only for that scheme, host and port. `/\.pdf$/i`: the whole URL, without
 * fragment.
 */
export type UrlPattern = string | RegExp;

export type UrlTest = (url: UrlParts) => boolean;

/** Whether any of the patterns matches a URL; `null` if there are none. @throws MannerlyError `option-invalid` */
export function readPatterns(option: string, given: readonly UrlPattern[] | undefined): UrlTest | null {
  const find = readPatternFinder(option, given);
  return find === null ? null : (url) => find(url) !== null;
}

/** Finds the first pattern that matches a URL. `null`: there are no patterns. @throws MannerlyError `option-invalid` */
export function readPatternFinder(
  option: string,
  given: readonly UrlPattern[] | undefined,
): ((url: UrlParts) => UrlPattern | null) | null {
  if (given === undefined) return null;
  if (!Array.isArray(given) || given.length > MAX_URL_PATTERNS) {
    throw invalidOption(option, `a list of at most ${MAX_URL_PATTERNS} patterns`, given);
  }
  const tests = given.map((pattern) => ({ pattern, test: readPattern(option, pattern as unknown) }));
  return tests.length === 0 ? null : (url) => tests.find(({ test }) => test(url))?.pattern ?? null;
}

function readPattern(option: string, pattern: unknown): UrlTest {
  if (pattern instanceof RegExp) return regExpTest(option, pattern);
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_URL_PATTERN_CHARS) {
    throw invalidOption(option, `patterns of 1 to ${MAX_URL_PATTERN_CHARS} characters, or RegExp objects`, pattern);
  }
  if (/^[/*]/.test(pattern)) return pathTest(pattern);
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#*$]+)(.*)$/i.exec(pattern) ?? [];
  const from = parseUrl(origin);
  if (from === null) {
    throw invalidOption(option, 'patterns to begin with /, *, http:// or https://', pattern);
  }
  const { protocol, hostname, port } = from;
  const test = path === '' || path === '/' ? () => true : pathTest(path);
  return (url) => `${url.scheme}:` === protocol && url.host === hostname && url.port === port && test(url);
}

function requestTarget({ path, query }: UrlParts): string {
  return query === null ? path : `${path}?${query}`;
}

/** `null` if there are none. Escapes are compared as in patterns; `*` and `$` stand for themselves. */
export function readPrefixes(prefixes: readonly string[] = []): UrlTest | null {
  const tests = prefixes.map((prefix) => textTest(prefix.replaceAll('*', '%2A').replaceAll('$', '%24')));
  return tests.length === 0 ? null : ({ path }) => tests.some((test) => test(path));
}

function pathTest(pattern: string): UrlTest {
  const test = textTest(pattern);
  return (url) => test(requestTarget(url));
}

function textTest(pattern: string): (text: string) => boolean {
  // Most patterns are plain prefixes, and most URLs have no escapes: then both are compared directly.
  const isPlain = /^[\w/.?&=;,:@!~+-]+$/.test(pattern);
  return (text) => (isPlain && !text.includes('%') ? text.startsWith(pattern) : matchesPattern(pattern, text));
}

function regExpTest(option: string, pattern: RegExp): UrlTest {
  if (pattern.global || pattern.sticky)
    throw invalidOption(option, 'RegExp objects without the flags g and y', pattern);
  return (url) => pattern.test(requestedUrl(url));
}

/**
 * A URL as SURT: the host's labels from the right, so that a domain and everything below it share a beginning:
 * `http://(org,example,www,:8080)/path?query`. Addresses keep their order. Never throws.
 */
export function surtOf(url: UrlParts): string {
  const { scheme, host, port } = url;
  const isAddress = host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
  const labels = isAddress ? host : `${host.replace(/\.$/, '').split('.').reverse().join(',')},`;
  return `${scheme}://(${labels}${port === '' ? '' : `:${port}`})${requestTarget(url)}`;
}

/**
 * Whether a URL begins with any of the SURT prefixes. A prefix without a scheme applies to both. A prefix that ends
 * within the host must end with a comma, or `(org,example` would include example-shop.org. @throws MannerlyError
 * `option-invalid`
 */
export function readSurts(option: string, given: readonly string[] | undefined): (url: UrlParts) => boolean {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_URL_PATTERNS) {
    throw invalidOption(option, `1 to ${MAX_URL_PATTERNS} SURT prefixes`, given);
  }
  const prefixes = given.flatMap((prefix: unknown) => {
    const [, scheme = '', rest = ''] = (typeof prefix === 'string' && /^(https?:\/\/)?(\(.*)$/.exec(prefix)) || [];
    const isComplete = rest.includes(')') || rest.endsWith(',') || rest === '(';
    if (rest === '' || !isComplete || rest.length > MAX_URL_PATTERN_CHARS) {
      throw invalidOption(option, 'SURT prefixes such as (org,example, or https://(org,example,www,)/docs/', prefix);
    }
    const host = rest.split(')', 1)[0] ?? '';
    const lower = host.toLowerCase() + rest.slice(host.length);
    return scheme === '' ? [`http://${lower}`, `https://${lower}`] : [scheme + lower];
  });
  return (url) => {
    const surt = surtOf(url);
    return prefixes.some((prefix) => surt.startsWith(prefix));
  };
}
