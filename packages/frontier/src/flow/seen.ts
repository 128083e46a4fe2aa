// Which URLs are known? The store compares keyed fingerprints of canonical URLs. In front of it is a small exact memory
// of recent URLs as they were spelt: a page repeats its site's navigation letter by letter, so most links need no
// parsing and no store. A positive answer never becomes wrong; what is forgotten is only looked up again.

import { createRecentSet } from '../recent-set.js';
import type { CrawlLock } from '../records/processes.js';
import type { FrontierStore } from '../store.js';
import { type CanonicalRule, canonicalOf } from '../url/canonicalize.js';
import { createFingerprinter, type Fingerprinter, newFingerprintSecret } from '../url/fingerprint.js';
import { formatUrlParts, parseUrlParts, type UrlParts } from '../url/url-parts.js';
import { RECENT_URLS } from './limits.js';

const SECRET_KEY = 'fingerprint-secret';

export class Seen {
  readonly #rules: readonly CanonicalRule[];
  readonly #recent = createRecentSet(RECENT_URLS);
  #fingerprinter: Fingerprinter | null = null;

  constructor(rules: readonly CanonicalRule[]) {
    this.#rules = rules;
  }

  /**
   * Before any fingerprint is made.
   *
   * @param secret - Keeps a site from crafting URLs that suppress others. `null`: the crawl's own, drawn by the process
   *   that comes first and kept in the store: another one would make every known URL new again.
   */
  async open(secret: string | null, store: FrontierStore, lock: CrawlLock): Promise<void> {
    const kept = async () => {
      const bytes = await store.readRecord(SECRET_KEY);
      return bytes === null ? null : new TextDecoder().decode(bytes);
    };
    const draw = async () => {
      const drawn = newFingerprintSecret();
      await store.writeRecord(SECRET_KEY, new TextEncoder().encode(drawn));
      return drawn;
    };
    const own = secret ?? (await kept()) ?? (await lock.exclusively(async () => (await kept()) ?? draw()));
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
    return this.#recent.has(url);
  }

  learn(url: string): void {
    this.#recent.add(url);
  }
}
