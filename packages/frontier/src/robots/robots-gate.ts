// The robots gate: what an authority's robots.txt says about a URL, and whether the file must be fetched first. It is
// asked twice: when a URL is added (a first check, with fresh rules in memory only) and when it is taken (binding). It
// never answers `allow` without rules or an answer that means there are none; if either is missing, the file is fetched
// first or the URL is held. It sends nothing itself: a file to fetch becomes a work in its host's slot (access §2, §8).

import type { Decision } from '@mannerly/robots';
import {
  accessAdvice,
  copyValidators,
  isFetchDue,
  nextAccess,
  nextHop,
  type ResolvedAccessOptions,
  type RobotsAnswer,
  retryAfterMs,
} from '@mannerly/robots/access';
import type { Clock } from '../clock.js';
import { MAX_CACHED_AUTHORITIES, MAX_CACHED_AUTHORITY_BYTES, MAX_CACHED_RULES } from '../limits.js';
import { MAX_RETRY_AFTER_MS } from '../politeness/limits.js';
import type { FrontierStore } from '../store.js';
import type { Refusal, RobotsCopyRef, RobotsWork } from '../work.js';
import {
  type Authority,
  AuthorityCache,
  type AuthorityRecord,
  type Chain,
  newAuthorityRecord,
  robotsUrlOf,
} from './authority-cache.js';
import type { AuthorityRules, RulesReader } from './authority-rules.js';
import { MAX_CHAIN_EXCHANGE_MS, MAX_CHAIN_SLOT_WAIT_MS, REFUSED_AUTHORITY_MS } from './limits.js';
import { robotsHash } from './packed-record.js';

/** The binding answer about one URL. */
export type GateAnswer =
  | { readonly kind: 'allow'; readonly decision: Decision }
  | { readonly kind: 'deny'; readonly decision: Decision }
  /** The robots.txt must be fetched before anything else of this authority, or is being fetched. */
  | { readonly kind: 'fetch' | 'busy' }
  /** Our own rules forbid the authority. */
  | Refusal
  | { readonly kind: 'hold'; readonly untilMs: number; readonly sinceMs: number };

/** A decision that excludes a URL, and the copy it is based on. */
export interface Exclusion {
  readonly decision: Decision;
  readonly robots: RobotsCopyRef;
}

/** The result of a robots.txt answer. */
export type AnswerResult =
  /** A redirect: the next hop must be queued at its own host. `waitMs`: what its Retry-After asks for. */
  | { readonly kind: 'hop'; readonly chain: Chain; readonly url: string; readonly waitMs: number }
  /** The end of the fetch. `isFirst`: this authority has answered only with failures so far in this crawl. */
  | { readonly kind: 'settled'; readonly isFirst: boolean };

/** The host of a URL that the gate is asked about. */
export interface HostOfUrl {
  /** The authority whose robots.txt its last exchange was for; `null`: none. */
  readonly lastRobotsAuthority: string | null;
  /** Its interval, milliseconds. */
  intervalMs(nowMs: number): number;
}

export type RobotsRequest = Pick<RobotsWork, 'url' | 'etag' | 'lastModified'>;

export interface GateOptions {
  readonly records: Pick<FrontierStore, 'readRecord' | 'writeRecord'>;
  readonly access: ResolvedAccessOptions;
  readonly readRules: RulesReader;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
}

type NextHop = ReturnType<typeof nextHop>;

/** The gate. Synchronous if an authority is in memory. Promises reject with what the records throw. */
export class RobotsGate {
  readonly #options: GateOptions;
  /** The authorities by name. Only the gate changes them. */
  readonly authorities: AuthorityCache;

  constructor(options: GateOptions) {
    const { records, access, clock } = options;
    this.#options = options;
    const bounds = {
      maxAuthorities: MAX_CACHED_AUTHORITIES,
      maxRules: MAX_CACHED_RULES,
      maxBytes: MAX_CACHED_AUTHORITY_BYTES,
    };
    this.authorities = new AuthorityCache(records, (record) => restored(record, clock.nowMs(), access), bounds);
  }

  /** The exclusion of the URL by fresh rules in memory; `null`: none. Changes nothing. */
  precheck(name: string, url: string, nowMs: number): Exclusion | null {
    const authority = this.authorities.peek(name);
    // If only a stale copy excludes the URL, that is decided when it is taken.
    if (authority === null || authority.access.phase === 'last-good') return null;
    const answer = this.#decide(authority, url, nowMs);
    return answer.kind === 'deny' ? { decision: answer.decision, robots: this.copyRef(authority) } : null;
  }

