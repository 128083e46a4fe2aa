// The canonical form of a URL: the key under which it is known. It is never what is requested or logged; that is the
// URL parser's serialisation. So a rule may be wrong about a site at the cost of a page not seen, never of a page asked
// for under a name the site did not give.

import { formatUrlParts, parseUrlParts, type UrlParts, withoutTrailingDot } from './url-parts.js';

/** One step to the canonical form. */
export interface CanonicalRule {
  /** To leave it out or replace it: `CANONICAL_RULES.filter(({ name }) => name !== 'query-order')`. */
  readonly name: string;
  /** Returns its argument when nothing changes. Never throws. */
  readonly apply: (parts: UrlParts) => UrlParts;
}

/** Parameters that say where a visitor came from, lower case. A `*` at the end stands for any ending. */
export const TRACKING_PARAMETERS: readonly string[] = Object.freeze([
  'utm_*',
  ...['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', '_ga', '_gl'],
  ...['fbclid', 'igshid', 'msclkid', 'yclid', 'ysclid', 'twclid', 'ttclid', 'li_fat_id'],
  ...['mc_cid', 'mc_eid', 'mkt_tok', 'vero_id', 'oly_anon_id', 'oly_enc_id', '_hsenc', '_hsmi'],
]);

/**
 * The rules that count where nothing else is said, in their order. The URL parser has run before the first: case of
 * scheme and host, A-labels, the scheme's own port, dot segments. Each rule, with an example and its reason:
 * docs/urls.md.
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
 * The rule that leaves tracking parameters out of the key. It stands in no list by default: a page may well differ by
 * one of these names, and only the operator knows whether that matters.
 *
 * @param names - Lower case; compared without regard to case. @default TRACKING_PARAMETERS
 * @throws Never.
 * @see canonicalRulesWith, which puts it in its place
 */
export function trackingParameters(names: readonly string[] = TRACKING_PARAMETERS): CanonicalRule {
  const whole = new Set(names.filter((name) => !name.endsWith('*')));
  const beginnings = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  const isTracking = (name: string): boolean => {
    const lower = name.toLowerCase();
    return whole.has(lower) || beginnings.some((beginning) => lower.startsWith(beginning));
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
  if (parts === null) return null;
  const canonical = formatUrlParts(withRules(parts, rules));
  return canonical === url ? url : canonical;
}

/**
 * The same of a URL that has been read already.
 *
 * @param url - The URL as the parser writes it, without fragment and credentials.
 * @throws Never.
 */
export function canonicalOf(url: string, read: UrlParts, rules: readonly CanonicalRule[]): string {
  const parts = withRules(read, rules);
  const isAsWritten = parts === read && read.fragment === null && read.userinfo === '';
  return isAsWritten ? url : formatUrlParts(parts);
}

function withRules(read: UrlParts, rules: readonly CanonicalRule[]): UrlParts {
  let parts = read;
  for (const rule of rules) parts = rule.apply(parts);
  return parts;
}

/**
 * The parts without the query parameters whose name (as written, up to `=`) is meant; the others keep their order, and
 * an emptied query goes. For rules of one's own, such as a site's Clean-param.
 *
 * @throws Never.
 * @see specification, robots §9.8, DECISION R47
 */
export function withoutParameters(parts: UrlParts, isMeant: (name: string) => boolean): UrlParts {
  if (parts.query === null || parts.query === '') return parts;
  const pieces = parts.query.split('&');
  const kept = pieces.filter((piece) => !isMeant(nameOf(piece)));
  if (kept.length === pieces.length) return parts;
  return { ...parts, query: kept.length === 0 ? null : kept.join('&') };
}

function dropTrailingDot(parts: UrlParts): UrlParts {
  const host = withoutTrailingDot(parts.host);
  return host === parts.host ? parts : { ...parts, host };
}

/** Parameters by name, those of one name in the order they came; empty pieces (`a&&b`) go. */
function sortParameters(parts: UrlParts): UrlParts {
  if (parts.query === null || !parts.query.includes('&')) return parts;
  const all = parts.query.split('&');
  if (isInOrder(all)) return parts;
  const pieces = all.filter((piece) => piece !== '');
  const sorted = pieces
    .map((piece) => ({ piece, name: nameOf(piece) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { ...parts, query: sorted.map(({ piece }) => piece).join('&') };
}

/** Whether names rise and no piece is empty: most queries come from a program that writes them so. */
function isInOrder(pieces: readonly string[]): boolean {
  let before = '';
  for (const piece of pieces) {
    const name = nameOf(piece);
    if (piece === '' || name < before) return false;
    before = name;
  }
  return true;
}

function nameOf(piece: string): string {
  const at = piece.indexOf('=');
  return at < 0 ? piece : piece.slice(0, at);
}

function normalisePercentEncoding(parts: UrlParts): UrlParts {
  const { path, query } = parts;
  if (!path.includes('%') && !query?.includes('%')) return parts;
  return { ...parts, path: normalised(path), query: query === null ? null : normalised(query) };
}

/** Unreserved bytes decoded, hex digits in upper case; a `%` that starts no triplet stays (RFC 3986 §6.2.2). */
function normalised(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (triplet) => {
    const byte = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(byte) ? byte : triplet.toUpperCase();
  });
}
