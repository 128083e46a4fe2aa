// The authorities in memory, backed by their records in the store. Bounded in number and in bytes: the one that was not
// used for longest goes first, unless a request or a write for it is in flight. What goes is in the store and comes
// back on demand. Compiled rules are many times their file: the ones compiled last are kept, and other files are read
// again when needed.

import type { AccessState } from '@mannerly/robots/access';
import type { FrontierStore } from '../store.js';
import {
  type AuthorityRecord,
  authorityKey,
  type Chain,
  decodeAuthority,
  encodeAuthority,
  newAuthorityRecord,
} from './authority.js';
import type { AuthorityRules } from './authority-rules.js';
import { AUTHORITY_OVERHEAD_BYTES } from './limits.js';

/** An authority in memory. Only the gate and this cache change it. */
export interface Authority {
  readonly name: string;
  access: AccessState;
  hash: string | null;
  chain: Chain | null;
  hasAnswered: boolean;
  /** Read from `rulesBody` when first needed. */
  rules: AuthorityRules | null;
  rulesBody: Uint8Array | null;
  /** Our own rules keep us from requesting anything of it: why, and until when. Not kept over a restart. */
  refused: { readonly reason: string; readonly untilMs: number } | null;
  /** Writes of its record in flight. */
  writes: number;
}

/** How much may stay in memory. */
export interface AuthorityCacheBounds {
  readonly maxAuthorities: number;
  /** Authorities whose rules stay compiled. */
  readonly maxRules: number;
  readonly maxBytes: number;
}

/** Candidates looked at before memory may stay above its bound for a moment. */
const EVICTION_LOOKS = 16;

/** The authorities in memory. Its promises reject with what the store throws. */
export class AuthorityCache {
  readonly #records: Pick<FrontierStore, 'readRecord' | 'writeRecord'>;
  readonly #restore: (record: AuthorityRecord) => AuthorityRecord;
  readonly #bounds: AuthorityCacheBounds;
  /** In the order of use: removing and adding makes one the youngest. */
  readonly #byName = new Map<string, { readonly authority: Authority; readonly bytes: number }>();
  readonly #loading = new Map<string, Promise<Authority>>();
  /** Names of the authorities in memory whose rules are compiled, the first compiled first. */
  readonly #compiled = new Set<string>();
  #bytes = 0;
  /** Used last: links of one page ask for the same authority over and over. */
  #youngest: Authority | null = null;

  /** @param restore - What a record read from the store becomes before it is used. */
  constructor(
    records: Pick<FrontierStore, 'readRecord' | 'writeRecord'>,
    restore: (record: AuthorityRecord) => AuthorityRecord,
    bounds: AuthorityCacheBounds,
  ) {
    this.#records = records;
    this.#restore = restore;
    this.#bounds = bounds;
  }

  /** In memory; `null` says nothing about the store. */
  peek(name: string): Authority | null {
    if (this.#youngest?.name === name) return this.#youngest;
    const held = this.#byName.get(name);
    if (held === undefined) return null;
    this.#byName.delete(name);
    this.#byName.set(name, held);
    this.#youngest = held.authority;
    return held.authority;
  }

  /** From memory or the store; one that neither knows begins as new. Concurrent calls share one read. */
  load(name: string): Promise<Authority> {
    const held = this.peek(name);
    if (held !== null) return Promise.resolve(held);
    let coming = this.#loading.get(name);
    if (coming === undefined) {
      coming = this.#read(name).finally(() => this.#loading.delete(name));
      this.#loading.set(name, coming);
    }
    return coming;
  }

  /** Its record as the store has it now; memory stays as it is. */
  async readRecord(name: string): Promise<AuthorityRecord | null> {
    const bytes = await this.#records.readRecord(authorityKey(name));
    return bytes === null ? null : decodeAuthority(bytes);
  }

  /** Drops it from memory, unless a request or a write is in flight. */
  forget(name: string): void {
    const held = this.#byName.get(name);
    if (held === undefined || isInUse(held.authority)) return;
    this.#drop(name, held.bytes);
    if (this.#youngest === held.authority) this.#youngest = null;
  }

  /** Keeps its rules, as read from a body. The rules that were compiled first are dropped for them. */
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

  /** Writes its record as it is now. */
  async save(authority: Authority): Promise<void> {
    authority.writes += 1;
    this.#hold(authority);
    try {
      await this.#records.writeRecord(authorityKey(authority.name), encodeAuthority(authority));
    } finally {
      authority.writes -= 1;
    }
  }

  async #read(name: string): Promise<Authority> {
    const kept = await this.readRecord(name);
    const record = kept === null ? newAuthorityRecord() : this.#restore(kept);
    const authority: Authority = { name, ...record, rules: null, rulesBody: null, refused: null, writes: 0 };
    this.#hold(authority);
    return authority;
  }

  #hold(authority: Authority): void {
    this.#bytes -= this.#byName.get(authority.name)?.bytes ?? 0;
    this.#byName.delete(authority.name);
    const bytes = AUTHORITY_OVERHEAD_BYTES + 2 * (authority.access.copy?.body.length ?? 0);
    this.#bytes += bytes;
    this.#byName.set(authority.name, { authority, bytes });
    this.#youngest = authority;
    let looks = 0;
    for (const [name, oldest] of this.#byName) {
      if (this.#byName.size <= this.#bounds.maxAuthorities && this.#bytes <= this.#bounds.maxBytes) break;
      looks += 1;
      if (looks > EVICTION_LOOKS || oldest.authority === authority) break;
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
