// The bounds every store checks before it changes anything (X3).

import { FrontierError } from '../errors.js';
import type { NewEntry, StoreCaps } from '../store.js';

/** @throws FrontierError `record-too-large`. */
export function checkOctets(what: string, octets: Uint8Array, most: number): void {
  if (octets.length <= most) return;
  throw new FrontierError('record-too-large', `expected a ${what} of at most ${most} octets, got ${octets.length}`);
}

/**
 * Checks entries on their way in against what the store can hold.
 *
 * @throws FrontierError `record-too-large` for too many entries or too long a body; `option-invalid` for a band or a
 * fingerprint that no store knows.
 */
export function checkBatch(entries: readonly NewEntry[], caps: StoreCaps): void {
  if (entries.length > caps.maxBatch) {
    throw new FrontierError(
      'record-too-large',
      `expected at most ${caps.maxBatch} entries at a time, got ${entries.length}`,
    );
  }
  for (const { band, body, fp } of entries) {
    if (body.length > caps.maxBody) checkOctets('body', body, caps.maxBody);
    if (!(band >= 0 && band <= 7) || fp.length !== caps.fpBytes) {
      throw new FrontierError(
        'option-invalid',
        `expected a band from 0 to 7 and ${caps.fpBytes} octets of fingerprint, got ${band} and ${fp.length}`,
      );
    }
  }
}
