// Conditional requests for pages: the validators of a response are kept as they were received and sent back as they
// are, so that a site answers 304 where nothing has changed (RFC 9110 13, RFC 9111 4.3.1).

import { type HeaderLines, headerValue } from '../fetch/outcome.js';
import { isNoStore } from './lifetime.js';
import { MAX_ETAG_BYTES } from './limits.js';
import type { KeptVisit, PageVisit } from './page-visit.js';

/** Of a page that is requested without conditions. */
export const NO_VALIDATORS = { etag: null, lastModified: null } as const;

/** The validators of a response: none where they may not be kept, or would match another document. */
export function validatorsOf(headers: HeaderLines): Pick<PageVisit, 'etag' | 'lastModified'> {
  if (!mayKeep(headers)) return NO_VALIDATORS;
  const etag = headerValue(headers, 'etag');
  return {
    etag: etag !== null && etag.length <= MAX_ETAG_BYTES && /^(W\/)?"[^"]*"$/.test(etag) ? etag : null,
    // Only the site's own date: clocks differ, and it compares with its own.
    lastModified: headerValue(headers, 'last-modified'),
  };
}

/** The validators after a 304: it replaces those that it names. None where it forbids that they are kept. */
export function validatorsAfter(before: KeptVisit, headers: HeaderLines): Pick<PageVisit, 'etag' | 'lastModified'> {
  if (!mayKeep(headers)) return NO_VALIDATORS;
  const { etag, lastModified } = validatorsOf(headers);
  return { etag: etag ?? before.etag, lastModified: lastModified ?? before.lastModified };
}

function mayKeep(headers: HeaderLines): boolean {
  return !isNoStore(headers) && !(headerValue(headers, 'vary') ?? '').includes('*');
}

/** Header fields of the next request for a page; none where it is another request than the last one was. */
export function conditionsOf(visit: KeptVisit & { readonly missing?: number }, sentAs: string): Record<string, string> {
  if (visit.sentAs !== sentAs || (visit.missing ?? 0) > 0) return {};
  const { etag, lastModified } = visit;
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

/** Whether a 304 is for the tag that was sent, if one was; one without a tag is. Weak and strong tags compare alike. */
export function isForTag(headers: HeaderLines, sent: string | null): boolean {
  const tag = headerValue(headers, 'etag');
  return tag === null || sent === null || opaque(tag) === opaque(sent);
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
