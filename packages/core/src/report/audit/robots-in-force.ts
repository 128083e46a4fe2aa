// Which copy of whose robots.txt was in force when, from the requests for robots.txt that the log tells: their answers are
// read once more by `@mannerly/robots`, and the copies that the crawl kept are compiled once more.

import { createHash } from 'node:crypto';
import { type CompileOptions, compileRules, parseRobots, type RobotsRules } from '@mannerly/robots';
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
import type { RequestRecord } from '../decision.js';
import type { RunPromise } from '../run-line.js';
import { AUDIT_EXPIRY_SLACK_MS, MAX_AUDITED_AUTHORITIES, MAX_AUDITED_COPIES } from './limits.js';

/** What holds for the URLs of an authority at a time. */
export type InForce =
  | { readonly kind: 'rules'; readonly hash: string; readonly rules: RobotsRules }
  | { readonly kind: 'allow' | 'deny'; readonly hash: string | null }
  /** The copy was not kept, or is not what came. */
  | { readonly kind: 'no-copy'; readonly hash: string | null; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** What a log tells of robots.txt files. */
export interface RobotsInForce {
  /** The time before which robots.txt of an authority was not to be asked for again; `null`: none. */
  retryAtMs(authority: string): number | null;
  /** An answer to a request for robots.txt. `null`: the log does not say whose. @returns Whether it could be read. */
  answered(record: RequestRecord, run: RunPromise): boolean;
  /** Another URL of the authority was answered. */
  hostAnswered(authority: string, atMs: number, run: RunPromise): void;
  at(authority: string, atMs: number, run: RunPromise): Promise<InForce>;
  /** The rules that a file asks for spacing by, and since when; `null`: it asks for nothing. */
  asks(authority: string, run: RunPromise): Promise<{ readonly rules: RobotsRules; readonly sinceMs: number } | null>;
}

/** How a run reads robots.txt. */
interface Reading {
  readonly key: string;
  readonly compile: CompileOptions;
  readonly access: ResolvedAccessOptions;
}

interface Known {
  access: AccessState;
  hash: string | null;
  sinceMs: number;
  /** URLs asked for in the redirect chain under way. */
  chain: string[];
}

const NO_BODY = new Uint8Array(0);

/**
 * @param readCopy - The bytes of a kept copy by its hash; `null`: not kept.
 * @throws Never; what `readCopy` throws passes through.
 */
export function createRobotsInForce(readCopy: (hash: string) => Promise<Uint8Array | null>): RobotsInForce {
  const authorities = new Map<string, Known>();
  const copies = new Map<string, RobotsRules | string>();
  const readings = new WeakMap<RunPromise, Reading>();

  const readingOf = (run: RunPromise): Reading => {
    const known = readings.get(run);
    if (known !== undefined) return known;
    const reading = readingFrom(run);
    readings.set(run, reading);
    return reading;
  };
  const knownOf = (authority: string): Known => {
    let known = authorities.get(authority);
    if (known === undefined) {
      known = { access: initialAccess(), hash: null, sinceMs: 0, chain: [] };
      const oldest = authorities.keys().next();
      if (authorities.size >= MAX_AUDITED_AUTHORITIES && !oldest.done) authorities.delete(oldest.value);
      authorities.set(authority, known);
    }
    return known;
  };
  /** The rules of the copy in force, or why there are none. */
  const rulesOf = async ({ access, hash }: Known, run: RunPromise): Promise<RobotsRules | string> => {
    if (hash === null || access.copy === null) return 'there is no copy';
    const { charset, robotsUrl } = access.copy;
    const { key, compile } = readingOf(run);
    const name = `${hash} ${charset ?? ''} ${key}`;
    const found = copies.get(name);
    if (found !== undefined) return found;
    const bytes = await readCopy(hash);
    const read =
      bytes === null ? `robots/${hash}.txt was not kept` : compiled(bytes, hash, robotsUrl, charset, compile);
    const oldest = copies.keys().next();
    if (copies.size >= MAX_AUDITED_COPIES && !oldest.done) copies.delete(oldest.value);
    copies.set(name, read);
    return read;
  };

  return {
    retryAtMs: (authority) => authorities.get(authority)?.access.retryAtMs ?? null,
    answered(record, run) {
      const receipt = record.robotsAnswer;
      if (typeof receipt?.authority !== 'string') return false;
      const known = knownOf(receipt.authority);
      const { access } = readingOf(run);
      const robotsUrl = `${receipt.authority}/robots.txt`;
      known.chain = record.url === robotsUrl ? [record.url] : [...known.chain, record.url];
      const answer = answerOf(record, robotsUrl, known.chain, access);
      if (answer === 'hop') {
        known.access = { ...known.access, fetching: true };
        return true;
      }
      const before = known.access;
      known.access = nextAccess(before, { kind: 'answer', answer }, record.endedAtMs, access);
      known.sinceMs = record.endedAtMs;
      known.chain = [];
      if (known.access.copy === null) known.hash = null;
      else if (known.access.copy !== before.copy && record.status !== 304) known.hash = receipt.hash;
      return true;
    },
    hostAnswered(authority, atMs, run) {
      const known = authorities.get(authority);
      if (known !== undefined)
        known.access = nextAccess(known.access, { kind: 'host-answered' }, atMs, readingOf(run).access);
    },
    async at(authority, atMs, run) {
      const known = authorities.get(authority);
      if (known === undefined) return { kind: 'unknown', why: 'its robots.txt had not been asked for' };
      const { access } = known;
      // It was received a little after its last byte, and may have been asked a little before the request left.
      const isJustExpired =
        access.freshUntilMs !== null &&
        atMs >= access.freshUntilMs &&
        atMs < access.freshUntilMs + AUDIT_EXPIRY_SLACK_MS;
      const whenMs = isJustExpired ? (access.freshUntilMs ?? 0) - 1 : atMs;
      const advice = accessAdvice(access, whenMs, readingOf(run).access);
      if (advice.kind === 'hold') return { kind: 'unknown', why: whyHeld(access, atMs) };
      if (advice.kind !== 'by-rules') return { kind: advice.kind, hash: access.copy === null ? null : known.hash };
      const rules = await rulesOf(known, run);
      if (typeof rules === 'string') return { kind: 'no-copy', hash: known.hash, why: rules };
      return { kind: 'rules', hash: known.hash ?? '', rules };
    },
    async asks(authority, run) {
      const known = authorities.get(authority);
      if (known === undefined || known.hash === null) return null;
      if (known.access.phase === 'no-rules' || known.access.phase === 'restricted') return null;
      const rules = await rulesOf(known, run);
      return typeof rules === 'string' ? null : { rules, sinceMs: known.sinceMs };
    },
  };
}

function whyHeld({ phase, fetching }: AccessState, atMs: number): string {
  if (fetching) return 'its robots.txt was still being asked for';
  if (phase === 'unreachable' || phase === 'last-good') return 'its robots.txt could not be had';
  return phase === 'none-yet'
    ? 'its robots.txt had not been answered'
    : `its robots.txt had expired by ${new Date(atMs).toISOString()}`;
}

/** The answer as the rules of access take it; `hop`: a redirect that leads on. */
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
  return { kind: 'response', status, headers, body: NO_BODY, robotsUrl, finalUrl: url };
}

