// A licence document as it is stored: what it says, until when that is valid, and how to revalidate it.

import { hash } from 'node:crypto';
import { headerValue, type ResponseOutcome } from '../fetch/outcome.js';
import { decodeText } from '../page/charset.js';
import type { LicenseReading } from './license-document.js';
import { LICENSE_UNREADABLE_MS, MAX_LICENSE_BYTES } from './limits.js';

/** A stored document, in memory and, without its interpretation, in the store. */
export interface CachedLicense {
  readonly reading: LicenseReading;
  /** `null` if it could not be read. */
  readonly text: string | null;
  readonly fetchedAtMs: number | null;
  readonly expiresAtMs: number;
  readonly digest: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

const DAY_MS = 86_400_000;
const NO_DOCUMENT = { text: null, fetchedAtMs: null, digest: null, etag: null, lastModified: null };

/** An unreadable document; valid for a day. */
export function unreadable(reason: string, nowMs: number): CachedLicense {
  return { ...NO_DOCUMENT, reading: { kind: 'unreadable', reason }, expiresAtMs: nowMs + LICENSE_UNREADABLE_MS };
}

/** An unreachable document says neither yes nor no: every use waits. */
export function unreachable(reason: string, untilMs: number): CachedLicense {
  return { ...NO_DOCUMENT, reading: { kind: 'unreadable', reason, isTemporary: true }, expiresAtMs: untilMs };
}

export async function cacheResponse(
  { body, headers, truncated }: ResponseOutcome,
  nowMs: number,
): Promise<CachedLicense> {
  if (truncated === 'limit') return unreadable(`more than ${MAX_LICENSE_BYTES} bytes`, nowMs);
  const text = decodeText(body, headerValue(headers, 'content-type'), 'xml');
  const { readLicenseDocument } = await import('./license-document.js');
  const reading = readLicenseDocument(text);
  const lifetimeMs = reading.kind === 'read' ? reading.maxAgeDays * DAY_MS : LICENSE_UNREADABLE_MS;
  return {
    reading,
    text: reading.kind === 'read' ? text : null,
    fetchedAtMs: nowMs,
    expiresAtMs: nowMs + lifetimeMs,
    digest: hash('sha256', text),
    etag: headerValue(headers, 'etag'),
    lastModified: headerValue(headers, 'last-modified'),
  };
}

/** A document that has not changed since it was received is valid for as long again. */
export function renew(known: CachedLicense, fetchedAtMs: number, nowMs: number): CachedLicense {
  return { ...known, fetchedAtMs: nowMs, expiresAtMs: nowMs + known.expiresAtMs - fetchedAtMs };
}
