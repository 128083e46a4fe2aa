// The robots gate: what an authority's robots.txt says about a URL, and who must ask for the file first.
// Asked twice: when a URL is added (a first look, with fresh rules at hand only) and when it is taken (binding).
// It never answers `allow` without rules or an answer that means there are none; whatever is missing is fetched first
// or held. It sends nothing itself: a file to fetch becomes a piece of work in its host's slot (access §2, §8).

import type { Decision } from '@mannerly/robots';
import {
  type AccessState,
  accessAdvice,
  copyValidators,
  isFetchDue,
  nextAccess,
  nextHop,
  type ResolvedAccessOptions,
  type RobotsAnswer,
} from '@mannerly/robots/access';
import type { FrontierStore } from '../store.js';
import type { RobotsCopyRef } from '../work.js';
import { type AuthorityRecord, type Chain, newAuthorityRecord } from './authority.js';
import { type Authority, type AuthorityCacheBounds, createAuthorityCache } from './authority-cache.js';
import { type AuthorityRules, type RulesReader, robotsHash } from './authority-rules.js';
import { CHAIN_EXCHANGE_MS, CHAIN_SLOT_WAIT_MS, REFUSED_AUTHORITY_MS } from './limits.js';

/** The binding answer about one URL. */
export type GateAnswer =
  | { readonly kind: 'allow'; readonly decision: Decision }
  | { readonly kind: 'deny'; readonly decision: Decision }
  /** robots.txt is to be fetched before anything else of this authority. */
  | { readonly kind: 'fetch' }
  /** It is being fetched. */
  | { readonly kind: 'busy' }
  /** Our own rules forbid the authority. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'hold'; readonly untilMs: number; readonly sinceMs: number };

/** A decision that closes a URL, and by which copy. */
export interface Exclusion {
  readonly decision: Decision;
  readonly robots: RobotsCopyRef;
}

/** What a robots.txt that came leads to. */
export type Received =
  /** A redirect: the next hop is to be queued at its own host. */
  | { readonly kind: 'hop'; readonly chain: Chain; readonly url: string }
  /** The end of it. `isFirst`: no answer but failures had come from this authority in this crawl. */
  | { readonly kind: 'settled'; readonly before: AccessState; readonly isFirst: boolean };

