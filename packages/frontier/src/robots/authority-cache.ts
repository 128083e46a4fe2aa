// The authorities in memory, backed by their records in the store: the access state of `@mannerly/robots` with the good
// copy, and what only the frontier needs. A restart reads the same record, so it neither refetches nor forgives
// anything (access §8). Memory is bounded in number and in bytes. The least recently used authority is evicted first,
// unless a request or a write for it is in flight, and is read from the store again when needed. Compiled rules are
// many times larger than their file: only the rules compiled last are kept, and other files are read again when needed.

import { type AccessState, decodeAccess, encodeAccess, initialAccess } from '@mannerly/robots/access';
import { MAX_RECORD_BYTES } from '../limits.js';
import type { FrontierStore } from '../store.js';
import { isText, isTime } from '../stored-value.js';
import type { Refusal } from '../work.js';
import type { AuthorityRules } from './authority-rules.js';
import { AUTHORITY_OVERHEAD_BYTES } from './limits.js';
import { pack, robotsHash, unpack } from './packed-record.js';

/** A redirect chain of a robots.txt whose next hop is in another host's queue. */
export interface Chain {
  readonly id: string;
  /** Every URL requested or about to be requested, in order. */
  readonly urls: readonly string[];
  /** Epoch milliseconds after which the chain counts as failed. */
  readonly untilMs: number;
}

/** What is kept of an authority between restarts. */
export interface AuthorityRecord {
  readonly access: AccessState;
  /** SHA-256 of the good copy's body, 64 hex digits; `null`: no copy. */
  readonly hash: string | null;
  readonly chain: Chain | null;
  /** Whether an answer other than a failure has arrived in this crawl. */
  readonly hasAnswered: boolean;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** An authority in memory. Only the gate and this cache change it. */
export interface Authority extends Writable<AuthorityRecord> {
  readonly name: string;
  /** Compiled from `rulesBody` when first needed. */
  rules: AuthorityRules | null;
  rulesBody: Uint8Array | null;
  /** Our own rules forbid any request to it: why, and until when. Not kept over a restart. */
  refused: { readonly refusal: Refusal; readonly untilMs: number } | null;
  /** How many writes of its record are in flight. */
  writes: number;
}

/** The body of a good copy, and its hash. */
interface CachedCopy {
  readonly hash: string;
  readonly body: Uint8Array;
}

export interface AuthorityCacheBounds {
  readonly maxAuthorities: number;
  /** Authorities whose rules stay compiled. */
  readonly maxRules: number;
  readonly maxBytes: number;
}

/** How many candidates are checked before memory may exceed its bound for a moment. */
const MAX_EVICTION_CANDIDATES = 16;

/** The authorities in memory. Promises reject with what the store throws. */
export class AuthorityCache {
  readonly #records: Pick<FrontierStore, 'readRecord' | 'writeRecord'>;
  readonly #restore: (record: AuthorityRecord) => AuthorityRecord;
  readonly #bounds: AuthorityCacheBounds;
  /** In order of use: removing and adding an authority makes it the most recent. */
  readonly #byName = new Map<string, { readonly authority: Authority; readonly bytes: number }>();
  readonly #loading = new Map<string, Promise<Authority>>();
  /** Names of the authorities in memory whose rules are compiled, in order of compilation. */
  readonly #compiled = new Set<string>();
  #bytes = 0;
  /** The most recently used: links of one page ask for the same authority over and over. */
  #mostRecent: Authority | null = null;

  /** @param restore - Applied to a record that was read from the store before it is used. */
  constructor(
    records: Pick<FrontierStore, 'readRecord' | 'writeRecord'>,
    restore: (record: AuthorityRecord) => AuthorityRecord,
    bounds: AuthorityCacheBounds,
  ) {
    this.#records = records;
    this.#restore = restore;
    this.#bounds = bounds;
  }