  /** @param host - The host where the URL may be requested next. @default an expired answer is never used */
  ask(authority: Authority, url: string, nowMs: number, host: HostOfUrl | null = null): GateAnswer {
    if (authority.access.fetching) return { kind: 'busy' };
    const { refused } = authority;
    if (refused !== null && nowMs < refused.untilMs) return refused.refusal;
    const atMs = host !== null && isLastExchange(authority, host, nowMs) ? authority.access.freshUntilMs! - 1 : nowMs;
    return isFetchDue(authority.access, atMs) ? { kind: 'fetch' } : this.#decide(authority, url, atMs);
  }

  /** Whether a page has waited too long. Time in the queue while its rules were available does not count. */
  isHeldTooLong(addedAtMs: number, sinceMs: number, nowMs: number): boolean {
    // A time of adding that has not come yet is wrong.
    return nowMs - Math.max(addedAtMs > nowMs ? 0 : addedAtMs, sinceMs) >= this.#options.access.maxHoldMs;
  }

  #decide(authority: Authority, url: string, nowMs: number): GateAnswer {
    const { access } = authority;
    const { readRules } = this.#options;
    const advice = accessAdvice(access, nowMs, this.#options.access);
    if (advice.kind === 'deny') return { kind: 'deny', decision: readRules.restricted };
    if (advice.kind === 'allow') return { kind: 'allow', decision: readRules.withoutRules };
    const rules = advice.kind === 'hold' ? null : this.rules(authority);
    if (rules === null) {
      const untilMs = advice.kind === 'hold' ? advice.untilMs : nowMs;
      return { kind: 'hold', untilMs, sinceMs: access.firstFailureMs ?? nowMs };
    }
    const decision = rules.file.decide(url);
    return { kind: decision.allowed ? 'allow' : 'deny', decision };
  }

