// A parsed http(s) URL as plain strings; where it belongs: the authority, to which rules belong, and the host key, to
// which spacing belongs; and its canonical form: the key under which it is known. The canonical form is never requested
// or logged; that is the URL parser's serialisation. So a rule that is wrong for a site costs a page that is not
// fetched, but never a request for a name that the site did not give.

import { getDomain } from 'tldts';

/** The parts of a URL, without delimiters unless stated. */
export interface UrlParts {
  /** `http` or `https`. */
  readonly scheme: string;
  /** `user` or `user:password`; empty: absent. */
  readonly userinfo: string;
  /** Lower case, A-labels, IPv6 in brackets. */
  readonly host: string;
  /** Empty: the scheme's default port. */
  readonly port: string;
  /** Starts with `/`. */
  readonly path: string;
  /** `null`: there is no `?`. */
  readonly query: string | null;
  /** `null`: there is no `#`. */
  readonly fragment: string | null;
}

// Scheme; a name whose last label begins with a letter (so it is not a number in disguise), or four plain bytes; a
// port; segments that are not empty and begin with neither a dot nor an escape (`%2e` is a dot); a query. Every
// character stands for itself. Each alternative begins with a character that the one before cannot contain, so there is
// one way to match, in linear time.
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** Ports from 60,000 on go to the parser. */
const PORT = '(?:[1-5]\\d{4}|[1-9]\\d{0,3})';
const NAME = '(?:[a-z\\d](?:[a-z\\d-]*[a-z\\d])?\\.)*[a-z](?:[a-z\\d-]*[a-z\\d])?';
const SEGMENT = '[\\w~-][\\w.~%!$&()*+,;=@:-]*';
const PLAIN = new RegExp(
  `^(https?)://(${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}|${NAME})(?::(${PORT}))?(/(?:${SEGMENT}(?:/${SEGMENT})*/?)?)(?:\\?([\\w.~%!$&()*+,;=@/:?-]*))?$`,
);

/**
 * Reads a URL as the platform's parser does: scheme and host in lower case, A-labels, the scheme's default port
 * dropped, dot segments resolved.
 *
 * There are millions of links, and nearly all are plain: letters of an ordinary host, an ordinary path. Those are split
 * here, in a third of the parser's time. Everything else goes to the parser. A differential test checks that both
 * agree.
 *
 * @returns `null`: it is not an absolute http(s) URL.
 */
export function parseUrlParts(url: string): UrlParts | null {
  const match = PLAIN.exec(url);
  if (match === null) return parsedParts(url);
  const scheme = match[1]!;
  const host = match[2]!;
  const port = match[3] ?? '';
  const path = match[4] ?? '/';
  const query = match[5] ?? null;
  if (port === (scheme === 'http' ? '80' : '443') || host.includes('xn--')) return parsedParts(url);
  return { scheme, userinfo: '', host, port, path, query, fragment: null };
}

/** The same, using only the platform's parser. */
export function parsedParts(url: string): UrlParts | null {
  const parsed = parseUrl(url);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return null;
  const { href, username, password } = parsed;
  const hashAt = href.indexOf('#');
  const beforeHash = hashAt < 0 ? href : href.slice(0, hashAt);
  const queryAt = beforeHash.indexOf('?');
  return {
    scheme: parsed.protocol.slice(0, -1),
    userinfo: password === '' ? username : `${username}:${password}`,
    host: parsed.hostname,
    port: parsed.port,
    path: parsed.pathname,
    query: queryAt < 0 ? null : beforeHash.slice(queryAt + 1),
    fragment: hashAt < 0 ? null : href.slice(hashAt + 1),
  };
}

/** Joins the parts to a URL. */
export function formatUrlParts({ scheme, userinfo, host, port, path, query, fragment }: UrlParts): string {
  const authority = `${userinfo === '' ? '' : `${userinfo}@`}${host}${port === '' ? '' : `:${port}`}`;
  return `${scheme}://${authority}${path}${query === null ? '' : `?${query}`}${fragment === null ? '' : `#${fragment}`}`;
}

/** The URL as it is requested: without fragment and userinfo. */
export function requestedUrl(url: UrlParts): string {
  return formatUrlParts(url.fragment === null && url.userinfo === '' ? url : { ...url, fragment: null, userinfo: '' });
}

/** A host name without its trailing dot: the same DNS name (access §1, DECISION A2). */
export function withoutTrailingDot(host: string): string {
  return host.length > 1 && host.endsWith('.') ? host.slice(0, -1) : host;
}

/**
 * A URL; `null`: it is not one. It parses once: `canParse` costs as much again, and on Node 20 and 22 it goes wrong for
 * hosts with Latin-1 letters once its caller has been optimised.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // The parser has no other way to say so.
  }
}

/** What shares one clock: each host name, or all hosts of a registrable domain. */
export type HostKeyBy = 'host' | 'domain';

