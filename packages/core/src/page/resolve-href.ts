// One href of a page against its base, by the URL parser's rules: http and https only, without fragment and userinfo.
//
// Most hrefs are paths of ordinary characters. Put behind the matching part of the base, they are what the parser would
// return, in a fraction of its time. Every other href goes to the parser; a differential test compares the two.

import { MAX_LINK_URL_CHARS } from '../limits.js';
import { parseBase, parseWebUrl } from './web-url.js';

/** A base URL, taken apart once per page. */
export interface LinkBase {
  /** For hrefs that need the parser; made when one does. */
  readonly url: () => URL;
  /** `https://host:port`, no slash behind; empty when there is no cheap way. */
  readonly origin: string;
  /** Everything up to the last slash of the path, that slash included. */
  readonly directory: string;
  /** Everything before the query. */
  readonly path: string;
  /** The whole, without fragment. */
  readonly whole: string;
}

/**
 * The base that the links of a page are resolved against.
 *
 * @param pageUrl - Absolute http(s) URL of the page as fetched.
 * @param baseHref - `href` of the first `base` that has one. What does not resolve, and `data:` and `javascript:`, is
 *   ignored.
 * @throws Never
 */
export function linkBase(pageUrl: string, baseHref: string | null): LinkBase {
  const plain = baseHref === null ? plainBase(pageUrl) : null;
  if (plain !== null) return plain;
  const url = parseBase(baseHref, pageUrl);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb) return { url: () => url, origin: '', directory: '', path: '', whole: '' };
  const origin = `${url.protocol}//${url.host}`;
  // Not `search`, which is silent about an empty query.
  const beforeHash = url.href.slice(0, url.href.length - url.hash.length);
  const query = beforeHash.indexOf('?');
  return cutBase(() => url, origin, origin + url.pathname, query < 0 ? '' : beforeHash.slice(query).replace(/#$/, ''));
}

/**
 * Resolves one href.
 *
 * @param href - As `readHtml` gives it: trimmed, references decoded.
 * @returns The URL parser's serialisation without fragment and userinfo; `null` when the href is no URL, has another
 *   scheme, or is longer than {@link MAX_LINK_URL_CHARS}.
 * @throws Never
 */
export function resolveHref(href: string, base: LinkBase): string | null {
  const cheap = base.origin === '' ? null : cheaply(href, base);
  const resolved = cheap ?? (OTHER_SCHEME.test(href) ? null : (parseWebUrl(href, base.url())?.href ?? null));
  return resolved !== null && resolved.length <= MAX_LINK_URL_CHARS ? resolved : null;
}

const HASH = 0x23;
const DOT = 0x2e;
const SLASH = 0x2f;
const QUESTION = 0x3f;

/** A scheme that is neither http nor https: whatever follows, it is no link. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z\d+.-]*:/i;

// An origin as the parser writes it, and a slash: a name whose last label begins with a letter (so that it is no
// number), or four plain numbers; a port without leading zero.
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const NAME = '(?:[a-z\\d][a-z\\d-]*\\.)*[a-z][a-z\\d-]*';
const ORIGIN = new RegExp(`^https?://(?:${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}|${NAME})(?::[1-9]\\d{0,3})?/`);
/** A default port, and a name in other letters: the parser handles them. */
const HIDDEN = /^http:\/\/[^/]*:80\/|^https:\/\/[^/]*:443\/|xn--/;

/** The length of an origin that is written as the parser would write it, a slash behind it; 0 for all others. */
function plainOrigin(url: string): number {
  const origin = ORIGIN.exec(url)?.[0];
  return origin === undefined || HIDDEN.test(origin) ? 0 : origin.length - 1;
}

/** A base without the parser, for the URL of an ordinary page; `null` for all others. */
function plainBase(pageUrl: string): LinkBase | null {
  const root = plainOrigin(pageUrl);
  if (root === 0) return null;
  if (root + 1 < pageUrl.length && ordinaryEnd(pageUrl, root + 1, true) !== pageUrl.length) return null;
  const query = pageUrl.indexOf('?', root);
  const pathEnd = query < 0 ? pageUrl.length : query;
  let url: URL | null = null;
  const parsed = (): URL => {
    url ??= new URL(pageUrl);
    return url;
  };
  return cutBase(parsed, pageUrl.slice(0, root), pageUrl.slice(0, pathEnd), pageUrl.slice(pathEnd));
}

function cutBase(url: () => URL, origin: string, path: string, query: string): LinkBase {
  return { url, origin, directory: path.slice(0, path.lastIndexOf('/') + 1), path, whole: path + query };
}

/** The URL of an ordinary href, `null` for all others. */
function cheaply(href: string, base: LinkBase): string | null {
  switch (href.charCodeAt(0)) {
    case SLASH:
      if (href.length === 1) return joined(base.origin, href);
      return behind(base.origin, href, 0, ordinaryEnd(href, 1, true));
    case DOT:
      return fromAbove(href, base.directory, base.origin.length);
    case HASH:
      // The parser decides whether an empty query of the page stays.
      return base.whole.endsWith('?') ? null : base.whole;
    case QUESTION:
      return behind(base.path, href, 0, ordinaryEnd(href, 0, true));
    default:
      return behind(base.directory, href, 0, ordinaryEnd(href, 0, false)) ?? absolutely(href, base);
  }
}

/** `./x` and `../x`. @param root - The length of the origin: above its slash there is nothing. */
function fromAbove(href: string, from: string, root: number): string | null {
  let directory = from;
  let at = 0;
  for (;;) {
    if (href.startsWith('./', at)) at += 2;
    else if (href.startsWith('../', at)) {
      at += 3;
      const above = directory.lastIndexOf('/', directory.length - 2);
      if (above >= root) directory = directory.slice(0, above + 1);
    } else if (at === href.length) return joined(directory, '');
    else return behind(directory, href, at, ordinaryEnd(href, at, true));
  }
}

function absolutely(href: string, base: LinkBase): string | null {
  const isHere = href.startsWith(base.origin) && href.charCodeAt(base.origin.length) === SLASH;
  const root = isHere ? base.origin.length : plainOrigin(href);
  if (root === 0) return null;
  if (root + 1 === href.length) return joined(href.slice(0, root), '/');
  return behind(href.slice(0, root), href, root, ordinaryEnd(href, root + 1, true));
}

function behind(start: string, href: string, from: number, end: number): string | null {
  return end < 0 ? null : joined(start, from === 0 && end === href.length ? href : href.slice(from, end));
}

/**
 * Two pieces as a string of its own. V8 keeps an href as a view of its page, and a concatenation as a view of its
 * pieces, so a link that is kept for long would keep the whole page. Reading a character makes V8 copy it.
 */
function joined(start: string, end: string): string {
  const whole = start + end;
  return whole.charCodeAt(0) > 0 ? whole : '';
}

/** Needs the parser. */
const ODD = 0;
/** May begin a segment: a letter, a digit, `~`, `-`, `_`. */
const PLAIN = 1;
/** May stand inside a segment. At its beginning a dot or an escape may be a dot segment. */
const INSIDE = 2;
const SEPARATOR = 3;
const QUERY = 4;
/** Begins a scheme when it stands in the first segment of an href. */
const COLON = 5;
const FRAGMENT = 6;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[\w~-]/.test(character)) return PLAIN;
  if ('.%!$&()*+,;=@'.includes(character)) return INSIDE;
  return { '/': SEPARATOR, '?': QUERY, ':': COLON, '#': FRAGMENT }[character] ?? ODD;
});

