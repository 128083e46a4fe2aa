// Which URLs are known? The store compares keyed fingerprints of canonical URLs. In front of it is a small exact memory
// of recent URLs as written: pages repeat their site's navigation letter by letter, so most links need neither parsing
// nor the store. A positive answer never becomes wrong. A forgotten URL is only looked up again.
//
// A fingerprint is a keyed hash of a canonical URL cut to 8 bytes, so that no site can craft URLs that pass for others.
// At 10 million URLs the chance of any collision is about 3 in a million. A collision costs one page that is not
// fetched.

import { hash, randomBytes } from 'node:crypto';
import { unreadable } from '../errors.js';
import { FINGERPRINT_BYTES } from '../limits.js';
import { createRecentSet } from '../recent-set.js';
import type { CrawlLock } from '../records/processes.js';
import type { FrontierStore } from '../store.js';
import { type CanonicalRule, canonicalOf, formatUrlParts, parseUrlParts, type UrlParts } from '../url/url.js';
import { RECENT_URLS } from './limits.js';

const SECRET_KEY = 'fingerprint-secret';
const SECRET = /^[\da-f]{32}$/;

/** @param ownersStore - As the owner gave it: it is asked for every link. */
export function createSeen(rules: readonly CanonicalRule[], ownersStore: Pick<FrontierStore, 'rollbacks'>) {
  let recent = createRecentSet(RECENT_URLS);
  let fingerprinter: Fingerprinter | null = null;
  /** The store's rollback count as of which `recent` is valid. */
  let rollbacksBefore = 0;

  /**
   * Call it before making any fingerprint. Their secret keeps a site from crafting URLs that suppress others. It is
   * drawn by the first process and kept in the store: another secret would make every known URL new again.
   *
   * @param lock - `null`: the caller has it.
   */
  async function open(store: FrontierStore, lock: CrawlLock | null): Promise<void> {
    const readSecret = async () => {
      const bytes = await store.readRecord(SECRET_KEY);
      const secret = bytes === null ? null : new TextDecoder().decode(bytes);
      if (secret !== null && !SECRET.test(secret)) throw unreadable('the secret of fingerprints');
      return secret;
    };
    const createSecret = async () => {
      const drawn = randomBytes(16).toString('hex');
      await store.writeRecord(SECRET_KEY, new TextEncoder().encode(drawn));
      return drawn;
    };
    const readOrCreateSecret = async () => (await readSecret()) ?? createSecret();
    const secret =
      (await readSecret()) ?? (await (lock === null ? createSecret() : lock.exclusively(readOrCreateSecret)));
    fingerprinter = createFingerprinter(secret);
  }

  /**
   * The fingerprint of a visit to a URL, which is written as by the parser, without fragment and credentials. All
   * spellings with the same canonical URL have the same fingerprint. `visit` 0: the first visit.
   */
  function fingerprint(url: string, parts: UrlParts, visit: number): Uint8Array {
    const canonical = canonicalOf(url, parts, rules);
    // No canonical URL contains a blank.
    return fingerprinter!(visit === 0 ? canonical : `${canonical} ${visit}`);
  }

  /** The same for the name that a site gives a URL: also an absolute URL, but not parsed yet. */
  function fingerprintOfKey(key: string, visit: number): Uint8Array {
    const parts = parseUrlParts(key) as UrlParts;
    return fingerprint(formatUrlParts(parts), parts, visit);
  }

  /** Whether the store is known to contain this spelling. */
  function isRecent(url: string): boolean {
    const { rollbacks = 0 } = ownersStore;
    if (rollbacks !== rollbacksBefore) {
      rollbacksBefore = rollbacks;
      recent = createRecentSet(RECENT_URLS);
    }
    return recent.has(url);
  }

  function remember(url: string): void {
    recent.add(url);
  }

  return { open, fingerprint, fingerprintOfKey, isRecent, remember };
}

/** Canonical URL → 8 bytes. */
export type Fingerprinter = (canonical: string) => Uint8Array;

/** Fingerprints per array buffer: the links of one or two pages. */
const FINGERPRINTS_PER_SLAB = 128;

/** Creates a fingerprinter with a secret: the first 8 bytes of SHA-256 over the secret and the canonical URL. */
export function createFingerprinter(secret: string): Fingerprinter {
  // A separate array buffer costs more than the digest. So the digest is a binary string, and its kept bytes share a
  // buffer with others.
  let slab = new Uint8Array(0);
  let end = 0;
  return (canonical) => {
    const digest = hash('sha256', secret + canonical, 'binary');
    if (end === slab.length) {
      slab = new Uint8Array(FINGERPRINT_BYTES * FINGERPRINTS_PER_SLAB);
      end = 0;
    }
    const fingerprint = slab.subarray(end, end + FINGERPRINT_BYTES);
    for (let at = 0; at < FINGERPRINT_BYTES; at += 1) fingerprint[at] = digest.charCodeAt(at);
    end += FINGERPRINT_BYTES;
    return fingerprint;
  };
}
