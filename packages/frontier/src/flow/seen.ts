// Which URLs are known? The store compares keyed fingerprints of canonical URLs. In front of it is a small exact memory
// of recent URLs as they were spelt: a page repeats its site's navigation letter by letter, so most links need no
// parsing and no store. A positive answer never becomes wrong; what is forgotten is only looked up again.
//
// A fingerprint is a canonical URL cut to 8 bytes, keyed, so that no site can craft URLs that pass for others. At 10
// million URLs the chance that any two meet is about 3 in a million; the price of a meeting is one page not seen.

import { hash, randomBytes } from 'node:crypto';
import { FINGERPRINT_BYTES } from '../limits.js';
import { createRecentSet } from '../recent-set.js';
import type { CrawlLock } from '../records/processes.js';
import type { FrontierStore } from '../store.js';
import { type CanonicalRule, canonicalOf, formatUrlParts, parseUrlParts, type UrlParts } from '../url/url.js';
import { RECENT_URLS } from './limits.js';

const SECRET_KEY = 'fingerprint-secret';

export class Seen {
  readonly #rules: readonly CanonicalRule[];
  #recent = createRecentSet(RECENT_URLS);
  #fingerprinter: Fingerprinter | null = null;
  #store: FrontierStore | null = null;
  /** Rollbacks of the store since which `#recent` holds. */
  #rollbacks = 0;

  constructor(rules: readonly CanonicalRule[]) {
    this.#rules = rules;
  }

  /**
   * Before any fingerprint is made.
   *
   * @param secret - Keeps a site from crafting URLs that suppress others. `null`: the crawl's own, drawn by the process
   *   that comes first and kept in the store: another one would make every known URL new again.
   * @param lock - `null`: the caller has it.
   */
  async open(secret: string | null, store: FrontierStore, lock: CrawlLock | null): Promise<void> {
    this.#store = store;
    const kept = async () => {
      const bytes = await store.readRecord(SECRET_KEY);
      return bytes === null ? null : new TextDecoder().decode(bytes);
    };
    const draw = async () => {
      const drawn = randomBytes(16).toString('hex');
      await store.writeRecord(SECRET_KEY, new TextEncoder().encode(drawn));
      return drawn;
    };
    const first = async () => (await kept()) ?? draw();
    const own = secret ?? (await kept()) ?? (await (lock === null ? draw() : lock.exclusively(first)));
    this.#fingerprinter = createFingerprinter(own);
  }

  /**
   * The fingerprint of a visit to a URL, written as the parser does without fragment and credentials: the same for all
   * spellings that canonicalization makes one. 0: the first visit.
   */
  fingerprint(url: string, read: UrlParts, visit: number): Uint8Array {
    const canonical = canonicalOf(url, read, this.#rules);
    // No canonical URL has a blank in it.
    return this.#fingerprinter!(visit === 0 ? canonical : `${canonical} ${visit}`);
  }

  /** The same of the name that a site gives a URL: an absolute URL too, not parsed yet. */
  keyPrint(key: string, visit: number): Uint8Array {
    const read = parseUrlParts(key) as UrlParts;
    return this.fingerprint(formatUrlParts(read), read, visit);
  }

  /** Whether the store is known to have this spelling. */
  isRecent(url: string): boolean {
    const { rollbacks = 0 } = this.#store ?? {};
    if (rollbacks !== this.#rollbacks) {
      this.#rollbacks = rollbacks;
      this.#recent = createRecentSet(RECENT_URLS);
    }
    return this.#recent.has(url);
  }

  learn(url: string): void {
    this.#recent.add(url);
  }
}

/** Canonical URL → 8 bytes. */
export type Fingerprinter = (canonical: string) => Uint8Array;

/** Fingerprints that share one array buffer: a page's links or two. */
const PER_SLAB = 128;

/** A fingerprinter under one secret: SHA-256 of secret and canonical URL, its first 8 bytes. */
export function createFingerprinter(secret: string): Fingerprinter {
  // An array buffer of its own costs more than the digest: the digest comes as a string of bytes, and what is kept of
  // it is in a buffer with others.
  let slab = new Uint8Array(0);
  let end = 0;
  return (canonical) => {
    const digest = hash('sha256', secret + canonical, 'binary');
    if (end === slab.length) {
      slab = new Uint8Array(FINGERPRINT_BYTES * PER_SLAB);
      end = 0;
    }
    const fingerprint = slab.subarray(end, end + FINGERPRINT_BYTES);
    for (let at = 0; at < FINGERPRINT_BYTES; at += 1) fingerprint[at] = digest.charCodeAt(at);
    end += FINGERPRINT_BYTES;
    return fingerprint;
  };
}
