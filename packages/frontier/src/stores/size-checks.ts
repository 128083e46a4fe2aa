// The bounds every store checks before it changes anything (X3).

import { FrontierError } from '../errors.js';
import { HOST_STATE_MAX_BYTES } from '../limits.js';
import type { HostCommit, NewEntry, StoreCapabilities } from '../store.js';

/** @throws FrontierError `record-too-large`. */
export function checkBytes(what: string, bytes: Uint8Array, most: number): void {
  if (bytes.length <= most) return;
  throw new FrontierError('record-too-large', `expected a ${what} of at most ${most} bytes, got ${bytes.length}`);
}

/**
 * Checks entries on their way in against what the store can hold.
 *
 * @throws FrontierError `record-too-large` for too many entries or too long a body; `option-invalid` for a priority or
 *   a
 * fingerprint that no store knows.
 */
export function checkBatch(entries: readonly NewEntry[], capabilities: StoreCapabilities): void {
  if (entries.length > capabilities.maxBatch) {
    throw new FrontierError(
      'record-too-large',
      `expected at most ${capabilities.maxBatch} entries at a time, got ${entries.length}`,
    );
  }
  for (const { priority, body, fingerprint } of entries) {
    if (body.length > capabilities.maxBody) checkBytes('body', body, capabilities.maxBody);
    if (!(priority >= 0 && priority <= 7) || fingerprint.length !== capabilities.fingerprintBytes) {
      throw new FrontierError(
        'option-invalid',
        `expected a priority from 0 to 7 and ${capabilities.fingerprintBytes} bytes of fingerprint, got ${priority} and ${fingerprint.length}`,
      );
    }
  }
}

/**
 * Checks what is said of hosts.
 *
 * @throws FrontierError `record-too-large` for too long a state or body; `option-invalid` for a priority that no store
 *   knows.
 */
export function checkCommits(hosts: readonly HostCommit[], { maxBody }: StoreCapabilities): void {
  for (const { state, requeue } of hosts) {
    if (state !== undefined) checkBytes('host state', state, HOST_STATE_MAX_BYTES);
    for (const { body, priority } of requeue ?? []) {
      if (body !== undefined) checkBytes('body', body, maxBody);
      if (priority !== undefined && !(priority >= 0 && priority <= 7)) {
        throw new FrontierError('option-invalid', `expected a priority from 0 to 7, got ${priority}`);
      }
    }
  }
}