  /** The rules in force; `null`: the authority has none now. */
  rules(authority: Authority): AuthorityRules | null {
    const { copy, phase } = authority.access;
    if (copy === null || phase === 'no-rules' || phase === 'restricted') return null;
    if (authority.rules === null || authority.rulesBody !== copy.body) {
      this.authorities.keepRules(authority, this.#options.readRules.fromCopy(copy), copy.body);
    }
    return authority.rules;
  }

  /** The name that the authority's file, if in memory, gives a URL; `null`: its own. */
  siteKeyOf(name: string, url: string): string | null {
    const authority = this.authorities.peek(name);
    return authority === null ? null : (this.rules(authority)?.key(url) ?? null);
  }

  /** The copy that decides. */
  copyRef({ name, access, hash }: Authority): RobotsCopyRef {
    const { copy, phase } = access;
    return { authority: name, phase, hash: copy === null ? null : hash, receivedAtMs: copy?.receivedAtMs ?? null };
  }

  /** A request for its robots.txt is handed out: from now on the authority is busy. */
  beginFetch(authority: Authority, nowMs: number): RobotsRequest {
    authority.access = nextAccess(authority.access, { kind: 'ask' }, nowMs, this.#options.access);
    return request(authority, robotsUrlOf(authority.name));
  }

  /** The request was released unsent. */
  abandonFetch(authority: Authority): void {
    authority.access = { ...authority.access, fetching: false };
  }

  /** Our own rules forbid the authority: nothing is requested from it for a while. */
  refuse(authority: Authority, refusal: Refusal, nowMs: number): void {
    authority.refused = { refusal, untilMs: nowMs + REFUSED_AUTHORITY_MS };
  }

  /** A page of the authority was answered: some profiles take that into account (access §5). */
  hostAnswered(name: string, nowMs: number): void {
    const { access } = this.#options;
    const authority = access.afterUnreachable === 'google' ? this.authorities.peek(name) : null;
    if (authority !== null) authority.access = nextAccess(authority.access, { kind: 'host-answered' }, nowMs, access);
  }

  /** Another process has ended its chain: takes over what that process wrote. @returns Whether it did. */
  async adoptEndedChain(authority: Authority): Promise<boolean> {
    const { chain } = authority;
    const record = await this.authorities.readRecord(authority.name);
    if (record === null || chain === null || record.chain?.id === chain.id || authority.chain !== chain) return false;
    Object.assign(authority, restored(record, this.#options.clock.nowMs(), this.#options.access));
    return true;
  }

  /** A hop of its chain is handed out: the chain now waits for the exchange. `null`: no such chain. */
  beginHop(authority: Authority, chainId: string, url: string, nowMs: number): RobotsRequest | null {
    const { chain } = authority;
    if (chain === null || chain.id !== chainId || chain.urls.at(-1) !== url || nowMs >= chain.untilMs) return null;
    authority.chain = { ...chain, untilMs: nowMs + MAX_CHAIN_EXCHANGE_MS };
    return request(authority, url);
  }

  /** Processes the answer from `url`, and writes the record. */
  async receive(authority: Authority, url: string, answer: RobotsAnswer, nowMs: number): Promise<AnswerResult> {
    const { access: options, random } = this.#options;
    const requested = authority.chain?.urls ?? [url];
    const next: NextHop =
      answer.kind === 'response'
        ? nextHop(answer.status, answer.headers['location'] ?? null, url, requested, options)
        : { kind: 'final' };
    if (next.kind === 'follow') {
      const id = authority.chain?.id ?? String(nowMs);
      const headers = answer.kind === 'response' ? answer.headers : {};
      const waitMs = Math.min(retryAfterMs(headers, nowMs) ?? 0, MAX_RETRY_AFTER_MS);
      const chain: Chain = { id, urls: [...requested, next.url], untilMs: nowMs + waitMs + MAX_CHAIN_SLOT_WAIT_MS };
      authority.chain = chain;
      await this.authorities.save(authority);
      return { kind: 'hop', chain, url: next.url, waitMs };
    }
    const before = authority.access;
    const final = finalAnswer(next, answer, authority, url);
    const after = nextAccess(before, { kind: 'answer', answer: final, jitter: random() / 10 }, nowMs, options);
    const body = after.copy?.body ?? null;
    const hash = body === null || body === before.copy?.body ? authority.hash : robotsHash(body);
    const isFirst = after.failures === 0 && !authority.hasAnswered;
    authority.access = after;
    authority.hash = body === null ? null : hash;
    authority.chain = null;
    if (isFirst) authority.hasAnswered = true;
    await this.authorities.save(authority);
    return { kind: 'settled', isFirst };
  }
}

/**
 * Whether an expired answer is the last exchange with its host. If so, it serves the next request, one interval later.
 * Otherwise a host whose intervals exceed the answer's lifetime would be asked only for its robots.txt, for ever.
 */
function isLastExchange({ name, access }: Authority, host: HostOfUrl, nowMs: number): boolean {
  const { freshUntilMs } = access;
  if (freshUntilMs === null || nowMs < freshUntilMs || host.lastRobotsAuthority !== name) return false;
  return nowMs < freshUntilMs + host.intervalMs(nowMs);
}

/**
 * After a restart no request is in flight, but a chain may be: its hop waits in a queue, and the authority waits for
 * the hop.
 */
function restored(record: AuthorityRecord, nowMs: number, options: ResolvedAccessOptions): AuthorityRecord {
  const access = nextAccess(record.access, { kind: 'restored' }, nowMs, options);
  const { chain } = record;
  // Later than any chain may end: the clock was set back.
  const latestMs = nowMs + MAX_RETRY_AFTER_MS + MAX_CHAIN_EXCHANGE_MS;
  const isAlive = chain !== null && nowMs < chain.untilMs && chain.untilMs <= latestMs;
  if (!isAlive) return { ...newAuthorityRecord(), ...record, access, chain: null };
  return { ...record, access: { ...access, fetching: true } };
}

function request(authority: Authority, url: string): RobotsRequest {
  const validators = copyValidators(authority.access.copy, url);
  const [etag, lastModified] = [validators?.['if-none-match'] ?? null, validators?.['if-modified-since'] ?? null];
  return { url, etag, lastModified };
}

/**
 * The answer for the state machine: rules apply to the authority requested first, validators to the URL that answered.
 */
function finalAnswer(next: NextHop, answer: RobotsAnswer, authority: Authority, url: string): RobotsAnswer {
  if (next.kind === 'redirect-limit') return { kind: 'redirect-limit' };
  if (next.kind === 'redirect-unusable') return { kind: 'failure', failure: 'redirect-unusable' };
  if (answer.kind !== 'response') return answer;
  return { ...answer, robotsUrl: robotsUrlOf(authority.name), finalUrl: url };
}
