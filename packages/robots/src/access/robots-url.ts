// The address of an authority's robots.txt, and of its kin at the root (access §1). An authority is scheme, host and
// effective port; nothing is inferred from one to another.

import { readUrl } from '../web-url.js';

/**
 * The robots.txt URL that governs a URL: lower-case scheme and host, A-labels, default port and one trailing dot of the
 * host dropped; userinfo, path, query and fragment left behind (access §1, DECISIONS A1 and A2; RFC 9309 §2.3).
 * @returns Null when the URL cannot be read or is neither http nor https: unsupported, which is not "allowed".
 */
export function robotsUrl(url: string): string | null {
  return rootUrl(url, '/robots.txt');
}

/**
 * The URL of a file at the root of a URL's authority (access §1; data-txt §1).
 * @param path - Absolute path, such as `/data.txt`.
 * @returns Null as for {@link robotsUrl}.
 */
export function rootUrl(url: string, path: string): string | null {
  const read = readUrl(url);
  if (read === null) return null;
  const { protocol, host, hostname, port } = read;
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  // The dot of a fully qualified name; a name that is nothing else stays.
  const name = hostname.length > 1 && hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const authority = name === hostname ? host : name + (port === '' ? '' : `:${port}`);
  return `${protocol}//${authority}${path}`;
}
