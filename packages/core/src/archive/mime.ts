// The type that an index gives a record.

import { type HeaderLines, headerValue } from '../fetch/outcome.js';

/** The type of a record that holds no payload of its own. */
export const REVISIT_MIME = 'warc/revisit';

/** Type and subtype as the response calls itself; `null` where it says nothing. Never throws. */
export function mimeOf(headers: HeaderLines): string | null {
  return (headerValue(headers, 'content-type') ?? '').split(';', 1)[0]?.trim() || null;
}
