// Which copy of whose robots.txt was in force at what time, from the logged requests for robots.txt: `@mannerly/robots`
// reads their answers again, and compiles the copies that the crawl kept.

import { createHash } from 'node:crypto';
import { type CompileOptions, compileRules, parseRobots, RobotsError, type RobotsRules } from '@mannerly/robots';
import {
  type AccessOptions,
  type AccessState,
  accessAdvice,
  initialAccess,
  nextAccess,
  nextHop,
  type ResolvedAccessOptions,
  type RobotsAnswer,
  resolveAccessOptions,
} from '@mannerly/robots/access';
import type { RequestRecord, RunDeclaration } from '../decision.js';
import type { AddViolation } from './audit-report.js';
import { AUDIT_EXPIRY_SLACK_MS, MAX_AUDITED_AUTHORITIES, MAX_AUDITED_COPIES } from './limits.js';

interface RunRobotsOptions {
  readonly key: string;
  readonly compile: CompileOptions;
  readonly access: ResolvedAccessOptions;
}

interface AuthorityState {
  access: AccessState;
  hash: string | null;
  sinceMs: number;
  /** URLs requested so far in the current redirect chain. */
  chain: string[];
}

/** What a log says about robots.txt files. Errors of `readCopy` pass through. */
export class RobotsInForce {
  readonly #readCopy: (hash: string) => Promise<Uint8Array | null>;
  readonly #authorities = new Map<string, AuthorityState>();
  /** Compiled copies; a text tells why there are no rules. */
  readonly #copies = new Map<string, RobotsRules | string>();
  readonly #optionsByRun = new WeakMap<RunDeclaration, RunRobotsOptions>();

  /** @param readCopy - The bytes of a kept copy by its hash; `null` if not kept. */
  constructor(readCopy: (hash: string) => Promise<Uint8Array | null>) {
    this.#readCopy = readCopy;
  }

  /** The time before which robots.txt of an authority may not be requested again; `null` if none. */
  retryAtMs(authority: string): number | null {
    return this.#authorities.get(authority)?.access.retryAtMs ?? null;
  }