  /** The authority in memory; `null` says nothing about the store. */
  peek(name: string): Authority | null {
    if (this.#mostRecent?.name === name) return this.#mostRecent;
    const cached = this.#byName.get(name);
    if (cached === undefined) return null;
    this.#byName.delete(name);
    this.#byName.set(name, cached);
    this.#mostRecent = cached.authority;
    return cached.authority;
  }

  /**
   * Loads an authority from memory or the store. If neither has it, it starts as new. Concurrent calls share one read.
   *
   * @param cached - A copy that was in memory, for a record of the same copy that may lack its body.
   */
  load(name: string, cached: CachedCopy | null = null): Promise<Authority> {
    const known = this.peek(name);
    if (known !== null) return Promise.resolve(known);
    let loading = this.#loading.get(name);
    if (loading === undefined) {
      loading = this.#read(name, cached).finally(() => this.#loading.delete(name));
      this.#loading.set(name, loading);
    }
    return loading;
  }

  /** Its record as it is in the store now; memory does not change. */
  async readRecord(name: string, cached: CachedCopy | null = null): Promise<AuthorityRecord | null> {
    const bytes = await this.#records.readRecord(authorityKey(name));
    return bytes === null ? null : decodeAuthority(name, bytes, cached);
  }

  /**
   * Reads its record again, because another process may have changed it, but not while a request or write of ours is in
   * flight.
   */
  async refresh(name: string): Promise<Authority> {
    const cached = this.#byName.get(name);
    if (cached === undefined || isInUse(cached.authority)) return this.load(name);
    const { hash, rules, rulesBody, access } = cached.authority;
    this.#drop(name, cached.bytes);
    this.#mostRecent = null;
    const body = access.copy?.body;
    const authority = await this.load(name, hash === null || body === undefined ? null : { hash, body });
    const { copy } = authority.access;
    // An unchanged file is not parsed again.
    const isSame = hash !== null && hash === authority.hash && access.copy?.charset === copy?.charset;
    if (isSame && copy !== null && rules !== null && rulesBody === access.copy?.body) {
      this.keepRules(authority, rules, copy.body);
    }
    return authority;
  }

  /** Keeps its compiled rules and their body. The rules that were compiled first are dropped in exchange. */
  keepRules(authority: Authority, rules: AuthorityRules, body: Uint8Array): void {
    authority.rules = rules;
    authority.rulesBody = body;
    if (this.#byName.get(authority.name)?.authority !== authority) return;
    this.#compiled.delete(authority.name);
    this.#compiled.add(authority.name);
    if (this.#compiled.size <= this.#bounds.maxRules) return;
    const [name = ''] = this.#compiled;
    this.#compiled.delete(name);
    const first = this.#byName.get(name)?.authority;
    if (first === undefined) return;
    first.rules = null;
    first.rulesBody = null;
  }

  async save(authority: Authority): Promise<void> {
    authority.writes += 1;
    this.#cache(authority);
    try {
      await this.#records.writeRecord(authorityKey(authority.name), encodeAuthority(authority));
    } finally {
      authority.writes -= 1;
    }
  }

  async #read(name: string, cached: CachedCopy | null): Promise<Authority> {
    const stored = await this.readRecord(name, cached);
    const record = stored === null ? newAuthorityRecord() : this.#restore(stored);
    const authority: Authority = { name, ...record, rules: null, rulesBody: null, refused: null, writes: 0 };
    this.#cache(authority);
    return authority;
  }

  #cache(authority: Authority): void {
    this.#bytes -= this.#byName.get(authority.name)?.bytes ?? 0;
    this.#byName.delete(authority.name);
    const bytes = AUTHORITY_OVERHEAD_BYTES + 2 * (authority.access.copy?.body.length ?? 0);
    this.#bytes += bytes;
    this.#byName.set(authority.name, { authority, bytes });
    this.#mostRecent = authority;
    let checked = 0;
    for (const [name, oldest] of this.#byName) {
      if (this.#byName.size <= this.#bounds.maxAuthorities && this.#bytes <= this.#bounds.maxBytes) break;
      checked += 1;
      if (checked > MAX_EVICTION_CANDIDATES || oldest.authority === authority) break;
      if (!isInUse(oldest.authority)) this.#drop(name, oldest.bytes);
    }
  }

  #drop(name: string, bytes: number): void {
    this.#byName.delete(name);
    this.#compiled.delete(name);
    this.#bytes -= bytes;
  }
}

function isInUse({ access, writes }: Authority): boolean {
  return access.fetching || writes > 0;
}

const HEAD_LENGTH_BYTES = 4;

export function authorityKey(authority: string): string {
  return `robots/${authority}`;
}

/** access §1; the name of an authority is already normalized. */
export function robotsUrlOf(authority: string): string {
  return `${authority}/robots.txt`;
}

/** The record of an unknown authority. */
export function newAuthorityRecord(): AuthorityRecord {
  return { access: initialAccess(), hash: null, chain: null, hasAnswered: false };
}

/**
 * Encodes a record: length of the head, head as JSON, access state, compressed; at most 1 MiB. A body that does not fit
 * is left out, which leads to a fetch, not to permission.
 */
export function encodeAuthority(record: AuthorityRecord): Uint8Array {
  const { hash, chain, hasAnswered } = record;
  const head = new TextEncoder().encode(JSON.stringify({ v: 1, hash, chain, hasAnswered }));
  const full = encodeAccess(record.access);
  const { copy } = record.access;
  const isTooLong = HEAD_LENGTH_BYTES + head.length + full.length > MAX_RECORD_BYTES && copy !== null;
  const access = isTooLong ? encodeAccess({ ...record.access, copy: { ...copy, mayStore: false } }) : full;
  const bytes = new Uint8Array(HEAD_LENGTH_BYTES + head.length + access.length);
  new DataView(bytes.buffer).setUint32(0, head.length);
  bytes.set(head, HEAD_LENGTH_BYTES);
  bytes.set(access, HEAD_LENGTH_BYTES + head.length);
  return pack(bytes);
}

/**
 * Decodes a record. `null`: this version did not write it for this authority, or it is damaged. Then the authority is
 * unknown like a new one, so its file is fetched before anything else.
 *
 * @param cached - A copy in memory. If it is the record's copy, it supplies a body that was left out (`no-store`).
 */
export function decodeAuthority(
  name: string,
  stored: Uint8Array,
  cached: CachedCopy | null = null,
): AuthorityRecord | null {
  const bytes = unpack(stored);
  if (bytes === null || bytes.length < HEAD_LENGTH_BYTES) return null;
  const headEnd = HEAD_LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const head = readHead(bytes.subarray(HEAD_LENGTH_BYTES, headEnd));
  const body = cached !== null && cached.hash === head?.hash ? cached.body : null;
  const access = head === null ? null : decodeAccess(bytes.subarray(headEnd), body);
  if (head === null || access === null) return null;
  const { copy } = access;
  if (copy === null) return { ...head, access, hash: null };
  return copy.robotsUrl === robotsUrlOf(name) && robotsHash(copy.body) === head.hash ? { ...head, access } : null;
}

function readHead(bytes: Uint8Array): Omit<AuthorityRecord, 'access'> | null {
  try {
    const { v, hash, chain, hasAnswered } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<
      Omit<AuthorityRecord, 'access'> & { v: number }
    >;
    if (v !== 1 || (chain !== null && !isChain(chain))) return null;
    return { hash: hash ?? null, chain, hasAnswered: hasAnswered === true };
  } catch {
    return null; // Not JSON, so not a record of ours; JSON.parse has no other way to say so.
  }
}

function isChain(chain: Partial<Chain> | undefined): chain is Chain {
  const { id, urls, untilMs } = chain ?? {};
  return isText(id) && Array.isArray(urls) && urls.length > 0 && urls.every(isText) && isTime(untilMs);
}