/**
 * The key of the host queue. By `domain`, hosts under a privately registered public suffix (such as hosting platforms)
 * count as one: the slower reading. Addresses and names without a registrable domain are their own keys.
 *
 * @returns Lower case, A-labels, no trailing dot, no port; `null`: it is not an absolute http(s) URL.
 * @see specification, access §9, DECISION A14
 */
export function hostKeyOf(url: string, by: HostKeyBy = 'host'): string | null {
  const parts = parseUrlParts(url);
  return parts === null ? null : hostKeyOfParts(parts, by);
}

/** The key of a host that is given by its name or by any URL of it; other text is its own key. */
export function namedHostKey(hostOrUrl: string, by: HostKeyBy): string {
  return hostKeyOf(hostOrUrl, by) ?? hostKeyOf(`http://${hostOrUrl}/`, by) ?? hostOrUrl;
}

function hostKeyOfParts(parts: UrlParts, by: HostKeyBy): string {
  const host = withoutTrailingDot(parts.host);
  return by === 'host' ? host : (getDomain(host, { allowPrivateDomains: false }) ?? host);
}

/**
 * Scheme, host and port: `https://example.org`, `http://[::1]:8080`, without the scheme's default port and one trailing
 * dot; `null`: it is not an absolute http(s) URL (access §1).
 */
export function authorityOf(url: string): string | null {
  const parts = parseUrlParts(url);
  return parts === null ? null : authorityOfParts(parts);
}

function authorityOfParts(parts: UrlParts): string {
  return `${parts.scheme}://${withoutTrailingDot(parts.host)}${parts.port === '' ? '' : `:${parts.port}`}`;
}

/** Where a URL belongs. */
export interface HostAndAuthority {
  readonly authority: string;
  readonly host: string;
}

/**
 * Where URLs belong. Successive URLs of the same authority get the very same strings, which are created once and whose
 * hash the engine caches.
 */
export function createHostLookup(by: HostKeyBy): (parts: UrlParts) => HostAndAuthority {
  let lastParts: UrlParts | null = null;
  let lastResult: HostAndAuthority = { authority: '', host: '' };
  return (parts) => {
    if (
      lastParts === null ||
      lastParts.host !== parts.host ||
      lastParts.port !== parts.port ||
      lastParts.scheme !== parts.scheme
    ) {
      lastParts = parts;
      lastResult = { authority: authorityOfParts(parts), host: hostKeyOfParts(parts, by) };
    }
    return lastResult;
  };
}

/** One step to the canonical form. */
export interface CanonicalRule {
  /** To leave it out or replace it: `CANONICAL_RULES.filter(({ name }) => name !== 'query-order')`. */
  readonly name: string;
  /** Returns its argument if nothing changes. Never throws. */
  readonly apply: (parts: UrlParts) => UrlParts;
}

/** Parameters that say where a visitor came from, in lower case. A `*` at the end stands for any ending. */
export const TRACKING_PARAMETERS: readonly string[] = Object.freeze([
  'utm_*',
  ...['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', '_ga', '_gl'],
  ...['fbclid', 'igshid', 'msclkid', 'yclid', 'ysclid', 'twclid', 'ttclid', 'li_fat_id'],
  ...['mc_cid', 'mc_eid', 'mkt_tok', 'vero_id', 'oly_anon_id', 'oly_enc_id', '_hsenc', '_hsmi'],
]);

/**
 * The default rules, in order. The URL parser runs before the first: case of scheme and host, A-labels, the scheme's
 * default port, dot segments. docs/urls.md has each rule with an example and its reason.
 */
export const CANONICAL_RULES: readonly CanonicalRule[] = Object.freeze([
  { name: 'fragment', apply: (parts) => (parts.fragment === null ? parts : { ...parts, fragment: null }) },
  { name: 'userinfo', apply: (parts) => (parts.userinfo === '' ? parts : { ...parts, userinfo: '' }) },
  { name: 'host-trailing-dot', apply: dropTrailingDot },
  { name: 'percent-encoding', apply: normalisePercentEncoding },
  { name: 'query-order', apply: sortParameters },
  { name: 'empty-query', apply: (parts) => (parts.query === '' ? { ...parts, query: null } : parts) },
]);

/**
 * The rule that leaves tracking parameters out of the key. It is not a default rule: a page may really depend on one of
 * these names, and only the operator knows whether that matters.
 *
 * @param names - Lower case; compared case-insensitively.
 * @default TRACKING_PARAMETERS
 * @throws Never.
 * @see canonicalRulesWith, which puts it in its place
 */