  /** Takes an answer to a request for robots.txt. @returns Whether the log says which authority it belongs to. */
  addAnswer(record: RequestRecord, run: RunDeclaration): boolean {
    const receipt = record.robotsAnswer;
    if (typeof receipt?.authority !== 'string') return false;
    const { access } = this.#optionsOf(run);
    const unknown = { access: initialAccess(), hash: null, sinceMs: 0, chain: [] };
    const known: AuthorityState = this.#authorities.get(receipt.authority) ?? unknown;
    this.#authorities.set(receipt.authority, known);
    forgetOldest(this.#authorities, MAX_AUDITED_AUTHORITIES);
    const robotsUrl = `${receipt.authority}/robots.txt`;
    known.chain = record.url === robotsUrl ? [record.url] : [...known.chain, record.url];
    const answer = answerOf(record, robotsUrl, known.chain, access);
    const before = known.access;
    if (answer === 'hop') {
      known.access = { ...before, fetching: true };
      return true;
    }
    known.access = nextAccess(before, { kind: 'answer', answer }, record.endedAtMs, access);
    known.sinceMs = record.endedAtMs;
    known.chain = [];
    if (known.access.copy === null) known.hash = null;
    else if (known.access.copy !== before.copy && record.status !== 304) known.hash = receipt.hash;
    return true;
  }

  addHostAnswer(authority: string, atMs: number, run: RunDeclaration): void {
    const known = this.#authorities.get(authority);
    if (known !== undefined)
      known.access = nextAccess(known.access, { kind: 'host-answered' }, atMs, this.#optionsOf(run).access);
  }

  /**
   * Checks whether the file in force allowed a request, and whether the crawl used that copy.
   * @param lastEndedAtMs - When the host's last request ended: an answer from that time or later serves the next.
   */
  async check(
    record: RequestRecord,
    authority: string,
    run: RunDeclaration,
    lastEndedAtMs: number | null,
    addViolation: AddViolation,
  ): Promise<void> {
    const known = this.#authorities.get(authority);
    if (known === undefined) return addViolation('before-robots', 'its robots.txt had not been requested at that time');
    const { access } = known;
    const { freshUntilMs } = access;
    // It arrived shortly after its last byte, and may have been consulted shortly before the request was sent.
    const atMs = record.startedAtMs;
    const isLatestAnswer = lastEndedAtMs !== null && known.sinceMs >= lastEndedAtMs;
    const isExpired = freshUntilMs !== null && atMs >= freshUntilMs;
    const isInGrace = isExpired && (isLatestAnswer || atMs < freshUntilMs + AUDIT_EXPIRY_SLACK_MS);
    const advice = accessAdvice(access, isInGrace ? freshUntilMs - 1 : atMs, this.#optionsOf(run).access);
    if (advice.kind === 'hold') return addViolation('before-robots', `${holdReason(access)} at that time`);
    if (advice.kind === 'deny')
      addViolation('excluded', 'its robots.txt was refused to us, which the run reads as closed');
    if (advice.kind === 'by-rules') {
      const rules = await this.#compiled(known, run);
      if (typeof rules === 'string')
        return addViolation('robots-copy', `whether robots.txt allowed it cannot be shown: ${rules}`);
      const { allowed, line, pattern } = rules.decide(record.url);
      const by = line === null ? 'the file' : `line ${line}, ${pattern}`;
      if (!allowed) addViolation('excluded', `robots.txt (copy ${known.hash}) closes it: ${by}`);
    }
    const used = record.robots?.hash ?? '(none)';
    const inForce = (access.copy === null ? null : known.hash) ?? '(none)';
    if (used !== inForce) addViolation('robots-copy', `the crawl used copy ${used}, in force was ${inForce}`);
  }

  /** The latest rules of an authority, and their start; `null` if there are none. */
  async rulesOf(
    authority: string,
    run: RunDeclaration,
  ): Promise<{ readonly rules: RobotsRules; readonly sinceMs: number } | null> {
    const known = this.#authorities.get(authority);
    if (known === undefined || known.access.phase === 'no-rules' || known.access.phase === 'restricted') return null;
    const rules = await this.#compiled(known, run);
    return typeof rules === 'string' ? null : { rules, sinceMs: known.sinceMs };
  }

  #optionsOf(run: RunDeclaration): RunRobotsOptions {
    const options = this.#optionsByRun.get(run) ?? robotsOptionsOf(run);
    this.#optionsByRun.set(run, options);
    return options;
  }

  /** The rules of the copy in force, or why there are none. */
  async #compiled({ access, hash }: AuthorityState, run: RunDeclaration): Promise<RobotsRules | string> {
    if (hash === null || access.copy === null) return 'there is no copy';
    const { charset, robotsUrl } = access.copy;
    const { key, compile } = this.#optionsOf(run);
    // Absolute URLs in a file are read by its own authority, so equal bytes of two authorities are two files.
    const name = `${hash} ${charset ?? ''} ${robotsUrl} ${key}`;
    let rules = this.#copies.get(name);
    if (rules === undefined) {
      const bytes = await this.#readCopy(hash);
      if (bytes === null) rules = `robots/${hash}.txt was not kept`;
      else if (createHash('sha256').update(bytes).digest('hex') !== hash)
        rules = `robots/${hash}.txt is not what was received: its bytes were changed`;
      else rules = compileRules(parseRobots(bytes, charset === null ? { robotsUrl } : { robotsUrl, charset }), compile);
      this.#copies.set(name, rules);
      forgetOldest(this.#copies, MAX_AUDITED_COPIES);
    }
    return rules;
  }
}

/** Deletes the oldest entry if there are more than `max`. @returns Whether it did. @throws Never */
export function forgetOldest(map: Map<string, unknown>, max: number): boolean {
  const [oldest] = map.keys();
  return map.size > max && oldest !== undefined && map.delete(oldest);
}

function holdReason({ phase, fetching }: AccessState): string {
  if (fetching) return 'its robots.txt was still being requested';
  if (phase === 'unreachable' || phase === 'last-good') return 'its robots.txt could not be fetched';
  return phase === 'none-yet' ? 'its robots.txt had not been answered' : 'its robots.txt had expired';
}

/** The answer in the form that the access rules take; `hop`: a redirect that is followed. */
function answerOf(
  { url, status, truncated, robotsAnswer }: RequestRecord,
  robotsUrl: string,
  chain: readonly string[],
  access: ResolvedAccessOptions,
): RobotsAnswer | 'hop' {
  if (status === null) return { kind: 'failure', failure: 'other' };
  if (truncated === 'connection') return { kind: 'failure', failure: 'short-body' };
  const headers = robotsAnswer?.headers ?? {};
  const next = nextHop(status, headers['location'] ?? null, url, chain, access);
  if (next.kind === 'follow') return 'hop';
  if (next.kind === 'redirect-limit') return { kind: 'redirect-limit' };
  if (next.kind === 'redirect-unusable') return { kind: 'failure', failure: 'redirect-unusable' };
  return { kind: 'response', status, headers, body: new Uint8Array(0), robotsUrl, finalUrl: url };
}

const ACCESS_ONLY = ['accessProfile', 'onForbidden', 'afterUnreachable', 'unreachableDays', 'maxHoldMs'];
const ACCESS_KEYS: ReadonlySet<string> = new Set([...ACCESS_ONLY, 'dialect', 'policy']);
const NOT_COMPILED: ReadonlySet<string> = new Set([...ACCESS_ONLY, 'crawlDelay', 'visitTime', 'cleanParam', 'host']);

/** The robots options of a run, split into those of access and those of reading rules. */
function robotsOptionsOf({ robots, tokens }: RunDeclaration): RunRobotsOptions {
  const entries = Object.entries({ ...robots, tokens });
  const access = Object.fromEntries(entries.filter(([key]) => ACCESS_KEYS.has(key))) as AccessOptions;
  const compile = Object.fromEntries(entries.filter(([key]) => !NOT_COMPILED.has(key))) as unknown as CompileOptions;
  return { key: JSON.stringify(compile), compile, access: resolveAccessOptions(access) };
}

/** Whether a run declares options with which a robots.txt can be read. Never throws. */
export function isReadableRun(run: RunDeclaration): boolean {
  try {
    compileRules(parseRobots(new Uint8Array()), robotsOptionsOf(run).compile);
    return true;
  } catch (error) {
    if (error instanceof RobotsError) return false;
    throw error;
  }
}
