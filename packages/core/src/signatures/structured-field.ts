// Structured fields as signatures use them, read by structured-headers within bounds (RFC 9651 section 4.2). An
// unreadable field is `null`. Strings are strings; tokens, bytes and the rest have types of their own.

import {
  type Dictionary,
  type InnerList,
  type Item,
  isInnerList,
  parseDictionary,
  parseItem as readItem,
  serializeInnerList,
  serializeItem,
} from 'structured-headers';
import { MAX_COVERED_COMPONENTS, MAX_SIGNATURE_FIELD_CHARS } from './limits.js';

/** Reads a dictionary; if a key is repeated, its last member counts (RFC 9651 section 4.2.2). */
export function parseMembers(text: string): Dictionary | null {
  const members = readWith(parseDictionary, text);
  const isLong = (member: Item | InnerList) => isInnerList(member) && member[0].length > MAX_COVERED_COMPONENTS;
  return members === null || [...members.values()].some(isLong) ? null : members;
}

/** Reads an item (RFC 9651 section 4.2.3). */
export function parseItem(text: string): Item | null {
  return readWith(readItem, text);
}

/** A member in the form that a signature base repeats. */
export function memberText(member: Item | InnerList): string {
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
}

function readWith<T>(read: (text: string) => T, text: string): T | null {
  try {
    return text.length > MAX_SIGNATURE_FIELD_CHARS ? null : read(text);
  } catch {
    // The library throws for each fault.
    return null;
  }
}