function compiled(
  bytes: Uint8Array,
  hash: string,
  robotsUrl: string,
  charset: string | null,
  compile: CompileOptions,
): RobotsRules | string {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (!found.startsWith(hash)) return `robots/${hash}.txt is not what came: its bytes were changed`;
  return compileRules(parseRobots(bytes, charset === null ? { robotsUrl } : { robotsUrl, charset }), compile);
}

const ACCESS_OPTIONS = ['accessProfile', 'onForbidden', 'afterUnreachable', 'unreachableDays', 'holdMaxMs'] as const;
const OTHER_OPTIONS: ReadonlySet<string> = new Set(['crawlDelay', 'visitTime', 'cleanParam', 'host', 'tokens']);

/** The options of a run apart: those of access, and those of reading rules. */
function readingFrom({ robots, tokens }: RunPromise): Reading {
  const access: Record<string, unknown> = {};
  const compile: Record<string, unknown> = { tokens };
  for (const [key, value] of Object.entries(robots)) {
    if ((ACCESS_OPTIONS as readonly string[]).includes(key)) access[key] = value;
    else if (!OTHER_OPTIONS.has(key)) compile[key] = value;
  }
  const { dialect, policy } = robots;
  const options = { ...access, ...(dialect ? { dialect } : {}), ...(policy ? { policy } : {}) } as AccessOptions;
  return {
    key: JSON.stringify(compile),
    compile: compile as unknown as CompileOptions,
    access: resolveAccessOptions(options),
  };
}
