// Already known? Keyed fingerprints of canonical URLs are what the store compares; in front of it stands a small exact
// memory of recent URLs as they were spelt: a page repeats its site's navigation letter for letter, so most links need
// neither be read nor asked about again. A positive never becomes wrong; what is forgotten is only asked again.

import { createRecentSet } from '../recent-set.js';
import { formatUrlParts, parseUrlParts, type UrlParts } from '../url/url-parts.js';
import { RECENT_URLS } from './limits.js';

/** The look in front of the store. */
export interface Seen {
  /** The fingerprint of a visit to a URL, written as the parser does without fragment and credentials: the same for all spellings that canonicalisation makes one. 0: the first. */
  fingerprint(url: string, read: UrlParts, visit: number): Uint8Array;
  /** The same of the name that a site gives a URL: an absolute URL too, not read yet. */
  keyPrint(key: string, visit: number): Uint8Array;
  /** Whether the store is known to hold this spelling. */
  isRecent(url: string): boolean;
  /** The store holds it. */
  learn(url: string): void;
}

/** @param fingerprint - Keyed, so that a site cannot craft URLs that suppress others. @throws Never. */
export function createSeen(fingerprint: Seen['fingerprint']): Seen {
  const recent = createRecentSet(RECENT_URLS);
  return {
    fingerprint,
    keyPrint(key, visit) {
      const read = parseUrlParts(key) as UrlParts;
      return fingerprint(formatUrlParts(read), read, visit);
    },
    isRecent: (url) => recent.has(url),
    learn(url) {
      recent.add(url);
    },
  };
}
