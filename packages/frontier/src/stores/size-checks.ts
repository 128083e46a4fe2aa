// The bounds every store checks before it changes anything (X3).

import { FrontierError } from '../errors.js';
import { HOST_STATE_MAX_BYTES } from '../limits.js';
import type { HostCommit, NewEntry, StoreCaps } from '../store.js';

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
  for (const { band, body, fingerprint } of entries) {
    if (body.length > caps.maxBody) checkOctets('body', body, caps.maxBody);
    if (!(band >= 0 && band <= 7) || fingerprint.length !== caps.fingerprintBytes) {
      throw new FrontierError(
        'option-invalid',
        `expected a band from 0 to 7 and ${caps.fingerprintBytes} octets of fingerprint, got ${band} and ${fingerprint.length}`,
      );
    }
  }
}

/**
 * Checks what is said of hosts.
 *
 * @throws FrontierError `record-too-large` for too long a state or body; `option-invalid` for a band that no store knows.
 */
export function checkCommits(hosts: readonly HostCommit[], { maxBody }: StoreCaps): void {
  for (const { state, requeue } of hosts) {
    if (state !== undefined) checkOctets('host state', state, HOST_STATE_MAX_BYTES);
    for (const { body, band } of requeue ?? []) {
      if (body !== undefined) checkOctets('body', body, maxBody);
      if (band !== undefined && !(band >= 0 && band <= 7)) {
        throw new FrontierError('option-invalid', `expected a band from 0 to 7, got ${band}`);
      }
    }
  }
}
