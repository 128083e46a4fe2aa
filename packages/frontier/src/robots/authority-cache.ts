// The authorities that are in memory, backed by their records in the store. Bounded in number and in bytes: the one
// that was not asked about for longest goes first, unless a request or a write for it is under way. What goes is in
// the store and comes back on demand. Compiled rules are many times their file: a crawl of many hosts keeps those that it
// compiled last, and reads the others' files again when it comes back to them.

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

/** An authority in memory. The gate changes it; everybody else reads. */
export interface Authority {
  readonly name: string;
  access: AccessState;
  hash: string | null;
  chain: Chain | null;
  hasAnswered: boolean;
  /** Read from `rulesBody` when first needed. */
  rules: AuthorityRules | null;
  rulesBody: Uint8Array | null;
  /** Our own rules keep us from asking it for anything: why, and until when. Not kept over a restart. */
  refused: { readonly reason: string; readonly untilMs: number } | null;
  /** Writes of its record under way. */
  writes: number;
}

/** The authorities at hand. */
export interface AuthorityCache {
  /** In memory; `null` says nothing about the store. */
  peek(name: string): Authority | null;
  /** From memory or the store; one that neither knows begins as new. Concurrent calls share one read. */
  load(name: string): Promise<Authority>;
  /** Its record as the store has it now; memory stays as it is. */
  readRecord(name: string): Promise<AuthorityRecord | null>;
  /** Drops it from memory, unless a request or a write is under way. */
  forget(name: string): void;
  /** Its rules, as read from a body. Those that were read first of all give way. */
  keepRules(authority: Authority, rules: AuthorityRules, body: Uint8Array): void;
  /** Writes its record as it is now. */
  save(authority: Authority): Promise<void>;
}

/** How much may stay in memory. */
export interface AuthorityCacheBounds {
  readonly maxAuthorities: number;
  /** Authorities whose rules stay compiled. */
  readonly maxRules: number;
  readonly maxBytes: number;
}

/** Candidates looked at before memory is allowed to stay above its bound for a moment. */
const EVICTION_LOOKS = 16;

/**
 * @param restore - What a record read from the store becomes before anyone sees it.
 * @throws Never; what the records throw passes through.
 */
export function createAuthorityCache(
  records: Pick<FrontierStore, 'readRecord' | 'writeRecord'>,
  restore: (record: AuthorityRecord) => AuthorityRecord,
  bounds: AuthorityCacheBounds,
): AuthorityCache {
  // A map keeps the order of insertion: taking out and putting in again makes one the youngest.
  const byName = new Map<string, { readonly authority: Authority; bytes: number }>();
  const loading = new Map<string, Promise<Authority>>();
  /** Who has compiled rules, the first compiled first. Only who is in memory: the rules of one that has left go with it. */
  const compiled = new Set<string>();
  let bytes = 0;
  /** The youngest: links of one page ask for the same authority over and over. */
  let youngest: Authority | null = null;

  const weigh = (authority: Authority) => AUTHORITY_OVERHEAD_BYTES + 2 * (authority.access.copy?.body.length ?? 0);
  const hold = (authority: Authority) => {
    const held = byName.get(authority.name);
    if (held !== undefined) bytes -= held.bytes;
    byName.delete(authority.name);
    const weight = weigh(authority);
    bytes += weight;
    byName.set(authority.name, { authority, bytes: weight });
    youngest = authority;
    let looks = 0;
    for (const [name, { authority: oldest, bytes: oldestBytes }] of byName) {
      if (byName.size <= bounds.maxAuthorities && bytes <= bounds.maxBytes) break;
      looks += 1;
      if (looks > EVICTION_LOOKS || oldest === authority) break;
      if (oldest.access.fetching || oldest.writes > 0) continue;
      byName.delete(name);
      compiled.delete(name);
      bytes -= oldestBytes;
    }
  };
  const readRecord = async (name: string): Promise<AuthorityRecord | null> => {
    const bytes = await records.readRecord(authorityKey(name));
    return bytes === null ? null : decodeAuthority(bytes);
  };
  const read = async (name: string): Promise<Authority> => {
    const kept = await readRecord(name);
    const record = kept === null ? newAuthorityRecord() : restore(kept);
    const authority: Authority = { name, ...record, rules: null, rulesBody: null, refused: null, writes: 0 };
    hold(authority);
    return authority;
  };
  return {
    peek(name) {
      if (youngest !== null && youngest.name === name) return youngest;
      const held = byName.get(name);
      if (held === undefined) return null;
      byName.delete(name);
      byName.set(name, held);
      youngest = held.authority;
      return youngest;
    },
    load(name) {
      const held = this.peek(name);
      if (held !== null) return Promise.resolve(held);
      let coming = loading.get(name);
      if (coming === undefined) {
        coming = read(name).finally(() => loading.delete(name));
        loading.set(name, coming);
      }
      return coming;
    },
    readRecord,
    forget(name) {
      const held = byName.get(name);
      if (held === undefined || held.authority.access.fetching || held.authority.writes > 0) return;
      byName.delete(name);
      compiled.delete(name);
      bytes -= held.bytes;
      if (youngest === held.authority) youngest = null;
    },
    keepRules(authority, rules, body) {
      authority.rules = rules;
      authority.rulesBody = body;
      if (byName.get(authority.name)?.authority !== authority) return;
      compiled.delete(authority.name);
      compiled.add(authority.name);
      if (compiled.size <= bounds.maxRules) return;
      for (const name of compiled) {
        compiled.delete(name);
        const first = byName.get(name)?.authority;
        if (first !== undefined) {
          first.rules = null;
          first.rulesBody = null;
        }
        return;
      }
    },
    async save(authority) {
      authority.writes += 1;
      hold(authority);
      try {
        await records.writeRecord(authorityKey(authority.name), encodeAuthority(authority));
      } finally {
        authority.writes -= 1;
      }
    },
  };
}
