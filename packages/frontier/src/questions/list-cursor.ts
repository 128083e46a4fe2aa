// The cursor of a listing, as callers hold it: that of the store and a checksum. Stores take a text that is none of
// their cursors for the beginning: what no listing has given is refused here.

import { invalid } from '../option-value.js';

/** The cursor of a store as it is handed out. */
export function sealedCursor(cursor: string): string {
  return `${cursor} ${checksum(cursor)}`;
}

/** The cursor of the store. @throws FrontierError `option-invalid` for a text that no listing has given. */
export function openedCursor(sealed: unknown): string {
  const text = typeof sealed === 'string' ? sealed : '';
  const end = text.lastIndexOf(' ');
  const cursor = text.slice(0, Math.max(0, end));
  if (end < 0 || text.slice(end + 1) !== checksum(cursor)) {
    throw invalid('cursor', '`null`, or the `cursor` of the last listing as it was', sealed);
  }
  return cursor;
}

/** FNV-1a, as 8 hex digits: against mistakes, not against forgers. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