export function trackingParameters(names: readonly string[] = TRACKING_PARAMETERS): CanonicalRule {
  const exactNames = new Set(names.filter((name) => !name.endsWith('*')));
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  const isTracking = (name: string): boolean => {
    const lower = name.toLowerCase();
    return exactNames.has(lower) || prefixes.some((prefix) => lower.startsWith(prefix));
  };
  return { name: 'tracking-parameters', apply: (parts) => withoutParameters(parts, isTracking) };
}

/**
 * The default rules and one more: after percent-encoding, so that names are seen decoded, and before the order of
 * parameters.
 *
 * @throws Never.
 * @example canonicalize('http://a.example/?utm_source=x', canonicalRulesWith(trackingParameters())) //
 *   'http://a.example/'
 */
export function canonicalRulesWith(rule: CanonicalRule): readonly CanonicalRule[] {
  const at = CANONICAL_RULES.findIndex(({ name }) => name === 'query-order');
  return [...CANONICAL_RULES.slice(0, at), rule, ...CANONICAL_RULES.slice(at)];
}

/**
 * The canonical form of a URL under some rules.
 *
 * @param url - Absolute http(s) URL.
 * @param rules - Applied in their order. A second application of the default ones changes nothing.
 * @returns `url` itself when nothing changes; `null` for what is no absolute http(s) URL.
 * @throws Never.
 * @example canonicalize('HTTP://Example.org:80/%7ea/?b=2&a=1#top') // 'http://example.org/~a/?a=1&b=2'
 */
export function canonicalize(url: string, rules: readonly CanonicalRule[] = CANONICAL_RULES): string | null {
  const parts = parseUrlParts(url);
  return parts === null ? null : formatUrlParts(applyRules(parts, rules));
}

/**
 * The same for a URL that is parsed already.
 *
 * @param url - The URL as the parser writes it, without fragment and credentials.
 * @throws Never.
 */
export function canonicalOf(url: string, parsed: UrlParts, rules: readonly CanonicalRule[]): string {
  const parts = applyRules(parsed, rules);
  const isUnchanged = parts === parsed && parsed.fragment === null && parsed.userinfo === '';
  return isUnchanged ? url : formatUrlParts(parts);
}

function applyRules(parsed: UrlParts, rules: readonly CanonicalRule[]): UrlParts {
  let parts = parsed;
  for (const rule of rules) parts = rule.apply(parts);
  return parts;
}

/**
 * Removes the query parameters whose names (as written, up to `=`) `isSelected` selects. The others keep their order,
 * and an emptied query is dropped. For your own rules, such as a site's Clean-param.
 *
 * @throws Never.
 * @see specification, robots §9.8, DECISION R47
 */
export function withoutParameters(parts: UrlParts, isSelected: (name: string) => boolean): UrlParts {
  if (parts.query === null || parts.query === '') return parts;
  const parameters = parts.query.split('&');
  const remaining = parameters.filter((parameter) => !isSelected(nameOf(parameter)));
  if (remaining.length === parameters.length) return parts;
  return { ...parts, query: remaining.length === 0 ? null : remaining.join('&') };
}

function dropTrailingDot(parts: UrlParts): UrlParts {
  const host = withoutTrailingDot(parts.host);
  return host === parts.host ? parts : { ...parts, host };
}

/** Sorts parameters by name; those of one name keep their order. Empty ones (`a&&b`) are dropped. */
function sortParameters(parts: UrlParts): UrlParts {
  if (parts.query === null || !parts.query.includes('&')) return parts;
  const all = parts.query.split('&');
  if (isInOrder(all)) return parts;
  const parameters = all.filter((parameter) => parameter !== '');
  const sorted = parameters
    .map((parameter) => ({ parameter, name: nameOf(parameter) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { ...parts, query: sorted.map(({ parameter }) => parameter).join('&') };
}

/** Whether the names ascend and none is empty: most queries come from programs that write them so. */
function isInOrder(parameters: readonly string[]): boolean {
  let before = '';
  for (const parameter of parameters) {
    const name = nameOf(parameter);
    if (parameter === '' || name < before) return false;
    before = name;
  }
  return true;
}

function nameOf(parameter: string): string {
  const at = parameter.indexOf('=');
  return at < 0 ? parameter : parameter.slice(0, at);
}

function normalisePercentEncoding(parts: UrlParts): UrlParts {
  const { path, query } = parts;
  if (!path.includes('%') && !query?.includes('%')) return parts;
  return { ...parts, path: normalised(path), query: query === null ? null : normalised(query) };
}

/** Unreserved bytes decoded, hex digits in upper case; a `%` that does not start a triplet stays (RFC 3986 §6.2.2). */
function normalised(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (triplet) => {
    const byte = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(byte) ? byte : triplet.toUpperCase();
  });
}
