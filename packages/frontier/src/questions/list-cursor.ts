// The cursor of a listing, as callers get it: the store's cursor and a checksum. Stores would take any text that is not
// one of their cursors for the beginning, so a text that no listing has returned is refused here.

import { invalid } from '../option-value.js';

/** Converts a store's cursor to the form for callers. */
export function sealedCursor(cursor: string): string {
  return `${cursor} ${checksum(cursor)}`;
}

/**
 * Converts it back to the store's cursor.
 * @throws FrontierError `option-invalid` for a text that no listing has returned.
 */
export function openedCursor(sealed: unknown): string {
  const text = typeof sealed === 'string' ? sealed : '';
  const end = text.lastIndexOf(' ');
  const cursor = text.slice(0, Math.max(0, end));
  if (end < 0 || text.slice(end + 1) !== checksum(cursor)) {
    throw invalid('cursor', '`null`, or the `cursor` of the last listing as it was', sealed);
  }
  return cursor;
}

/** FNV-1a, as 8 hex digits: protects against mistakes, not against forgers. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