/** A request for a robots.txt. */
export interface RobotsRequest {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What the gate is made of. */
export interface GateParts {
  readonly records: Pick<FrontierStore, 'readRecord' | 'writeRecord'>;
  readonly access: ResolvedAccessOptions;
  readonly readRules: RulesReader;
  readonly bounds: AuthorityCacheBounds;
  readonly nowMs: () => number;
  /** A number in [0, 1): jitter of retries. */
  readonly random: () => number;
}

/** The gate. Synchronous where an authority is at hand; `load` brings it there. */
export interface RobotsGate {
  peek(name: string): Authority | null;
  load(name: string): Promise<Authority>;
  /** What closes the URL, when fresh rules at hand do; `null` otherwise. Changes nothing. */
  firstLook(name: string, url: string, nowMs: number): Exclusion | null;
  ask(authority: Authority, url: string, nowMs: number): GateAnswer;
  /** A request for its robots.txt is handed out: from here on it is busy. */
  beginFetch(authority: Authority, nowMs: number): RobotsRequest;
  /** Reads the record again, as another process may have left it; not while a request of ours is under way. */
  refresh(name: string): Promise<Authority>;
  /** The request was handed back unsent. */
  abandonFetch(authority: Authority): void;
  /** Our own rules forbid the authority: it is not asked for anything for a while. */
  refuse(authority: Authority, reason: string, nowMs: number): void;
  /** Its chain was ended by another process: what that one wrote is taken over. @returns Whether it was. */
  adopt(authority: Authority): Promise<boolean>;
  /** A hop of its chain is handed out: the chain waits for the exchange now, not for the slot. `null`: no such chain. */
  beginHop(authority: Authority, chainId: string, url: string, nowMs: number): RobotsRequest | null;
  /** Takes in what came from `url`, and writes the record. */
  receive(authority: Authority, url: string, answer: RobotsAnswer, nowMs: number): Promise<Received>;
  /** A page of the authority was answered: some profiles want to know (access §5). */
  hostAnswered(authority: Authority, nowMs: number): void;
  /** The name under which the authority's file would have a URL known, with the file at hand; `null`: its own. */
  keyBySite(name: string, url: string): string | null;
  /** The rules in force, `null` where the authority has none now. */
  rules(authority: Authority): AuthorityRules | null;
  ref(authority: Authority): RobotsCopyRef;
}

/** @throws Never; what the records throw passes through the calls that return promises. */
export function createRobotsGate(parts: GateParts): RobotsGate {
  const { access: options } = parts;
  const cache = createAuthorityCache(parts.records, (record) => restored(record, parts.nowMs(), options), parts.bounds);

  const rulesOf = (authority: Authority): AuthorityRules | null => {
    const { copy, phase } = authority.access;
    if (copy === null || phase === 'no-rules' || phase === 'restricted') return null;
    if (authority.rules === null || authority.rulesBody !== copy.body) {
      cache.keepRules(authority, parts.readRules.fromCopy(copy), copy.body);
    }
    return authority.rules;
  };
  const decide = (authority: Authority, url: string, nowMs: number): GateAnswer => {
    const { access } = authority;
    const advice = accessAdvice(access, nowMs, options);
    switch (advice.kind) {
      case 'hold':
        return { kind: 'hold', untilMs: advice.untilMs, sinceMs: access.firstFailureMs ?? nowMs };
      case 'deny':
        return { kind: 'deny', decision: parts.readRules.restricted };
      case 'allow':
        return { kind: 'allow', decision: parts.readRules.withoutRules };
      case 'by-rules': {
        const rules = rulesOf(authority);
        if (rules === null) return { kind: 'hold', untilMs: nowMs, sinceMs: access.firstFailureMs ?? nowMs };
        const decision = rules.decide(url);
        return { kind: decision.allowed ? 'allow' : 'deny', decision };
      }
    }
  };

  return {
    peek: (name) => cache.peek(name),
    load: (name) => cache.load(name),
    refresh(name) {
      cache.forget(name);
      return cache.load(name);
    },
    firstLook(name, url, nowMs) {
      const authority = cache.peek(name);
      // What only a stale copy closes is asked about again when it is taken.
      if (authority === null || authority.access.phase === 'last-good') return null;
      const answer = decide(authority, url, nowMs);
      return answer.kind === 'deny' ? { decision: answer.decision, robots: refOf(authority) } : null;
    },
    ask(authority, url, nowMs) {
      if (authority.access.fetching) return { kind: 'busy' };
      const { refused } = authority;
      if (refused !== null && nowMs < refused.untilMs) return { kind: 'refused', reason: refused.reason };
      return isFetchDue(authority.access, nowMs) ? { kind: 'fetch' } : decide(authority, url, nowMs);
    },
    beginFetch(authority, nowMs) {
      authority.access = nextAccess(authority.access, { kind: 'ask' }, nowMs, options);
      return request(authority, robotsAddress(authority));
    },
    async adopt(authority) {
      const { chain } = authority;
      const record = await cache.readRecord(authority.name);
      if (record === null || chain === null || record.chain?.id === chain.id || authority.chain !== chain) return false;
      Object.assign(authority, restored(record, parts.nowMs(), options));
      return true;
    },
    abandonFetch(authority) {
      authority.access = { ...authority.access, fetching: false };
    },
    refuse(authority, reason, nowMs) {
      authority.access = { ...authority.access, fetching: false };
      authority.refused = { reason, untilMs: nowMs + REFUSED_AUTHORITY_MS };
    },
    beginHop(authority, chainId, url, nowMs) {
      const { chain } = authority;
      if (chain === null || chain.id !== chainId || chain.urls.at(-1) !== url || nowMs >= chain.untilMs) return null;
      authority.chain = { ...chain, untilMs: nowMs + CHAIN_EXCHANGE_MS };
      return request(authority, url);
    },
    async receive(authority, url, answer, nowMs) {
      const asked = authority.chain?.urls ?? [url];
      const next = hopAfter(answer, url, asked, options);
      if (next.kind === 'follow') {
        const id = authority.chain?.id ?? String(nowMs);
        const chain: Chain = { id, urls: [...asked, next.url], untilMs: nowMs + CHAIN_SLOT_WAIT_MS };
        authority.chain = chain;
        await cache.save(authority);
        return { kind: 'hop', chain, url: next.url };
      }
      const before = authority.access;
      const event = {
        kind: 'answer',
        answer: final(next, answer, authority, url),
        jitter: parts.random() / 10,
      } as const;
      const after = nextAccess(before, event, nowMs, options);
      const body = after.copy?.body ?? null;
      const hash = body === null || body === before.copy?.body ? authority.hash : await robotsHash(body);
      // All at once: until here it counts as being asked for.
      const isFirst = after.failures === 0 && !authority.hasAnswered;
      authority.access = after;
      authority.hash = body === null ? null : hash;
      authority.chain = null;
      if (isFirst) authority.hasAnswered = true;
      await cache.save(authority);
      return { kind: 'settled', before, isFirst };
    },
    hostAnswered(authority, nowMs) {
      if (options.afterUnreachable !== 'google') return;
      authority.access = nextAccess(authority.access, { kind: 'host-answered' }, nowMs, options);
    },
    keyBySite(name, url) {
      const authority = cache.peek(name);
      return authority === null ? null : (rulesOf(authority)?.key(url) ?? null);
    },
    rules: rulesOf,
    ref: refOf,
  };
}

/** After a restart no request is under way, but a chain may be: its hop waits in a queue, and the authority for it. */
function restored(record: AuthorityRecord, nowMs: number, options: ResolvedAccessOptions): AuthorityRecord {
  const access = nextAccess(record.access, { kind: 'restored' }, nowMs, options);
  const { chain } = record;
  // Further ahead than a chain is ever given: the clock was set back.
  const isAlive = chain !== null && nowMs < chain.untilMs && chain.untilMs <= nowMs + CHAIN_EXCHANGE_MS;
  if (!isAlive) return { ...newAuthorityRecord(), ...record, access, chain: null };
  return { ...record, access: { ...access, fetching: true } };
}

function refOf(authority: Authority): RobotsCopyRef {
  const { name, access, hash } = authority;
  return {
    authority: name,
    phase: access.phase,
    hash: access.copy === null ? null : hash,
    receivedAtMs: access.copy?.receivedAtMs ?? null,
  };
}

/** access §1; the name of an authority is already in its normal form. */
function robotsAddress(authority: Authority): string {
  return `${authority.name}/robots.txt`;
}

function request(authority: Authority, url: string): RobotsRequest {
  const validators = copyValidators(authority.access.copy, url);
  return {
    url,
    etag: validators?.['if-none-match'] ?? null,
    lastModified: validators?.['if-modified-since'] ?? null,
  };
}

type Next = ReturnType<typeof nextHop>;

function hopAfter(answer: RobotsAnswer, url: string, asked: readonly string[], options: ResolvedAccessOptions): Next {
  if (answer.kind !== 'response') return { kind: 'final' };
  return nextHop(answer.status, answer.headers['location'] ?? null, url, asked, options);
}

/** The answer as the state machine takes it: rules govern the authority asked first, validators the URL that answered. */
function final(next: Next, answer: RobotsAnswer, authority: Authority, url: string): RobotsAnswer {
  if (next.kind === 'redirect-limit') return { kind: 'redirect-limit' };
  if (next.kind === 'redirect-unusable') return { kind: 'failure', failure: 'redirect-unusable' };
  if (answer.kind !== 'response') return answer;
  return { ...answer, robotsUrl: robotsAddress(authority), finalUrl: url };
}