/**
 * Where an ordinary path and its query end: at the end of the href or before its fragment; -1 when the path is not
 * ordinary.
 *
 * Ordinary is a segment that begins with a plain character, more of them each behind one slash, perhaps a slash at the
 * end, and a query of the same characters; or a query alone. Linear.
 *
 * @param from - Where the first segment begins, behind a slash, or a query with its `?`.
 * @param hasColons - Whether a colon may stand in the path: not where it could end a scheme.
 */
function ordinaryEnd(href: string, from: number, hasColons: boolean): number {
  const { length } = href;
  let isBeginning = true;
  let at = from;
  for (; at < length; at += 1) {
    const code = href.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : ODD;
    if (kind === PLAIN) isBeginning = false;
    else if (kind === QUERY && (at === from || !isBeginning || href.charCodeAt(at - 1) === SLASH))
      return queryEnd(href, at + 1);
    else if (kind === FRAGMENT && at > from) return at;
    else if (kind === SEPARATOR && !isBeginning) isBeginning = true;
    else if (isBeginning || !(kind === INSIDE || (kind === COLON && hasColons))) return -1;
  }
  return at > from ? at : -1;
}

function queryEnd(href: string, from: number): number {
  for (let at = from; at < href.length; at += 1) {
    const code = href.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : ODD;
    if (kind === FRAGMENT) return at;
    if (kind === ODD) return -1;
  }
  return href.length;
}
