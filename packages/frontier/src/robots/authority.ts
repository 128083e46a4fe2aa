// One authority as the gate knows it, and its record in the store: the access state of `@mannerly/robots` with the good
// copy, and what only the frontier keeps: the body's hash, a redirect chain under way, whether companions
// were queued. A restart reads the same record, so it is neither a reason to refetch nor an amnesty (access §8).

import { type AccessState, decodeAccess, encodeAccess, initialAccess } from '@mannerly/robots/access';
import { RECORD_MAX_BYTES } from '../limits.js';

/** A redirect chain of a robots.txt whose next hop stands in another queue. */
export interface Chain {
  readonly id: string;
  /** Every URL asked or about to be asked, in order. */
  readonly urls: readonly string[];
  /** Epoch milliseconds; then it counts as failed. */
  readonly untilMs: number;
}

/** What is kept of an authority between restarts. */
export interface AuthorityRecord {
  readonly access: AccessState;
  /** SHA-256 of the good copy's body, first 16 hex digits; `null` without a copy. */
  readonly hash: string | null;
  readonly chain: Chain | null;
  /** An answer that was no failure has come in this crawl. */
  readonly hasAnswered: boolean;
}

const HEAD_LENGTH_BYTES = 4;

/** The key of an authority's record. Never throws. */
export function authorityKey(authority: string): string {
  return `robots/${authority}`;
}

/** The record of an authority that nothing is known of. Never throws. */
export function newAuthorityRecord(): AuthorityRecord {
  return { access: initialAccess(), hash: null, chain: null, hasAnswered: false };
}

/**
 * A record as bytes: length of the head, head as JSON, access state.
 *
 * @returns At most 1 MiB: a body that does not fit next to the head is left out, which means a fetch, not permission.
 * @throws Never.
 */
export function encodeAuthority(record: AuthorityRecord): Uint8Array {
  const { hash, chain, hasAnswered } = record;
  const head = new TextEncoder().encode(JSON.stringify({ v: 1, hash, chain, hasAnswered }));
  const full = encodeAccess(record.access);
  const { copy } = record.access;
  const isTooLong = HEAD_LENGTH_BYTES + head.length + full.length > RECORD_MAX_BYTES && copy !== null;
  const access = isTooLong ? encodeAccess({ ...record.access, copy: { ...copy, mayStore: false } }) : full;
  const bytes = new Uint8Array(HEAD_LENGTH_BYTES + head.length + access.length);
  new DataView(bytes.buffer).setUint32(0, head.length);
  bytes.set(head, HEAD_LENGTH_BYTES);
  bytes.set(access, HEAD_LENGTH_BYTES + head.length);
  return bytes;
}

/**
 * A record from bytes.
 *
 * @returns `null` for bytes that this version did not write: then the authority is as unknown as a new one.
 * @throws Never.
 */
export function decodeAuthority(bytes: Uint8Array): AuthorityRecord | null {
  if (bytes.length < HEAD_LENGTH_BYTES) return null;
  const headEnd = HEAD_LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const head = readHead(bytes.subarray(HEAD_LENGTH_BYTES, headEnd));
  const access = head === null ? null : decodeAccess(bytes.subarray(headEnd));
  if (head === null || access === null) return null;
  return { ...head, access, hash: access.copy === null ? null : head.hash };
}

function readHead(bytes: Uint8Array): Omit<AuthorityRecord, 'access'> | null {
  try {
    const { v, hash, chain, hasAnswered } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<
      Omit<AuthorityRecord, 'access'> & { v: number }
    >;
    return v === 1 ? { hash: hash ?? null, chain: chain ?? null, hasAnswered: hasAnswered === true } : null;
  } catch {
    return null; // Not JSON, so not a record of ours; JSON.parse has no other way to say so.
  }
}
