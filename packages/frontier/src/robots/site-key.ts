// The name under which a site's own file would have a URL known: without the parameters of its Clean-param lines, and,
// where the operator wants that, under the preferred mirror of its Host line. It is never what is requested.
//
// A file speaks for its own site: a Host of another registrable domain is left alone, or one site could make another's
// pages pass for known.

import type { RobotsDocument } from '@mannerly/robots';
import { dedupeKey } from '@mannerly/robots/dedupe-key';
import { hostKeyOf } from '../url/host-key.js';
import { parseUrl } from '../url/url-parts.js';

/** Whether the lines count. */
export interface SiteKeyOptions {
  readonly cleanParam: 'dedupe' | 'expose';
  readonly host: 'expose' | 'canonicalize';
}

/** URL → the name that the site gives it; `null`: its own. */
export type SiteKey = (url: string) => string | null;

const OWN: SiteKey = () => null;

/**
 * Reads what a file says about names. A file that says nothing is not kept.
 *
 * @see specification, robots §9.7, §9.8, DECISION R47
 */
export function siteKey(document: RobotsDocument, options: SiteKeyOptions): SiteKey {
  const cleans = options.cleanParam === 'dedupe' && document.cleanParams.length > 0;
  const mirror = options.host === 'canonicalize' ? document.host : null;
  if (!cleans && mirror === null) return OWN;
  return (url) => {
    const cleaned = cleans ? dedupeKey(document, url) : url;
    const key = mirror === null ? cleaned : underMirror(cleaned, mirror);
    return key === url ? null : key;
  };
}

/** `[scheme "://"] host [":" port]`; what is not said stays as it is, but the port goes with the host. */
function underMirror(url: string, mirror: string): string {
  const names = mirror.includes('://') ? mirror : `${new URL(url).protocol}//${mirror}`;
  const from = new URL(url);
  const to = parseUrl(names);
  if (to === null) return url;
  if (hostKeyOf(to.href, 'domain') !== hostKeyOf(url, 'domain')) return url;
  return `${to.origin}${from.pathname}${from.search}`;
}
