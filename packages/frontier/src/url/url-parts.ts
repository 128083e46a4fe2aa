// A parsed http(s) URL as plain strings, which the canonical rules read and change; and the host it is of: the
// authority, to which rules belong, and the host key, to which spacing belongs.

import { getDomain } from 'tldts';

/** The parts of a URL, delimiters not included unless said so. */
export interface UrlParts {
  /** `http` or `https`. */
  readonly scheme: string;
  /** `user` or `user:password`; empty when absent. */
  readonly userinfo: string;
  /** Lower case, A-labels, IPv6 in brackets. */
  readonly host: string;
  /** Empty when it is the scheme's own. */
  readonly port: string;
  /** Starts with `/`. */
  readonly path: string;
  /** `null` when there is no `?`. */
  readonly query: string | null;
  /** `null` when there is no `#`. */
  readonly fragment: string | null;
}

/**
 * Reads a URL as the platform's parser does: scheme and host in lower case, A-labels, the scheme's own port dropped,
 * dot segments resolved.
 *
 * Links come by the million and nearly all are plain: letters of an ordinary host, a path without surprises. Those are
 * cut apart here, in a third of the parser's time; everything else goes to the parser. A differential test holds the
 * two together.
 *
 * @returns `null` for what is no absolute http(s) URL.
 */
export function parseUrlParts(url: string): UrlParts | null {
  return plainParts(url) ?? parsedParts(url);
}

// Scheme; a name whose last label begins with a letter (so it is no number in disguise), or four plain bytes; a port;
// segments that are not empty and begin with no dot and no escape (`%2e` is a dot); a query. Every character stands for
// itself. Each alternative begins with a character that the one before cannot hold: one way to match, linear time.
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const NAME = '(?:[a-z\\d](?:[a-z\\d-]*[a-z\\d])?\\.)*[a-z](?:[a-z\\d-]*[a-z\\d])?';
const SEGMENT = '[\\w~-][\\w.~%!$&()*+,;=@:-]*';
const PLAIN = new RegExp(
  `^(https?)://(${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}|${NAME})(?::([1-9]\\d{0,3}))?(/(?:${SEGMENT}(?:/${SEGMENT})*/?)?)(?:\\?([\\w.~%!$&()*+,;=@/:?-]*))?$`,
);

function plainParts(url: string): UrlParts | null {
  const match = PLAIN.exec(url);
  if (match === null) return null;
  const scheme = match[1]!;
  const host = match[2]!;
  const port = match[3] ?? '';
  const path = match[4] ?? '/';
  const query = match[5] ?? null;
  if (port === (scheme === 'http' ? '80' : '443') || host.includes('xn--')) return null;
  return { scheme, userinfo: '', host, port, path, query, fragment: null };
}

/** The same through the platform's parser alone. */
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

/** The parts as a URL again. */
export function formatUrlParts({ scheme, userinfo, host, port, path, query, fragment }: UrlParts): string {
  const authority = `${userinfo === '' ? '' : `${userinfo}@`}${host}${port === '' ? '' : `:${port}`}`;
  return `${scheme}://${authority}${path}${query === null ? '' : `?${query}`}${fragment === null ? '' : `#${fragment}`}`;
}

/** A host name without its trailing dot: the same DNS name (access §1, DECISION A2). */
export function withoutTrailingDot(host: string): string {
  return host.length > 1 && host.endsWith('.') ? host.slice(0, -1) : host;
}

/**
 * A URL, or `null` for what is none. One attempt: `canParse` costs as much again, and on Node 20 and 22 it goes wrong
 * of hosts with Latin-1 letters once its caller has been optimised.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // The parser has no other way to say so.
  }
}

/** What is spaced as one: each host name, or all hosts of a registrable domain. */
export type HostKeyBy = 'host' | 'domain';

/**
 * The key of the host queue. By `domain`, hosts under a public suffix that somebody registered privately (such as
 * hosting platforms) count as one: the slower reading. Addresses and names without a registrable domain stand for
 * themselves.
 *
 * @returns Lower case, A-labels, no trailing dot, no port; `null` for what is no absolute http(s) URL.
 * @see specification, access §9, DECISION A14
 */
export function hostKeyOf(url: string, by: HostKeyBy = 'host'): string | null {
  const parts = parseUrlParts(url);
  return parts === null ? null : hostKeyOfParts(parts, by);
}

function hostKeyOfParts(parts: UrlParts, by: HostKeyBy): string {
  const host = withoutTrailingDot(parts.host);
  return by === 'host' ? host : (getDomain(host, { allowPrivateDomains: false }) ?? host);
}

/**
 * Scheme, host and port: `https://example.org`, `http://[::1]:8080`, without a scheme's own port and one trailing dot;
 * `null` for what is no absolute http(s) URL (access §1).
 */
export function authorityOf(url: string): string | null {
  const parts = parseUrlParts(url);
  return parts === null ? null : authorityOfParts(parts);
}

function authorityOfParts(parts: UrlParts): string {
  return `${parts.scheme}://${withoutTrailingDot(parts.host)}${parts.port === '' ? '' : `:${parts.port}`}`;
}

/** Where a URL belongs. */
export interface Home {
  readonly authority: string;
  readonly host: string;
}

/**
 * Where URLs belong. Those of the same authority, one after the other, get the very same strings: made once, and looked
 * up by the hash that the engine keeps with them.
 */
export function createHomes(by: HostKeyBy): (parts: UrlParts) => Home {
  let last: UrlParts | null = null;
  let home: Home = { authority: '', host: '' };
  return (parts) => {
    if (last === null || last.host !== parts.host || last.port !== parts.port || last.scheme !== parts.scheme) {
      last = parts;
      home = { authority: authorityOfParts(parts), host: hostKeyOfParts(parts, by) };
    }
    return home;
  };
}
