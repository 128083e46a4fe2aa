// Of which host a URL is: the authority, to which rules belong, and the host key, to which spacing belongs.

import { getDomain } from 'tldts';
import { parseUrlParts, type UrlParts, withoutTrailingDot } from './url-parts.js';

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
 * Scheme, host and effective port: `https://example.org`, `http://[::1]:8080`. Own ports and one trailing dot are
 * dropped.
 *
 * @returns `null` for what is no absolute http(s) URL.
 * @see specification, access §1
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
 * Where URLs belong that come by the page: one after the other of the same authority gets the very same strings, so
 * that they are made once, and looked up by the hash that the engine keeps with them.
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
