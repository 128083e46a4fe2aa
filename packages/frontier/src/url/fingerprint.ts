// Fingerprints: canonical URLs cut to 8 bytes, keyed, so that no site can craft URLs that pass for others.
// At 10 million URLs the chance that any two meet is about 3 in a million; the price of a meeting is one page not seen.

import { hash, randomBytes } from 'node:crypto';
import { FINGERPRINT_BYTES } from '../limits.js';

/** Canonical URL → 8 bytes. */
export type Fingerprinter = (canonical: string) => Uint8Array;

/** Fingerprints that share one array buffer: a page's links or two. */
const PER_SLAB = 128;

/** A secret for a new crawl; it is kept with the crawl's fingerprints and must not change as long as they are kept. */
export function newFingerprintSecret(): string {
  return randomBytes(16).toString('hex');
}

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
