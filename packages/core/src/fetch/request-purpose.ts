// What a request is for, and what it asks for: the Accept field by purpose.

/** What a request is for. */
export type RequestPurpose = 'page' | 'robots' | 'sitemap' | 'data-txt' | 'well-known' | 'handler' | 'subresource';

/**
 * The value of Accept, by purpose. Everything else stays welcome at a lower weight, so that no server has a reason to
 * answer 406.
 *
 * @see specification, access §2 (robots.txt); RFC 9110 §12.5.1
 */
export const ACCEPT: Readonly<Record<RequestPurpose, string>> = Object.freeze({
  page: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  robots: 'text/plain, */*;q=0.5',
  sitemap: 'application/xml, text/xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'data-txt': 'text/plain, */*;q=0.5',
  'well-known': 'application/json, */*;q=0.5',
  handler: '*/*',
  subresource: '*/*',
});
